use Test::More tests => 4;
ok(1, 'adds');
ok(1, 'holds');
die "lost the database";
