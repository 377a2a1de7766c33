#[test]
#[ignore = "needs a device"]
fn device() {}

#[test]
#[ignore]
fn other() {}
