module example.com/cleanup-fails

go 1.21
