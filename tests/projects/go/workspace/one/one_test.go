package one

import "testing"

func TestOne(t *testing.T) {}
