package shop

import (
	"testing"
)

func TestOne(t *testing.T) { t.Run("inner", func(t *testing.T) {}) }
