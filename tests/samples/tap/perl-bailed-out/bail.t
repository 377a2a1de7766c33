use Test::More tests => 4;
ok(1, 'adds');
BAIL_OUT('no database');
