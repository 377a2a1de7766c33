package shop

import (
	"testing"

	_ "example.com/missing-package/nowhere"
)

func TestShop(t *testing.T) {}
