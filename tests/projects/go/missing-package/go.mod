module example.com/missing-package

go 1.21
