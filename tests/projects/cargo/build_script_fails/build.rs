fn main() {
    panic!("no compiler for the other language");
}
