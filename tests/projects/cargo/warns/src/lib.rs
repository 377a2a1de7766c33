#![warn(unused)]

fn error_is_never_called() {}

#[test]
fn passes() {
    let error = 1;
}
