module example.com/one

go 1.21
