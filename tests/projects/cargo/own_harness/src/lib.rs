#[test]
fn in_the_library() {}
