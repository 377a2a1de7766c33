#[test]
fn a_passes() {}

#[test]
fn b_reads_nowhere() {
    unsafe { std::ptr::read_volatile(8 as *const u8) };
}
