pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}

#[test]
fn adds_nothing() {
    assert_eq!(add(1, 0), 1);
}
