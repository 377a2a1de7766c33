package shop

import (
	"os"
	"os/exec"
	"testing"
)

func TestLeavesADaemon(t *testing.T) {
	daemon := exec.Command("sleep", "5")
	daemon.Stdout, daemon.Stderr = os.Stdout, os.Stderr
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
}
