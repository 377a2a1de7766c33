module example.com/forged-channel

go 1.21
