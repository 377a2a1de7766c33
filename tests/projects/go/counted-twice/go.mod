module example.com/counted-twice

go 1.21
