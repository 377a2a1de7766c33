#[test]
fn same_name() {}
