package shop

import (
	"testing"
	"time"
)

func TestLots(t *testing.T) {
	for _, name := range []string{"a", "b", "c", "d"} {
		name := name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log("one", name)
			time.Sleep(20 * time.Millisecond)
			t.Log("two", name)
			if name == "c" {
				t.Error("c is bad")
			}
		})
	}
}

func TestAlone(t *testing.T) { t.Parallel() }
