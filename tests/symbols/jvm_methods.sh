#!/bin/sh
# The code of a running JVM, read from its memory: the addresses, sizes and names that jcmd has it write.  With nothing
# set, cyctop names at least 98 of 100 samples in user space, live and in a recording after the JVM ended; of each JDK
# that is installed; of root and of another user; of threads that run compiled, interpreted and native code; in
# namespaces of its own.
#   jvm_methods.sh CYCTOP JVM_METHODS
set -u
cyctop=$(realpath "$1") methods=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs_root "may read the memory of any process"
needs setpriv
# shellcheck source=tests/symbols/java.sh
. "$here/java.sh"
javac -d . "$here/programs/Mix.java" 2>err || skip "no Java program: $(tail -n 1 err)"
[ -n "$(jvm_homes)" ] || skip "jcmd is not installed"
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

named() { # WHAT TABLE SYMBOL...: a table of modes, DSOs, symbols; each of the symbols has a part of the samples
	what=$1 table=$2
	shift 2
	awk -F, '$4 == "user" {
			n = $(NF - 2); all += n
			if (/[[]no symbol]|[[]loading]|[[]unknown]|,0x[0-9a-f]*,|[+]0x[0-9a-f]*]/) without += n
		}
		END { # one in 10^5 runs has so many more than 2 of 100
			if (without > all * 0.02 + 4.3 * sqrt(all * 0.02)) print "no name for " without " of " all
			if (all < 100) print "only " all " samples"
		}' "$table" >why
	[ ! -s why ] || fail "$what: $(cat why): $(head -n 4 "$table")"
	for symbol; do
		awk -F, -v symbol="$symbol" '$4 == "user" { all += $(NF - 2); if (index($0, symbol)) n += $(NF - 2) }
			END { exit n < all * 0.1 }' "$table" || fail "$what: too few of $symbol: $(head -n 5 "$table")"
	done
}

measure() { # PID TABLE
	"$cyctop" -b -n 1 -d 4 -e cpu-clock -p "$1" --sort mode,dso,symbol --format csv >"$2" 2>err ||
		fail "$who: $(tail -n 1 err)"
}

start() { # COMMAND...: waits until the program says that it is ready; its pid is in $java
	: >said
	"$@" >said 2>errors </dev/null &
	java=$!
	children="$children $java"
	eventually grep -q ready said || fail "$who: java does not run: $(tail -n 1 errors)"
}

end() {
	kill -0 "$java" || fail "$who: java has ended"
	kill "$java"
	wait "$java" 2>/dev/null
}

check() { # WHO PREFIX...: a user, and what its programs are started by
	who="$1, $version"
	shift
	start "$@" java -Xmx64m -XX:-Inline -cp "$tmp" Hot "$tmp/go"
	maps="$maps /tmp/perf-$java.map"
	measure "$java" live
	named "$who, live" live 'int Hot.hotMethod(int)'
	[ ! -e "/tmp/perf-$java.map" ] || fail "$who: somebody asked the JVM"
	"$cyctop" -b -n 1 -d 1 -e cpu-clock -p "$java" --format json 2>err | grep -q '"origin":"jvm"' ||
		fail "$who: no name is from its memory: $(tail -n 1 err)"
	"$cyctop" record -e cpu-clock --duration 3 -p "$java" -o run.data 2>err || fail "$who: $(tail -n 1 err)"
	if [ "$version" -ge 17 ]; then # older ones do not know Compiler.perfmap
		eventually equal "$@" ||
			fail "$who: not what jcmd has it write: $(diff ours theirs | head -n 5) $(tail -n 1 err)"
		grep -q ' int Hot.hotMethod(int)$' ours || fail "$who: no method: $(head -n 3 ours)"
	fi
	end
	rm -f "/tmp/perf-$java.map"
	"$cyctop" -b -i run.data --sort mode,dso,symbol --format csv >recorded 2>err
	named "$who, recorded" recorded 'int Hot.hotMethod(int)'
	echo "$who: $(cat cost)"
}

# Methods that are never compiled are in the one piece of code that interprets.
mixed() {
	who="threads, $version"
	start java -Xmx64m -XX:-Inline -XX:CompileCommand=quiet -XX:CompileCommand=exclude,Mix.interpreted \
		-cp "$tmp" Mix
	measure "$java" table
	named "$who" table 'int Mix.compiled(int)' '[JIT] java,Interpreter,' /libjvm.so,
	end
}

# Where its pid and its files are others than outside.
inside() {
	who="namespaces, $version"
	if ! unshare -m -p -f --mount-proc true 2>err; then
		echo "$who: not tested: $(cat err)"
		return
	fi
	start unshare -m -p -f --mount-proc java -Xmx64m -XX:-Inline -cp "$tmp" Hot "$tmp/go"
	within=$(pgrep -P "$java" java)
	children="$children $within" # unshare does not end when it is told to
	measure "$within" table
	named "$who" table 'int Hot.hotMethod(int)'
	kill -9 "$within" || fail "$who: java has ended"
	wait "$java" 2>/dev/null
}

path=$PATH
for home in $(jvm_homes); do
	PATH=$home/bin:$path
	version=$(java_version)
	java -cp "$tmp" Hot 2>&1 | grep -q UnsupportedClassVersion && continue # older than javac
	check root env
	# shellcheck disable=SC2154,SC2086 # of java.sh; words
	[ -z "$as_other" ] || check "$other" $as_other
	mixed
	inside
done
finish
