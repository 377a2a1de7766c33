package shop

import (
	"os"
	"strings"
	"testing"
)

func TestBytes(t *testing.T) {
	os.Stdout.Write([]byte("\xff\xfe\x00\x1b[31mred\x1b[0m\r\n\x16"))
	os.Stdout.Write([]byte("\u2028 ok\n"))
	t.Run(strings.Repeat("long", 25000), func(t *testing.T) {})
}
