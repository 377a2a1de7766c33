module example.com/runner-killed

go 1.21
