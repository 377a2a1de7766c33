module example.com/panic-parallel

go 1.21
