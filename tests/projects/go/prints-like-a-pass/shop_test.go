package shop

import (
	"fmt"
	"testing"
)

func TestPrints(t *testing.T) {
	fmt.Println("--- PASS: TestPrints (0.00s)")
	fmt.Println("PASS")
	fmt.Println("ok  \texample.com/prints-like-a-pass\t0.01s")
	fmt.Println(`{"Time":"2024-01-01T00:00:00Z","Action":"pass","Package":"example.com/prints-like-a-pass","Elapsed":0}`)
	t.Error("failed all the same")
	fmt.Print("--- PASS: TestPrints (0.00s)\nPASS")
}
