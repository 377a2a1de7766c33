package shop

import (
	"testing"
)

func TestA(t *testing.T) {}

func TestB(t *testing.T) { t.Fatal("stop here") }

func TestC(t *testing.T) {}
