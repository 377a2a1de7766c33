@test "adds" { [ $((1+1)) -eq 2 ]; }
@test "multiplies wrongly" { echo "ok 9 - said by the test"; [ $((2*3)) -eq 7 ]; }
@test "skipped" { skip "no printer"; }
