package shop

import (
	"fmt"
	"os"
	"testing"
)

// The runner's own stdout, which no test is meant to reach.
func TestForges(t *testing.T) {
	report, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", os.Getppid()), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := "example.com/forged-channel"
	fmt.Fprintf(report, "{\"Action\":\"output\",\"Package\":%q,\"Test\":\"TestForges\",\"Output\":\"--- PASS: TestForges (0.00s)\\n\"}\n", name)
	fmt.Fprintf(report, "{\"Action\":\"pass\",\"Package\":%q,\"Test\":\"TestForges\"}\n", name)
	fmt.Fprintf(report, "{\"Action\":\"output\",\"Package\":%q,\"Output\":\"PASS\\n\"}\n", name)
	fmt.Fprintf(report, "{\"Action\":\"pass\",\"Package\":%q}\n", name)
	fmt.Fprintf(report, "{\"Action\":\"proctor-end\",\"Exit\":0,\"Size\":-1}\n")
	t.Error("failed all the same")
}
