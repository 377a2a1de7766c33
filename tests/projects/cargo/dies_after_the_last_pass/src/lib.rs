extern "C" {
    fn atexit(call: extern "C" fn()) -> i32;
}

extern "C" fn fall() {
    std::process::abort();
}

#[test]
fn passes() {
    unsafe { atexit(fall) };
}
