module example.com/testmain-teardown-fails

go 1.21
