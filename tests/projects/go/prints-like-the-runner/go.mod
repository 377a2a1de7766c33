module example.com/prints-like-the-runner

go 1.21
