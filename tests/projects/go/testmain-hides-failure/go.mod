module example.com/testmain-hides-failure

go 1.21
