package shop

import (
	"fmt"
)

func ExampleGood() {
	fmt.Println("hello")
	// Output: hello
}

func ExampleBad() {
	fmt.Println("hello")
	// Output: goodbye
}
