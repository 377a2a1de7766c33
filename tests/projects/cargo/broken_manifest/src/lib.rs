#[test]
fn never() {}
