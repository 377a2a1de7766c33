# Calls `go test -json` and frames what it prints: where test functions stand comes before, how it ended after.
# Several calls are parted by `--proctor-next`. Without the last line a report that was cut off (a full disk, a
# kill) could look whole; its size tells that nothing was added or lost. The size is asked for through a
# descriptor that is opened when the tests are gone, so that none of them inherits it.
set -u
echo 'proctor-go 1'
above=.
while [ ! -e "$above/go.mod" ] && [ ! "$above" -ef / ]; do above="$above/.."; done
[ "$above" = . ] || grep -HnE '^module[[:space:]]' "$above/go.mod" 2>/dev/null
grep -rnE --include='*_test.go' --include=go.mod --exclude-dir='.?*' --exclude-dir='_*' --exclude-dir=testdata \
  --exclude-dir=vendor --exclude-dir=node_modules \
  '^(module[[:space:]]|func (Test|Fuzz|Example)[^([]*\()' . 2>/dev/null
echo 'proctor-go tests'

# The first run of a project takes from the user's build cache what is there, instead of compiling it anew.
seed=${PROCTOR_GO_SEED-} from=${PROCTOR_GO_SEED_FROM-}
unset PROCTOR_GO_SEED PROCTOR_GO_SEED_FROM
case "$GOCACHE$from" in *[[:space:]]*) from='' ;; esac
if [ -n "$from" ] && [ -z "${GOCACHEPROG-}" ] && [ ! -e "$GOCACHE/proctor-seeded" ]; then
  export GOCACHEPROG="$seed $GOCACHE $from"
fi

status=0
finish_call() {
  [ "$1" -le 128 ] || kill "-$(($1 - 128))" $$
  [ "$1" -le "$status" ] || status=$1
}
call=''
position=1
for word do
  if [ "$word" = --proctor-next ]; then
    eval "$call"
    finish_call $?
    call=''
    echo '{"Action":"proctor-next"}'
  else
    call="$call \"\${$position}\""
  fi
  position=$((position + 1))
done
eval "$call"
finish_call $?

[ -z "$seed" ] || : >"$GOCACHE/proctor-seeded"
exec 3>&1
size=-1
[ ! -f /proc/self/fd/3 ] || size=$(stat -L -c %s /proc/self/fd/3)
printf '{"Action":"proctor-end","Exit":%d,"Size":%d}\n' "$status" "$size"
exit "$status"
