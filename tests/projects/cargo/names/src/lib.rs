#![allow(non_snake_case)]
#[test]
fn prevents_FAIL_and_ERROR() {}

#[test]
fn größe_日本() {}

#[test]
fn r#match() {}

mod one {
    #[test]
    fn same() {}
}

mod two {
    #[test]
    fn same() {}
}
