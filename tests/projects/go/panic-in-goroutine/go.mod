module example.com/panic-in-goroutine

go 1.21
