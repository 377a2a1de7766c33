module example.com/no-test-functions

go 1.21
