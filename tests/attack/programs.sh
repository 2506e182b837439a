#!/bin/sh
# Programs of another user that attack who measures them: the built cyctop measures the machine, stays
# below its bound of memory, ends when it is told to, and the names of other programs are there.
#   programs.sh CYCTOP BOUNDED LOAD CODE NOTES CASE
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$1 bounded=$2 load=$3 code=$4 notes=$5 case=$6
needs_sampling "$cyctop"
chmod 755 "$tmp"
cp "$code" "$tmp/attacker"
mkdir "$tmp/theirs"
if [ "$(id -u)" = 0 ]; then
	needs setpriv
	chown 65534 "$tmp/theirs"
fi

as_other() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
	else
		"$@"
	fi
}

# attack COMMAND...: in the background, as another user, with less of the CPUs than the program whose
# names must stay; its process id is in $pid
mkfifo "$tmp/end"
exec 3<>"$tmp/end" # standard input of the attackers: they run until it ends
attack() {
	if [ "$(id -u)" = 0 ]; then
		nice -n 10 setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@" <"$tmp/end" >/dev/null 2>&1 3>&- &
	else
		nice -n 10 "$@" <"$tmp/end" >/dev/null 2>&1 3>&- &
	fi
	pid=$!
	children="$children $pid"
}

# measure ARGS...: cyctop in the background; $top is its process id
measure() {
	rm -f "$tmp/pid"
	# shellcheck disable=SC2016 # for the shell that becomes cyctop
	"$bounded" -t 600 /bin/sh -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec "$@"' "$tmp/pid" \
		"$cyctop" -b -d 1 -e cpu-clock --window total "$@" >"$tmp/out" 2>"$tmp/err" 3>&- &
	watcher=$!
	eventually test -s "$tmp/pid" || fail 'cyctop does not start'
	read -r top <"$tmp/pid"
}

# shellcheck disable=SC2317 # eventually calls it
names() { grep -q -e "$1" "$tmp/out"; }

# over: ends cyctop, and looks at how it ended
over() {
	kill -INT "$top"
	wait "$watcher" || fail "$case: $(tail -n 1 "$tmp/out")"
	[ "$(tail -n 1 "$tmp/out")" = 0 ] || fail "$case: ends with $(tail -n 1 "$tmp/out"): $(cat "$tmp/err")"
}

"$load" 3600 >/dev/null 3>&- &
children="$children $!"

# A D name of which each reference doubles what it stands for.
long_name() {
	awk 'function ref(back, s) {
			s = sprintf("%c", 97 + back % 26)
			for (back = int(back / 26); back; back = int(back / 26))
				s = sprintf("%c", 65 + back % 26) s
			return "Q" s
		}
		BEGIN {
			s = "_D1fF"
			type = length(s)
			s = s "HiAi"
			for (i = 0; i < 30; i++) {
				at = length(s)
				s = s "H"
				s = s ref(length(s) - type)
				s = s ref(length(s) - type)
				type = at
			}
			print s "Zv"
		}'
}

# attackers N: programs with code of their own that their maps, made later, may name
attackers() {
	i=0
	makers=
	while [ $i -lt "$1" ]; do
		attack "$tmp/attacker" none x
		makers="$makers $pid"
		i=$((i + 1))
	done
}
link_maps() { # FILE
	for pid in $makers; do
		maps="$maps /tmp/perf-$pid.map"
		as_other ln -f "$1" "/tmp/perf-$pid.map" || as_other cp "$1" "/tmp/perf-$pid.map"
	done
}
maps=
# shellcheck disable=SC2317 # the trap calls it
remove_maps() {
	# shellcheck disable=SC2086 # paths
	rm -f $maps
	clean_up
}
trap remove_maps EXIT

case $case in
name) # one that takes for ever to be made readable
	attack "$tmp/attacker" mprotect "$(long_name)"
	maps="/tmp/perf-$pid.map"
	measure
	eventually names '_D1f' || fail "$case: the name is not there"
	;;
escapes) # in the names of a program and of its function, in each format
	esc=$(printf '\033]2;evil\007\033[2J')
	evil="$tmp/$(printf 'e\033[31mv\033[2J')"
	cp "$code" "$evil"
	attack "$evil" mprotect "$esc,\"=evil()"
	maps="/tmp/perf-$pid.map"
	for format in text csv json; do
		if [ $format = json ] && ! "$cyctop" -b -n 1 --demo --format json >/dev/null 2>&1; then
			continue
		fi
		measure --format $format
		eventually names '=evil()' || fail "$case: the name is not in $format"
		eventually names load_sixty || fail "$case: load_sixty is not in $format"
		over
		# Nothing but printable characters and newlines
		for out in out err; do
			[ "$(tr -d '\r\n' <"$tmp/$out" | LC_ALL=C tr -d '\040-\176\200-\377' | wc -c)" = 0 ] ||
				fail "$case: control characters in $format, $out"
		done
	done
	exec 3>&-
	finish
	;;
