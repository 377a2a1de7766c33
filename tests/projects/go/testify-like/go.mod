module example.com/testify-like

go 1.21
