package shop

import (
	"fmt"
	"testing"
)

func TestPrint(t *testing.T) { fmt.Printf("%d\n", "text") }
