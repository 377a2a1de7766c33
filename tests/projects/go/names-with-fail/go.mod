module example.com/names-with-fail

go 1.21
