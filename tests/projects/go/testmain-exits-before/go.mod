module example.com/testmain-exits-before

go 1.21
