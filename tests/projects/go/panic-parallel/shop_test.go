package shop

import (
	"testing"
	"time"
)

func TestWaits(t *testing.T) {
	t.Parallel()
	time.Sleep(time.Minute)
}

func TestPanics(t *testing.T) {
	t.Parallel()
	time.Sleep(200 * time.Millisecond)
	panic("together")
}
