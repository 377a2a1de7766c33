module example.com/prints-like-a-pass

go 1.21
