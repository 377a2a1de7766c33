module example.com/benchmarks

go 1.21
