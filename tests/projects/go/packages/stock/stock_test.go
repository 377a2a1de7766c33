package stock

import "testing"

func TestSame(t *testing.T) {
	t.Fatal("got: 1\nwant: 2")
}

func TestOther(t *testing.T) {}
