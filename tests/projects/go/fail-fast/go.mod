module example.com/fail-fast

go 1.21
