#include <gtest/gtest.h>
TEST(Shop, Adds) { EXPECT_EQ(1 + 1, 2); }
TEST(Shop, MultipliesWrongly) { EXPECT_EQ(2 * 3, 7); EXPECT_TRUE(false) << "second"; }
TEST(Shop, Skipped) { GTEST_SKIP() << "no printer"; }
TEST(Shop, DISABLED_Later) { FAIL(); }
class P : public testing::TestWithParam<int> {};
TEST_P(P, Holds) { SUCCEED(); }
INSTANTIATE_TEST_SUITE_P(Cart, P, testing::Values(1, 2));
