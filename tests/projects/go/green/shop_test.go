package shop

import (
	"testing"
)

func TestAdd(t *testing.T) {
	if 1+1 != 2 {
		t.Error("wrong")
	}
}

func TestSub(t *testing.T) {
	t.Log("a remark")
}
