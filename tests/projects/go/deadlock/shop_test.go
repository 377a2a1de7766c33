package shop

import (
	"sync"
	"testing"
)

func TestDeadlock(t *testing.T) {
	var mutex sync.Mutex
	mutex.Lock()
	mutex.Lock()
}
