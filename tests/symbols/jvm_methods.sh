#!/bin/sh
# The code of a running JVM, read from its memory: the addresses, sizes and names that jcmd has it write.  With nothing
# set, cyctop names at least 98 of 100 samples in user space, live and in a recording after the JVM ended; of a JVM of
# root, and of another user.
#   jvm_methods.sh CYCTOP JVM_METHODS
set -u
cyctop=$(realpath "$1") methods=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs_root "may read the memory of any process"
needs jcmd setpriv
# shellcheck source=tests/symbols/java.sh
. "$here/java.sh"
case $(java_version) in
17) ;;
*) skip "the layout of this JVM's tables is not read yet" ;;
esac
needs_sampling "$cyctop"
maps=
# shellcheck disable=SC2086 # words
trap 'rm -f $maps; clean_up' EXIT

# shellcheck disable=SC2317 # eventually calls it
equal() { # what was compiled between the two readings is tried again
	"$methods" "$java" 2>cost | sort >ours
	"$@" jcmd "$java" Compiler.perfmap >err 2>&1 || return 1
	sort "/tmp/perf-$java.map" >theirs
	cmp -s ours theirs
}

named() { # WHAT TABLE: a table of modes, DSOs, symbols
	awk -F, -v what="$1" '$4 == "user" {
			n = $(NF - 2); all += n
			if (/[[]no symbol]|[[]loading]|[[]unknown]|,0x[0-9a-f]*,/) without += n
			hot += /int Hot[.]hotMethod[(]int[)]/ ? n : 0
		}
		END {
			if (!hot) print what ": no sample of the hottest method"
			# one in 10^5 runs has so many more than 2 of 100
			if (without > all * 0.02 + 4.3 * sqrt(all * 0.02))
				print what ": no name for " without " of " all
		}' "$2" >why
	[ ! -s why ] || fail "$(cat why): $(head -n 4 "$2")"
}

check() { # WHO PREFIX...: a user, and what its programs are started by
	who=$1
	shift
	: >said
	"$@" java -Xmx64m -XX:-Inline -cp "$tmp" Hot "$tmp/go" >said 2>errors </dev/null &
	java=$!
	children="$children $java" maps="$maps /tmp/perf-$java.map"
	eventually grep -q ready said || fail "$who: java does not run: $(tail -n 1 errors)"
	"$cyctop" -b -n 1 -d 4 -e cpu-clock -p "$java" --sort mode,dso,symbol --format csv >live 2>err ||
		fail "$who: $(tail -n 1 err)"
	named "$who, live" live
	[ ! -e "/tmp/perf-$java.map" ] || fail "$who: somebody asked the JVM"
	"$cyctop" -b -n 1 -d 1 -e cpu-clock -p "$java" --format json 2>err | grep -q '"origin":"jvm"' ||
		fail "$who: no name is from its memory: $(tail -n 1 err)"
	"$cyctop" record -e cpu-clock --duration 3 -p "$java" -o run.data 2>err || fail "$who: $(tail -n 1 err)"
	eventually equal "$@" ||
		fail "$who: not what jcmd has it write: $(diff ours theirs | head -n 5) $(tail -n 1 err)"
	grep -q ' int Hot.hotMethod(int)$' ours || fail "$who: no method: $(head -n 3 ours)"
	kill -0 "$java" || fail "$who: java has ended"
	kill "$java"
	wait "$java" 2>/dev/null
	rm -f "/tmp/perf-$java.map"
	"$cyctop" -b -i run.data --sort mode,dso,symbol --format csv >recorded 2>err
	named "$who, recorded" recorded
	echo "$who: $(cat cost)"
}
check root env
# shellcheck disable=SC2154,SC2086 # of java.sh; words
[ -z "$as_other" ] || check "$other" $as_other
finish
