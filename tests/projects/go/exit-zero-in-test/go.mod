module example.com/exit-zero-in-test

go 1.21