screen) # both kinds of names on the screen, and the terminal afterwards as before
	needs tmux
	mux() {
		tmux -S "$tmp/tmux" -f /dev/null "$@"
	}
	# shellcheck disable=SC2317 # eventually calls it
	shows() { mux capture-pane -p | grep -q -e "$1"; }
	attack "$tmp/attacker" mprotect "$(long_name)"
	maps="/tmp/perf-$pid.map"
	evil="$tmp/$(printf 'e\033[2Jv\033]2;x')"
	cp "$code" "$evil"
	attack "$evil" mprotect "$(printf 'evil_begins\033]2;evil\007\033[2Jevil_ends')"
	maps="$maps /tmp/perf-$pid.map"
	LC_ALL=C.UTF-8 mux new-session -d -x 120 -y 40 "stty -g >'$tmp/before'; '$cyctop' -e cpu-clock --window total
		echo \$? >'$tmp/status'; stty -g >'$tmp/after'; : >'$tmp/over'; cat" 3>&-
	for want in _D1f evil_begins.*evil_ends load_sixty; do
		eventually shows "$want" || fail "$case: the screen lacks $want: $(mux capture-pane -p)"
	done
	[ "$(mux display-message -p '#{pane_title}')" != evil ] || fail "$case: a name sets the title of the terminal"
	mux send-keys q
	eventually test -e "$tmp/over" || fail "$case: it does not end"
	[ "$(cat "$tmp/status")" = 0 ] || fail "$case: status $(cat "$tmp/status")"
	cmp "$tmp/before" "$tmp/after" || fail "$case: the terminal is not as it was"
	[ "$(mux display-message -p '#{alternate_on}')" = 0 ] || fail "$case: the terminal shows the other screen"
	mux kill-server
	exec 3>&-
	finish
	;;
notes) # a file in which notes are read again and again
	"$notes" "$load" "$tmp/theirs/notes" || fail 'no file'
	chmod 755 "$tmp/theirs/notes"
	attack "$tmp/theirs/notes" 3600
	measure
	# the heading counts the limits that were reached: the file was read
	eventually names '| limits [1-9]' || fail "$case: no limit is reached: $(tail -n 20 "$tmp/out")"
	;;
link) # a file that names a separate debug file of 400 GB, whose checksum would be that of all of it
	needs objcopy truncate
	printf 'huge.debug\0\0\1\2\3\4' >"$tmp/section"
	objcopy --strip-all --remove-section=.gnu_debuglink --remove-section=.note.gnu.build-id \
		--add-section .gnu_debuglink="$tmp/section" "$load" "$tmp/theirs/linked" || fail 'no program'
	truncate -s 400G "$tmp/theirs/huge.debug" 2>/dev/null || skip 'no file can have 400 GB here'
	chmod 755 "$tmp/theirs/linked"
	attack "$tmp/theirs/linked" 3600
	measure
	eventually names 'linked+0x' || fail "$case: the program is not there: $(tail -n 20 "$tmp/out")"
	;;
overlaid) # a program whose path leads, where it lives, to a file that acts when it is read
	needs unshare
	mkdir "$tmp/tracing"
	unshare -m mount -t tracefs tracefs "$tmp/tracing" 2>/dev/null || skip 'tracefs cannot be mounted'
	cp "$load" "$tmp/overlaid"
	# shellcheck disable=SC2016 # for the shell in the namespace
	unshare -m sh -c '"$0" 3600 >/dev/null 3>&- &
		mount -t tracefs tracefs "$1" && mount --bind "$1/trace_pipe" "$0"
		echo $! >"$1.pid"
		wait' "$tmp/overlaid" "$tmp/tracing" 3>&- &
	children="$children $!"
	eventually test -s "$tmp/tracing.pid"
	children="$children $(cat "$tmp/tracing.pid")"
	grep -q trace_pipe "/proc/$!/mountinfo" || fail "$case: nothing is mounted"
	measure
	eventually names ' overlaid ' || fail "$case: the program is not there: $(tail -n 20 "$tmp/out")"
	;;
descriptors) # more programs with maps than descriptors
	echo '1000 10 x' >"$tmp/theirs/map"
	chown 65534 "$tmp/theirs/map" 2>/dev/null
	attackers 60
	link_maps "$tmp/theirs/map"
	# shellcheck disable=SC3045 # dash and bash have it
	ulimit -n 64
	measure
	;;
maps) # more code than may be kept, each map in a file of its own, with the name of what runs at its end
	awk 'BEGIN { for (i = 1; i <= 150000; i++) printf "%x0 10 function_number_%d_of_a_large_map\n", i, i }' \
		>"$tmp/theirs/map"
	attackers 12
	# shellcheck disable=SC2317 # eventually calls it
	runs() {
		awk '$2 == "r-xp" && NF == 5 { sub("-.*", ""); print; any = 1 } END { exit !any }' "/proc/$pid/maps"
	}
	for pid in $makers; do
		maps="$maps /tmp/perf-$pid.map"
		eventually runs >"$tmp/at" || fail "$case: no code"
		echo "$(cat "$tmp/at") 1000 code_of_$pid" | cat "$tmp/theirs/map" - >"$tmp/theirs/map.$pid"
		chmod 644 "$tmp/theirs/map.$pid"
		as_other cp "$tmp/theirs/map.$pid" "/tmp/perf-$pid.map"
	done
	measure
	for pid in $makers; do
		eventually names "code_of_$pid" || fail "$case: the code of $pid has no name"
	done
	;;
esac
eventually names load_sixty || fail "$case: load_sixty has no name: $(tail -n 50 "$tmp/out") $(cat "$tmp/err")"
over
if [ "$case" = notes ]; then
	grep -q 'limit: the notes of a file' "$tmp/err" || fail "no word of the limit: $(cat "$tmp/err")"
fi
if [ "$case" = maps ]; then
	grep -q 'limit: JIT functions of all processes' "$tmp/err" || fail "no word of the limit: $(cat "$tmp/err")"
fi
exec 3>&-
finish
