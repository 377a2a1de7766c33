package bad

import "testing"

func TestBad(t *testing.T) {
	var unused int
	undefined()
}
