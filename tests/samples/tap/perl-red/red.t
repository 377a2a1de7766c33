use Test::More;
ok(1, 'adds');
is(2 * 3, 7, 'multiplies wrongly');
SKIP: { skip 'no printer', 1; ok(0, 'prints'); }
TODO: { local $TODO = 'fix it'; ok(0, 'known bug'); }
subtest 'suite' => sub { plan tests => 2; ok(1, 'inner ok'); ok(0, 'inner bad'); };
note("ok 99 - printed by the test");
done_testing();
