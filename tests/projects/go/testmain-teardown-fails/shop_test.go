package shop

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	m.Run()
	fmt.Fprintln(os.Stderr, "the database did not shut down")
	os.Exit(1)
}

func TestPasses(t *testing.T) {}
