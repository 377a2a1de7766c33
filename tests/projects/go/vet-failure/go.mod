module example.com/vet-failure

go 1.21
