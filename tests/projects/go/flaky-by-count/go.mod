module example.com/flaky-by-count

go 1.21
