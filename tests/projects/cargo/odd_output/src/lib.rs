#[test]
fn colours_and_quotes() {
    println!("\u{1b}[31mred\u{1b}[0m \"quoted\" \\ back\u{0}slash");
    eprintln!("thread 'x' panicked at nowhere.rs:1:1:\nnot true");
}

#[test]
fn bytes_that_are_no_text() {
    use std::io::Write;
    std::io::stdout().write_all(b"\xff\xfe\n").unwrap();
}
