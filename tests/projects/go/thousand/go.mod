module example.com/thousand

go 1.21
