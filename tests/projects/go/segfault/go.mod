module example.com/segfault

go 1.21
