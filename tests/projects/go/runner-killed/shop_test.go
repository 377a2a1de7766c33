package shop

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func TestFirst(t *testing.T) {}

func TestKillsGo(t *testing.T) {
	syscall.Kill(os.Getppid(), syscall.SIGKILL)
	time.Sleep(time.Second)
}
