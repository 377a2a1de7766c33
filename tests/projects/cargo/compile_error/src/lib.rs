#[test]
fn typed() {
    let number: i32 = "text";
}
