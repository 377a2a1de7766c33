#[test]
fn from_outside() {
    assert_eq!(targets::two(), 2);
}
