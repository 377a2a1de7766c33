module example.com/import-cycle

go 1.21
