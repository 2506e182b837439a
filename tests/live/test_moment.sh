#!/bin/sh
# The key w: what was just seen becomes a recording that perf and cyctop read alike.
#   test_moment.sh CYCTOP LOAD
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2")
skip() {
	echo "skipped: $*"
	exit 77
}
command -v tmux >/dev/null || skip "tmux is not installed"
command -v perf >/dev/null || skip "perf is not installed"
perf record -o /dev/null -q -e cpu-clock -a true 2>/dev/null || skip "perf may not sample this machine"
tmp=$(mktemp -d)
socket=cyctop-moment-$$
trap 'tmux -L $socket kill-server 2>/dev/null || :; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C.UTF-8

# The load is there before cyctop and gone when w is pressed: /proc no longer knows it.
"$load" 3 >/dev/null &
sleep 0.3
tmux -L $socket -f /dev/null new-session -d -x 110 -y 30 -c "$tmp" "exec '$cyctop'"
wait
sleep 1.5
tmux -L $socket send-keys w
for _ in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.5
	tmux -L $socket capture-pane -p >"$tmp/screen"
	! grep -q 'samples of the last' "$tmp/screen" || break
done
tmux -L $socket send-keys q
file=$(ls "$tmp"/cyctop-*.data) || {
	cat "$tmp/screen"
	exit 1
}
status=0
fail() {
	echo "FAILED: $*"
	status=1
}
grep -q "samples of the last .* s are in $tmp" "$tmp/screen" || fail "the screen does not say where"
[ "$(stat -c %a "$file")" = 600 ] || fail "others may read the file"
perf report -i "$file" --stdio -q -n --sort symbol -g none >"$tmp/perf" 2>"$tmp/err" || fail "perf does not read it"
[ ! -s "$tmp/err" ] || fail "perf warns: $(head -3 "$tmp/err")"
"$cyctop" -b -i "$file" --sort symbol --format csv >"$tmp/csv" || fail "cyctop does not read it"
for f in load_sixty load_thirty load_ten load_twenty load_eighty; do
	theirs=$(awk -v f=$f '{ for (i = 1; i <= NF; i++) if ($i == f) print $2 }' "$tmp/perf")
	ours=$(awk -F, -v f=$f '{ for (i = 1; i <= NF; i++) if ($i == f) print $0 }' "$tmp/csv")
	case ,$ours, in
	*,"${theirs:-none}",*) echo "ok: $f has $theirs samples for both" ;;
	*) fail "$f: perf has ${theirs:-none}, cyctop: $ours" ;;
	esac
done
exit $status
