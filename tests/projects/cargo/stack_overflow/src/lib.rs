fn deeper(n: u64) -> u64 {
    if n == u64::MAX { 0 } else { 1 + deeper(n + 1) }
}

#[test]
fn falls() {
    assert_eq!(deeper(0), 1);
}
