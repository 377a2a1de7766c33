module example.com/missing-module

go 1.21

require example.invalid/nowhere v1.0.0
