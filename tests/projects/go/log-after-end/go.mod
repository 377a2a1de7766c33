module example.com/log-after-end

go 1.21
