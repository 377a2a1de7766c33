package shop

import (
	"testing"
	"time"
)

func TestQuick(t *testing.T) {}

func TestStuck(t *testing.T) {
	println("waiting")
	time.Sleep(time.Hour)
}
