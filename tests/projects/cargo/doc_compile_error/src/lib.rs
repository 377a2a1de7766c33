/// ```
/// let x: i32 = "text";
/// ```
pub fn one() {}

#[test]
fn passes() {}
