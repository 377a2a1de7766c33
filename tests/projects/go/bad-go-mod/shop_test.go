package shop

import "testing"

func TestShop(t *testing.T) {}
