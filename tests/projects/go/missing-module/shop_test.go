package shop

import (
	"testing"

	_ "example.invalid/nowhere"
)

func TestShop(t *testing.T) {}
