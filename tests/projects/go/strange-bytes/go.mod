module example.com/strange-bytes

go 1.21
