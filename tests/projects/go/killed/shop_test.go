package shop

import (
	"os"
	"syscall"
	"testing"
)

func TestFirst(t *testing.T) {}

func TestKilled(t *testing.T) {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
