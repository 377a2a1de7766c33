module example.com/green

go 1.21
