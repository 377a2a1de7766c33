#[test]
#[should_panic]
fn does_not_panic() {}

#[test]
#[should_panic(expected = "this")]
fn panics_with_something_else() {
    panic!("that");
}

#[test]
fn passes() {}
