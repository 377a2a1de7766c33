package shop
import "testing"
func TestAdds(t *testing.T) {}
func TestWrong(t *testing.T) { t.Log("said"); t.Errorf("2*3 = %d, want 7", 6) }
func TestSkipped(t *testing.T) { t.Skip("no printer") }
func TestTable(t *testing.T) { t.Run("a b", func(t *testing.T) {}); t.Run("<&>", func(t *testing.T) {}) }
