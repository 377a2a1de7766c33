module example.com/fuzz-seeds

go 1.21
