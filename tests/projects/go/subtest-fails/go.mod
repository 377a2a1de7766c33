module example.com/subtest-fails

go 1.21
