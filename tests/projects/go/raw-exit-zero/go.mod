module example.com/raw-exit-zero

go 1.21
