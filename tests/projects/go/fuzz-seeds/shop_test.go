package shop

import (
	"testing"
)

func FuzzReverse(f *testing.F) {
	f.Add("ab")
	f.Add("bad")
	f.Fuzz(func(t *testing.T, text string) {
		if text == "bad" {
			t.Errorf("got %q, want %q", text, "good")
		}
	})
}
