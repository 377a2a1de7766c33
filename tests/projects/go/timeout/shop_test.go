package shop

import (
	"testing"
)

func TestQuick(t *testing.T) {}

func TestStuck(t *testing.T) {
	t.Run("inner", func(t *testing.T) { select {} })
}
