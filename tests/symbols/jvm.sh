#!/bin/sh
# The key F has a JVM write the names of its code, of a JVM in whose memory cyctop finds none: before, they are one row
# without a name; after it, each method has the name that jcmd has it write, also those that are compiled later.  Of a
# JVM of root, and of another user.
#   jvm.sh CYCTOP
set -u
cyctop=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs_root "may become the owner of a JVM"
needs tmux setpriv
needs_sampling "$cyctop"
# shellcheck source=tests/symbols/java.sh
. "$here/java.sh"
case $(java_version) in
'' | [1-9] | 1[0-6]) skip "this JVM does not know Compiler.perfmap" ;;
esac
export LC_ALL=C.UTF-8
# the same JVM with a library that has its tables under another name
home=$(realpath "$(command -v java)") && home=${home%/bin/java}
cp -rs "$home" blind || skip "no copy of the JVM"
for file in bin/java lib/server/libjvm.so; do
	cp --remove-destination "$home/$file" "blind/$file" || skip "no copy of the JVM"
done
sed -i s/gHotSpotVMStructs/gHotSpotVMstructs/g blind/lib/server/libjvm.so
blind=$tmp/blind/bin/java
"$blind" -version 2>err || skip "the copy of the JVM does not run: $(tail -n 1 err)"
screen="tmux -S $tmp/socket -f /dev/null"
made=''
# shellcheck disable=SC2086 # words
trap '$screen kill-server 2>/dev/null; rm -f $made; clean_up' EXIT

# shellcheck disable=SC2317,SC2094 # eventually calls it; it writes, then reads
shows() { # TEXT...: is it on the screen?
	$screen capture-pane -p >screen 2>/dev/null
	grep -qF -- "$*" screen
}
press() { $screen send-keys "$@"; }
share() { # NAME: the share on the screen of the functions of that name
	$screen capture-pane -p | awk -v name="$1" 'index($0, name) { sum += $1 } END { print int(sum) }'
}

# A JVM's code has no names; F says what it does; the second F does it.
check() { # WHO PREFIX...: a user, and what its programs are started by
	who=$1
	shift
	rm -f go
	: >said
	"$@" "$blind" -Xmx64m -XX:-Inline -cp "$tmp" Hot "$tmp/go" >said 2>errors </dev/null &
	java=$!
	children="$children $java"
	made="$made /tmp/perf-$java.map /tmp/.java_pid$java"
	eventually grep -q ready said || fail "$who: java does not run: $(tail -n 1 errors)"
	rm -f "/tmp/perf-$java.map"
	$screen new-session -d -x 160 -y 40 "$cyctop -e cpu-clock -d 1 -p $java 2>$tmp/cyctop.err" ||
		skip "tmux makes no terminal"
	eventually shows '[no symbol] (F: ask the JVM)' || fail "$who: the row does not name the key: $(cat screen)"
	! grep -q 'Hot\.' screen || fail "$who: names before F: $(grep 'Hot\.' screen)"
	press y
	eventually shows 'not of a version that is known' || fail "$who: y does not say why: $(cat screen)"
	tr -s '\n ' ' ' <screen | grep -q 'The key F, pressed twice' || # lines are broken somewhere
		fail "$who: y does not say what helps: $(cat screen)"
	press Escape
	helper=$(pgrep -x -P "$($screen display -p '#{pane_pid}')" cyctop-asks || pgrep -n -x cyctop-asks)
	# of all capabilities, only those to look at a process of another user and to become that user
	caps=$((0x$(sed -n 's/^CapPrm:[ \t]*//p' "/proc/$helper/status")))
	[ $((caps & ~(1 << 19 | 1 << 7 | 1 << 6))) = 0 ] || fail "the helper has capabilities $(printf '%x' $caps)"
	[ "$(readlink "/proc/$helper/fd/0")" = /dev/null ] || fail "the helper holds the terminal"
	press F
	eventually shows "F again asks java (pid $java)" || fail "$who: F says nothing: $(cat screen)"
	press j # says no
	sleep 1
	[ ! -e "/tmp/.java_pid$java" ] || fail "$who: one F sent the signal"
	press Home F
	eventually shows "F again asks java (pid $java)" || fail "$who: F says nothing: $(cat screen)"
	press F
	eventually shows "java (pid $java) wrote the names of its code" || fail "$who: no answer: $(cat screen)"
	eventually shows 'Hot.hotMethod(int)' || fail "$who: no name after F: $(cat screen)"
	eventually shows 'Hot.warmMethod(int)' || fail "$who: no name after F: $(cat screen)"
	[ ! -e "/tmp/.attach_pid$java" ] || fail "$who: the file that asks is left behind"
	! grep -q 'Full thread dump' said errors || fail "$who: it printed its threads"
	owner=$(stat -c %U "/tmp/perf-$java.map")
	[ "$owner" = "$who" ] || fail "$who: the map is $owner's"

	# code that is made later has a name without a key
	: >go
	eventually shows 'Hot.lateMethod(int)' || fail "$who: no name of what was compiled later: $(cat screen)"
	[ "$(share Hot.)" -ge 80 ] || fail "$who: methods with names have $(share Hot.) %: $(cat screen)"

	# the names are those that jcmd has it write
	sleep 6 # all samples of the window are of named code
	"$cyctop" -b -n 1 -d 2 -e cpu-clock -p "$java" --sort comm,dso,symbol --format csv 2>err |
		grep -F '[JIT]' | sed 's/^[^[]*\[JIT\] [^,]*,//; s/^"\([^"]*\)".*/\1/; s/,[^,()]*$//' >named
	grep -q 'Hot.hotMethod(int)' named || fail "$who: no batch output: $(tail -n 1 err)"
	if command -v jcmd >/dev/null; then
		"$@" jcmd "$java" Compiler.perfmap >err 2>&1 || fail "$who: jcmd: $(tail -n 1 err)"
	fi
	for name in hotMethod warmMethod lateMethod; do
		grep -q " .*Hot.$name(int)$" "/tmp/perf-$java.map" || fail "$who: the map lacks $name"
		whole=$(sed -n "s/^[0-9a-fx]* [0-9a-fx]* \\(.*Hot.$name(int)\\)\$/\\1/p" "/tmp/perf-$java.map" |
			head -n 1)
		grep -qF "$whole" named || fail "$who: jcmd has $whole, cyctop: $(grep "$name" named)"
	done
	press q
	$screen kill-server 2>/dev/null
	kill -0 "$java" || fail "$who: java has ended"
	kill "$java"
	wait "$java" 2>/dev/null
	eventually is_gone "$helper" || fail "the helper outlives cyctop"
}
check root env
# shellcheck disable=SC2154,SC2086 # of java.sh; words
[ -z "$as_other" ] || check "$other" $as_other
finish
