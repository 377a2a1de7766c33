module example.com/bad-pattern

go 1.21
