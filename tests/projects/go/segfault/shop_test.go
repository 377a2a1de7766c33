package shop

import (
	"testing"
	"unsafe"
)

func TestFirst(t *testing.T) {}

func TestCrashes(t *testing.T) {
	p := (*int)(unsafe.Pointer(uintptr(1)))
	*p = 1
}
