package shop

import (
	"testing"
)

func TestThousand(t *testing.T) {
	for i := 0; i < 1000; i++ {
		t.Run("n", func(t *testing.T) {})
	}
}
