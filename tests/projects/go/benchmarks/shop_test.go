package shop

import (
	"testing"
)

func TestOne(t *testing.T) {}

func BenchmarkAdd(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = i + 1
	}
}
