#[test]
fn same_name() {
    panic!("only here");
}
