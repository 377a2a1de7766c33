use std::io::Write;

#[test]
fn fails_behind_a_summary() {
    println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
    panic!("wrong");
}

#[test]
fn writes_past_the_harness() {
    let mut out = std::io::stdout();
    writeln!(out, "running 7 tests\ntest x ... ok\n\ntest result: ok. 7 passed; 0 failed").unwrap();
    out.flush().unwrap();
}
