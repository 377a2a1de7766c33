module example.com/panic-at-init

go 1.21
