use Test::More skip_all => 'no printer here';
