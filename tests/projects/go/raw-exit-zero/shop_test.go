package shop

import (
	"syscall"
	"testing"
)

func TestFirst(t *testing.T) {}

func TestLeaves(t *testing.T) { syscall.Exit(0) }

func TestNever(t *testing.T) { t.Fatal("never reached") }
