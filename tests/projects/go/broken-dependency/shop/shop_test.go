package shop

import (
	"testing"

	"example.com/broken-dependency/base"
)

func TestShop(t *testing.T) { _ = base.Answer }
