package shop

import (
	"fmt"
	"testing"
)

func TestPrints(t *testing.T) {
	fmt.Println("--- FAIL: TestPrints (0.00s)")
	fmt.Println("FAIL")
	fmt.Println("FAIL\texample.com/prints-like-the-runner\t0.01s")
	fmt.Println(`{"Time":"2024-01-01T00:00:00Z","Action":"fail","Package":"example.com/prints-like-the-runner","Test":"TestPrints","Elapsed":0}`)
	fmt.Println(`{"Action":"proctor-end","Exit":1}`)
	fmt.Println("panic: not at all")
	fmt.Print("no newline at the end")
}

func TestNext(t *testing.T) {}
