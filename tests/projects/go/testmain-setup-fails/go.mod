module example.com/testmain-setup-fails

go 1.21
