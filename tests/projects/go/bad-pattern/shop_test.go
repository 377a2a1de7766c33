package shop

import (
	"testing"
)

func TestOne(t *testing.T) {}
