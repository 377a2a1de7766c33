package shop

import (
	"testing"
	"time"
)

func TestLeaks(t *testing.T) {
	go func() {
		time.Sleep(50 * time.Millisecond)
		t.Log("too late")
	}()
}

func TestNext(t *testing.T) { time.Sleep(500 * time.Millisecond) }
