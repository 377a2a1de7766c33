module example.com/skip-only

go 1.21
