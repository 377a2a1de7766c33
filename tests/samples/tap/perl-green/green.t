use Test::More tests => 3;
ok(1, 'adds');
ok(1);
subtest 'cart' => sub { plan tests => 1; ok(1, 'is empty'); };
