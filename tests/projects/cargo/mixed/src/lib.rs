#[test]
fn passes() {}

#[test]
fn compares() {
    println!("before");
    assert_eq!(1 + 1, 3, "the sum");
}

#[test]
fn differs() {
    assert_ne!(2, 2);
}

#[test]
#[ignore = "not yet"]
fn waits() {}

#[test]
fn returns_an_error() -> Result<(), String> {
    Err("no luck".into())
}

#[test]
#[should_panic(expected = "boom")]
fn panics_as_expected() {
    panic!("boom!");
}
