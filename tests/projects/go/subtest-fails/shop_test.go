package shop

import (
	"testing"
)

func TestOuter(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) {
		t.Run("deep", func(t *testing.T) { t.Error("want 1, got 2") })
	})
}
