#[test]
fn passes() {}

#[test]
fn sleeps() {
    std::thread::sleep(std::time::Duration::from_secs(600));
}
