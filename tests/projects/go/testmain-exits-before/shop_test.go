package shop

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(0) }

func TestNever(t *testing.T) { t.Fatal("never reached") }
