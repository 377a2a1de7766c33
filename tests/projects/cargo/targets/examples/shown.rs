fn main() {}

#[test]
fn not_run() {
    panic!();
}
