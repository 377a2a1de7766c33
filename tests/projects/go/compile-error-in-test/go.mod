module example.com/compile-error-in-test

go 1.21
