package shop

import (
	"testing"
)

func TestRace(t *testing.T) {
	total := 0
	done := make(chan bool)
	go func() {
		total++
		done <- true
	}()
	total++
	<-done
}

func TestFine(t *testing.T) {}
