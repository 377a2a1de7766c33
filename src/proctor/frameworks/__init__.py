"""One file per test framework: detect it, call it, read it. Pure: no disk, no processes."""
