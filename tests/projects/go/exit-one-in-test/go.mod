module example.com/exit-one-in-test

go 1.21
