fn main() {}

#[test]
fn in_the_binary() {}
