package shop

import (
	"testing"
)

func TestTable(t *testing.T) {
	for _, name := range []string{"one", "two words", "ünïcode", "a/b", "quote\"s", "new\nline", "FAIL", "--- FAIL: x", "", "", "\x1b[31mred", "\xff\xfe"} {
		t.Run(name, func(t *testing.T) {})
	}
}
