#!/bin/sh
# The key w writes the last moments to a recording, which perf and cyctop read alike.  The screen
# does not wait for slow files meanwhile.
#   test_moment.sh CYCTOP LOAD SLOW_PROC CODE
set -eu
cyctop=$(realpath "$1") load=$(realpath "$2") slow_proc=$(realpath "$3") code=$(realpath "$4")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs tmux
needs_perf
export LC_ALL=C.UTF-8
mux() {
	tmux -S "$tmp/tmux" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null || :; clean_up' EXIT
# shellcheck disable=SC2317 # `eventually` calls it
shows() {
	mux capture-pane -p >screen
	grep -q "$1" screen
}

# The load begins before cyctop, and ends before w is pressed, so that /proc no longer shows it.
start "$load" 3600 >/dev/null
mkdir dir
mux new-session -d -x 110 -y 30 -c "$tmp/dir" "exec '$cyctop'"
mkfifo until
"$code" mprotect made_before <until 2>/dev/null &
maker=$! children="$children $!"
exec 3>until # not before the terminal begins, which would keep it open
eventually shows load_sixty || fail "the load is not on the screen"
uses "$pid" 2000
eventually shows made_before || fail "JIT code is not on the screen"
exec 3>&- # it removes its perf map at its end
wait "$maker"
end "$pid"
mux send-keys w
eventually shows 'samples of the last' || fail "nothing was written"
mux send-keys q
file=$(ls dir/cyctop-*.data) || {
	cat screen
	exit 1
}
grep -q "samples of the last .* s are in $tmp/dir" screen || fail "the screen does not say where"
[ "$(stat -c %a "$file")" = 600 ] || fail "others may read the file"
perf report -i "$file" --stdio -q -n --sort symbol -g none >theirs.txt 2>err || fail "perf does not read it"
[ ! -s err ] || fail "perf warns: $(head -3 err)"
"$cyctop" -b -i "$file" --sort symbol --format csv >ours.txt || fail "cyctop does not read it"
[ "$("$cyctop" dump "$file" | grep -c ' type=READ .*{pid=-1 tid=-1 ')" -gt 1 ] || fail "it has no counts"
grep -q ',made_before,' ours.txt || fail "JIT code lost its name: $(grep -c . ours.txt)"
for f in load_sixty load_thirty load_ten load_twenty load_eighty; do
	theirs=$(awk -v f=$f '{ for (i = 1; i <= NF; i++) if ($i == f) print $2 }' theirs.txt)
	ours=$(awk -F, -v f=$f '{ for (i = 1; i <= NF; i++) if ($i == f) print $0 }' ours.txt)
	case ,$ours, in
	*,"${theirs:-none}",*) echo "ok: $f has $theirs samples for both" ;;
	*) fail "$f: perf has ${theirs:-none}, cyctop: $ours" ;;
	esac
done

# While /proc, or where a file is written, does not answer the screen does, and the next w says why it does
# nothing.
slow() { # DIRECTORY KEY
	mkdir "$1"
	mux new-session -d -x 110 -y 30 -c "$tmp/$1" \
		"SLOW_PROC=$tmp/$1/slow LD_PRELOAD=$slow_proc ASAN_OPTIONS=verify_asan_link_order=0 '$cyctop' 2>said
		echo \$? >status"
	eventually shows 'Quit' || fail "no screen: $(cat screen)"
	: >"$1/slow"
	mux send-keys "$2"
	eventually shows 'Writing' || fail "the screen does not say that it writes: $(cat screen)"
}
slow late w
mux send-keys h
eventually shows 'Keys' || fail "the screen waits for /proc: $(cat screen)"
mux send-keys Escape
eventually shows 'Quit' || fail "the screen waits for /proc: $(cat screen)"
mux send-keys w
eventually shows 'Still writing' || fail "a second w: $(cat screen)"
rm late/slow
eventually shows 'samples of the last' || fail "nothing was written: $(cat screen)"
mux send-keys q
eventually test -s late/status || fail 'it does not end'
[ "$(cat late/status)" = 0 ] || fail "status $(cat late/status)"
"$cyctop" -b -i late/cyctop-*.data --sort symbol >/dev/null || fail "what was written late cannot be read"

slow rows P
mux send-keys h
eventually shows 'Keys' || fail "the screen waits for a file: $(cat screen)"
mux send-keys Escape
mux send-keys w
eventually shows 'Still writing' || fail "w beside P: $(cat screen)"
rm rows/slow
eventually shows 'All rows of the panes are in' || fail "nothing was written: $(cat screen)"
mux send-keys q
eventually test -s rows/status || fail 'it does not end'
grep -q 'SAMPLES' rows/cyctop-*.txt || fail "no rows: $(head rows/cyctop-*.txt)"

# It does not keep the program from ending, which says so.
slow never w
mux send-keys q
eventually test -s never/status || fail 'it does not end while /proc does not answer'
grep -q 'file was not finished' never/said || fail "no word of it: $(cat never/said)"
rm never/slow
finish
