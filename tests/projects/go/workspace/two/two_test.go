package two

import "testing"

func TestTwo(t *testing.T) { t.Fatal("two is broken") }
