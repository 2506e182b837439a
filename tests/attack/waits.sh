#!/bin/sh
# Files that make the reader wait when it opens or reads them: SIGINT and SIGTERM end the program
# within two seconds.
#   waits.sh CYCTOP BOUNDED ENDLESS
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$1 bounded=$2 endless=$3
mkfifo "$tmp/fifo" "$tmp/silent" "$tmp/begun" "$tmp/endless"
tail -f /dev/null >"$tmp/silent" & # a writer that writes nothing
children="$children $!"

# ended SIGNAL WHAT ARGS...: checks that cyctop ends within two seconds after the signal, in one of three tries
ended() {
	signal=$1 what=$2
	shift 2
	for try in 1 2 3; do
		case $* in
		*begun*) "$endless" 100 >"$tmp/begun" & ;;
		*endless*) "$endless" >"$tmp/endless" & ;;
		*) sleep 0 & ;;
		esac
		writer=$!
		"$bounded" -s "$signal" -a 1 "$cyctop" "$@" </dev/null >"$tmp/out" 2>"$tmp/err"
		rc=$?
		kill "$writer" 2>/dev/null
		[ $rc = 3 ] || break
	done
	[ "$rc" = 0 ] || fail "$what, $signal: $(tail -n 1 "$tmp/out") (try $try)"
}

for signal in INT TERM; do
	for file in fifo silent begun; do
		ended "$signal" "a report of the FIFO '$file'" -b -i "$tmp/$file"
		ended "$signal" "rows of the FIFO '$file'" -b --speed 1 -i "$tmp/$file"
		ended "$signal" "a copy of the FIFO '$file'" record -i "$tmp/$file" -o "$tmp/copy.data"
		ended "$signal" "a dump of the FIFO '$file'" dump "$tmp/$file"
		rm -f "$tmp/copy.data"
	done
	for file in fifo silent; do
		ended "$signal" "a script from the FIFO '$file'" -b --demo="$tmp/$file"
	done
	ended "$signal" 'a report that takes long' -b --sort symbol -i "$tmp/endless"
	ended "$signal" 'a copy that takes long' record -i "$tmp/endless" -o "$tmp/copy.data"
	rm -f "$tmp/copy.data"
done

# Background commands of a shell ignore SIGINT, but who sends it to them means them.
for how in -b\ --demo= 'dump ' -b\ -i; do
	for try in 1 2 3; do
		# shellcheck disable=SC2086 # words
		"$bounded" -s INT -a 1 /bin/sh -c "trap '' INT TERM; exec \"\$@\"" sh "$cyctop" $how"$tmp/fifo" \
			</dev/null >"$tmp/out" 2>"$tmp/err"
		rc=$?
		[ $rc = 3 ] || break
	done
	[ "$rc" = 0 ] || fail "$how, SIGINT was ignored: $(tail -n 1 "$tmp/out") (try $try)"
done

# What reads the output waits itself: the FIFO is full, and has a reader that does not read.
mkfifo "$tmp/full"
tail -f /dev/null 3<>"$tmp/full" &
children="$children $!"
dd if=/dev/zero of="$tmp/full" bs=65536 count=64 oflag=nonblock conv=notrunc 2>"$tmp/err"

# stuck SIGNAL STREAM WHAT ARGS...: checks that cyctop ends within two seconds while that stream, 1 or 2, is full
stuck() {
	signal=$1 stream=$2 what=$3
	shift 3
	for try in 1 2 3; do
		"$bounded" -s "$signal" -a 1 /bin/sh -c "exec \"\$@\" $stream>\"\$0\"" "$tmp/full" "$cyctop" "$@" \
			</dev/null >"$tmp/out" 2>"$tmp/err"
		rc=$?
		[ $rc = 3 ] || break
	done
	[ "$rc" = 0 ] || fail "$what, nobody reads stream $stream, $signal: $(tail -n 1 "$tmp/out") (try $try)"
}
"$cyctop" -b --demo -n 2 -d 0.2 --format snapshot >"$tmp/snapshot" 2>"$tmp/err"
"$cyctop" -b --demo -n 3 -d 0.2 --format snapshot >"$tmp/snapshot3" 2>"$tmp/err"
"$endless" 100 >"$tmp/begun" &
writer=$!
timeout 1 cat "$tmp/begun" >"$tmp/recording"
kill "$writer" 2>/dev/null
for signal in INT TERM; do
	for format in text csv json snapshot; do
		stuck "$signal" 1 "a report as $format" -b --demo -n 2 -d 0.2 --format $format
		stuck "$signal" 1 "a report as $format, until interrupted" -b --demo -d 0.2 --format $format
	done
	for format in text csv json; do
		stuck "$signal" 1 "a comparison as $format" diff "$tmp/snapshot" "$tmp/snapshot3" \
			--format $format
		stuck "$signal" 1 "commands compared as $format" compare -r 2 --format $format -- true --- true
		stuck "$signal" 1 "commands compared into a FIFO" compare -r 2 --format $format -o /dev/stdout \
			-- true --- true
	done
	stuck "$signal" 1 'a snapshot into a FIFO' -b --demo -n 2 -d 0.2 --format snapshot -o /dev/stdout
	stuck "$signal" 1 'a dump' dump "$tmp/recording"
	stuck "$signal" 1 'a copy' record -i "$tmp/recording" -o -
	stuck "$signal" 1 'help' --help
	stuck "$signal" 2 'messages' -b --demo -n 1 --comm no-such-command
	stuck "$signal" 2 'messages of a comparison' diff "$tmp/snapshot" /dev/null
	stuck "$signal" 2 'messages of a copy' record -i /dev/null -o "$tmp/none"
done

# Other signals do not end the wait for a pipe: what comes after them is read.
"$endless" 100 >"$tmp/begun" &
writer=$!
"$cyctop" -b -i - <"$tmp/begun" >"$tmp/out" 2>"$tmp/err" &
pid=$!
children="$children $writer $pid"
# shellcheck disable=SC2317 # eventually calls it
has_blocked() { grep -q '^SigBlk:.*[1-9a-f]' "/proc/$pid/status"; }
eventually has_blocked || fail 'the reader does not start'
kill -WINCH $pid
kill -STOP $pid
kill -CONT $pid
kill -WINCH $pid
kill $writer
wait $pid || fail "a pipe, after SIGWINCH and SIGCONT: $(cat "$tmp/err")"
grep -q 'SAMPLES' "$tmp/out" || fail "a pipe, after SIGWINCH and SIGCONT: $(cat "$tmp/out")"
finish
