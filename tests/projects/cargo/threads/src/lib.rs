#[test]
fn a_thread_panics_and_is_joined() {
    std::thread::spawn(|| assert_eq!("left", "right")).join().unwrap();
}

#[test]
fn a_thread_panics_and_nobody_asks() {
    let _ = std::thread::spawn(|| panic!("unseen")).join();
}
