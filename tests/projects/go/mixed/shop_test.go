package shop

import (
	"testing"
)

func TestPasses(t *testing.T) {}

func TestGotWant(t *testing.T) {
	t.Log("before")
	if got := 2 + 2; got != 5 {
		t.Errorf("Add(2, 2) = %d, want %d", got, 5)
	}
}

func TestSkips(t *testing.T) {
	t.Skip("not on this machine")
}

func TestFatal(t *testing.T) {
	t.Fatalf("expected %q, got %q", "apple", "pear")
}
