/// Adds.
///
/// ```
/// assert_eq!(documented::add(1, 2), 3);
/// ```
///
/// ```
/// assert_eq!(documented::add(1, 2), 4);
/// ```
///
/// ```ignore
/// never
/// ```
///
/// ```compile_fail
/// let x: i32 = "text";
/// ```
///
/// ```no_run
/// loop {}
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[test]
fn passes() {
    assert_eq!(add(1, 1), 2);
}
