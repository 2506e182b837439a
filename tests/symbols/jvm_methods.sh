#!/bin/sh
# The code of a running JVM, read from its memory: the addresses, sizes and names that jcmd has it write.
#   jvm_methods.sh JVM_METHODS
set -u
methods=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs_root "may read the memory of any process"
needs java javac jcmd nm
case $(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') in
17) ;;
*) skip "the layout of this JVM's tables is not read yet" ;;
esac
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
cd "$tmp" || exit 1
javac -d . "$here/programs/Hot.java" 2>err || skip "no Java program: $(tail -n 1 err)"
java -Xmx64m -XX:-Inline -cp "$tmp" Hot "$tmp/go" >said 2>errors &
java=$!
children="$children $java"
trap 'rm -f "/tmp/perf-$java.map"; clean_up' EXIT
eventually grep -q ready said || fail "java does not run: $(tail -n 1 errors)"
library=$(awk '/libjvm[.]so/ { print $6; exit }' "/proc/$java/maps")
base=$(sed -n 's/^\([0-9a-f]*\)-.*libjvm[.]so$/\1/p' "/proc/$java/maps" | head -n 1)

# shellcheck disable=SC2317 # eventually calls it
equal() { # what was compiled between the two readings is tried again
	nm -D "$library" | "$methods" "$java" "$base" | sort >ours
	jcmd "$java" Compiler.perfmap >err 2>&1 || return 1
	sort "/tmp/perf-$java.map" >theirs
	cmp -s ours theirs
}
eventually equal || fail "not what jcmd has it write: $(diff ours theirs | head -n 5) $(tail -n 1 err)"
grep -q ' int Hot.hotMethod(int)$' ours || fail "no method: $(head -n 3 ours)"
kill -0 "$java" || fail "java has ended"
finish
