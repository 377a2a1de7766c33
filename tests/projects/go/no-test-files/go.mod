module example.com/no-test-files

go 1.21
