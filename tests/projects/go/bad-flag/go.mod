module example.com/bad-flag

go 1.21
