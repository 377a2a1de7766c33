//! ```
//! assert!(true);
//! ```

/// ```
/// assert_eq!(documented_green::one(), 1);
/// ```
pub fn one() -> i32 {
    1
}
