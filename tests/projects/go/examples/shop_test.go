package shop

import (
	"fmt"
)

func Example_good() {
	fmt.Println("hello")
	// Output: hello
}

func Example_bad() {
	fmt.Println("hello")
	// Output: goodbye
}
