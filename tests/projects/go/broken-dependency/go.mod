module example.com/broken-dependency

go 1.21
