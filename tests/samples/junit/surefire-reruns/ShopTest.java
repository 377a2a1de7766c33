import org.junit.jupiter.api.*;
import static org.junit.jupiter.api.Assertions.*;
class ShopTest {
  static int tries = 0;
  @Test void adds() { assertEquals(2, 1 + 1); }
  @Test void wrong() { System.out.println("said"); assertEquals(7, 2 * 3); }
  @Test void throwsAway() { throw new IllegalStateException("no database"); }
  @Disabled("no printer") @Test void skipped() {}
  @Test void flaky() { assertTrue(++tries > 1, "first try fails"); }
}
