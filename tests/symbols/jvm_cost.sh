#!/bin/sh
# What it costs cyctop to read the memory of a JVM with more than 5,000 pieces of code, of which none is new: less than
# 50 ms of CPU time in a minute, of all threads but the first, which draws.
#   jvm_cost.sh CYCTOP JVM_METHODS
set -u
cyctop=$(realpath "$1") methods=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
needs_root "may read the memory of any process"
# shellcheck source=tests/symbols/java.sh
. "$here/java.sh"
needs_sampling "$cyctop"

awk 'BEGIN {
	print "public class Many {\n static int sink;\n public static void main(String[] a) {"
	print "  for (long end = System.currentTimeMillis() + 900000; System.currentTimeMillis() < end; ) {"
	for (c = 0; c < 50; c++) printf "   sink = Many%d.all(sink);\n", c
	print "  }\n }\n}"
	for (c = 0; c < 50; c++) {
		printf "class Many%d {\n", c
		for (m = 0; m < 100; m++) printf " static int m%d(int x) { return x * %d + %d; }\n", m, m * 2 + 3, c
		print " static int all(int x) {"
		for (m = 0; m < 100; m++) printf "  x = m%d(x);\n", m
		print "  return x;\n }\n}"
	}
}' >Many.java
javac -d . Many.java 2>err || skip "no Java program: $(tail -n 1 err)"
java -Xmx64m -XX:-Inline -XX:TieredStopAtLevel=1 -cp . Many 2>errors </dev/null &
java=$!
children="$children $java"

# shellcheck disable=SC2317 # eventually calls it
settled() { # two readings, a second after the other, found the same
	"$methods" "$java" 2>/dev/null >now
	cmp -s now before && [ "$(wc -l <now)" -gt 5000 ] && return
	mv now before
	sleep 1
	return 1
}
: >before
eventually settled || fail "its methods are not compiled: $(wc -l <before) $(tail -n 1 errors)"
"$cyctop" -b -d 1 -e cpu-clock -p "$java" --sort symbol --format csv >table 2>err &
cyctop_pid=$!
children="$children $cyctop_pid"
# shellcheck disable=SC2317 # eventually calls it
listed() { grep -q 'int Many[0-9]*.m[0-9]*(int)' table; }
eventually listed || fail "no method has a name: $(tail -n 1 err)"
sleep 12 # the first reading, and the next

others_ns() { # of all threads but the first
	echo $(($(cpu_ns "$cyctop_pid") - $(cut -d ' ' -f 1 "/proc/$cyctop_pid/schedstat")))
}
before=$(others_ns)
sleep 60
spent=$((($(others_ns) - before) / 1000000))
kill -0 "$cyctop_pid" || fail "cyctop has ended: $(tail -n 1 err)"
[ "$spent" -lt 50 ] || fail "reading the JVM took $spent ms of CPU time in a minute"
echo "reading the JVM took $spent ms of CPU time in a minute, of $(wc -l <now) pieces of code"
finish
