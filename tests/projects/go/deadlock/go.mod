module example.com/deadlock

go 1.21
