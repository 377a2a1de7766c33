package shop

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	fmt.Println("cannot reach the database")
	os.Exit(3)
}

func TestNever(t *testing.T) {}
