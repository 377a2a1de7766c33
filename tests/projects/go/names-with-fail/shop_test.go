package shop

import (
	"testing"
)

func TestFAIL(t *testing.T) { t.Log("FAIL: this is only text") }

func TestFailsWell(t *testing.T) {
	t.Run("--- FAIL: TestFAIL (0.00s)", func(t *testing.T) {})
}
