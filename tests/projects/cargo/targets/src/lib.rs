pub fn two() -> i32 {
    2
}

#[test]
fn in_the_library() {
    assert_eq!(two(), 2);
}
