package shop

import "testing"

func TestEqual(t *testing.T) {
	t.Errorf("\n%s", "\tError Trace:\t/srv/shop_test.go:6\n\tError:      \tNot equal: \n\t            \texpected: 1\n\t            \tactual  : 2\n\tTest:       \tTestEqual\n\tMessages:   \tthe sum is wrong\n")
}
