package shop

import (
	"os"
	"testing"
)

func TestFirst(t *testing.T) {}

func TestLeaves(t *testing.T) { os.Exit(0) }

func TestNever(t *testing.T) { t.Fatal("never reached") }
