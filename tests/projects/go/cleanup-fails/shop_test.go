package shop

import (
	"testing"
)

func TestCleanup(t *testing.T) {
	t.Cleanup(func() { t.Error("left a file behind") })
}
