#!/bin/sh
# cyctop probe: calls are as many as a program makes, take what it measures itself, and are left if they never return;
# nothing is probed that would take too much, and nothing is left of a killed cyctop.
#   test_probed.sh CYCTOP
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "sets probes"
needs cc jq
[ -d /sys/bus/event_source/devices/uprobe ] || skip "no PMU uprobe"
"$cyctop" --demo -n 1 --format json >/dev/null 2>&1 || skip "this build writes no JSON"
# ./p WHAT [FILE]: does WHAT, when the file is there.  Its status is 1 if hit() begins with a breakpoint of x86.
cat >p.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define APART __attribute__((noinline))
static jmp_buf out;
APART int hit(int n) { __asm__ volatile(""); return n ? hit(n - 1) + 1 : 0; }
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
static double own_ns;
APART void spin(void) { long b = now(), e = b + 10000, t; while ((t = now()) < e); own_ns += t - b; }
APART void inner(int leave) { __asm__ volatile(""); if (leave) longjmp(out, 1); }
APART void outer(int leave) { if (!setjmp(out)) inner(leave); __asm__ volatile(""); }
APART void jumper(void) { inner(1); __asm__ volatile(""); }
APART void handler(int signal) { __asm__ volatile("" : : "r"(signal)); }
APART void touch(volatile char *page) { *page = 1; }
static char pages[64][65536];
static void *run(void *p)
{
	for (int i = 0; i < 35088; i++)
		hit(i % 8 ? 0 : 49);
	return p;
}
static void threads(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
}
static void odd(void)
{
	for (int i = 0; i < 200; i++)
		outer(i % 2);
	for (int i = 0; i < 200; i++)
		if (!setjmp(out))
			jumper();
	signal(SIGUSR1, handler);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	for (int i = 0; i < 64; i++)
		touch(pages[i] + 32768);
}
int main(int argc, char **argv)
{
	unsigned char first;
	while (argc > 2 && access(argv[2], F_OK) != 0)
		usleep(20000);
	if (*argv[1] == 't')
		threads();
	for (int i = 0; *argv[1] == 's' && i < 2000; i++)
		spin();
	if (*argv[1] == 'o')
		odd();
	while (*argv[1] == 'h')
		hit(0);
	if (*argv[1] == 's')
		printf("%.0f\n", own_ns / 2000);
	memcpy(&first, (void *)hit, 1);
	return first == 0xcc;
}
END
cc -O1 -fno-optimize-sibling-calls -pthread -o p p.c || skip "no compiler"

# probe WHAT OPTION...: the calls of ./p WHAT, as JSON in "out"
# shellcheck disable=SC2317 # eventually() calls it
is_set() { # have the probes been set?
	grep -q 'the probes are set' err
}
# shellcheck disable=SC2317 # eventually() calls it
runs() { # PID: does it run the program?
	[ "$(readlink "/proc/$1/exe")" = "$(realpath p)" ]
}
probe() {
	rm -f go
	start ./p "$1" "$tmp/go" >said
	program=$pid
	shift
	eventually runs "$program"
	start "$cyctop" probe --max-overhead 0 --format json "$@" -p "$program" >out 2>err
	monitor=$pid
	eventually is_set || fail "nothing is probed: $(cat err)"
	: >go
	wait "$program"
	wait "$monitor" || fail "$*: status $?: $(cat err)"
}
value() { # FUNCTION NAME
	jq -r --arg f "$1" ".functions[] | select(.symbol == \$f) | $2" out
}
expect() { # FUNCTION NAME VALUE
	[ "$(value "$1" "$2")" = "$3" ] || fail "$1: $2 is $(value "$1" "$2"), not $3; $(cat err)"
}

probe threads hit
expect hit .calls 1000008 # 4 threads, of 8 calls one 50 deep
expect hit .outermost 140352
expect hit .left 0
expect hit '[.histogram[][1]] | add' 1000008

# Both measure the same, unless the machine lets only one of them wait.
# shellcheck disable=SC2317 # eventually() calls it
is_near() {
	tries=$((tries + 1))
	[ "$tries" -lt 6 ] || return 0
	probe spin spin
	jq -e --argjson own "$(cat said)" '.functions[0].call_ns / $own | . > 0.95 and . < 1.05' out >/dev/null
}
tries=0
eventually is_near
[ "$tries" -lt 6 ] || fail "a call of spin: $(value spin .call_ns) ns; by itself $(cat said) ns"
grep -q 'a probed one takes [0-9.]* us more, of which [0-9.]* (+-[0-9.]*) are in its own time' err ||
	fail "the cost is not said: $(cat err)"

probe odd outer inner jumper handler touch -e page-faults
expect outer '"\(.calls) \(.left)"' "200 0"
expect inner '"\(.calls) \(.left) \(.outermost)"' "400 300 100"
expect jumper '"\(.calls) \(.left)"' "200 200"
expect handler '"\(.calls) \(.left)"' "20 0"
expect touch '.events["page-faults"].self' 64
expect touch '.events["page-faults"].histogram | tojson' '[[1,64]]'
[ "$(jq -c '[.callers[] | select(.callee == "inner" and .caller == "outer").calls] | add' out)" = 100 ] ||
	fail "callers: $(jq -c .callers out)"

# What fails while the cost is measured is told of the function that was named, not of the one that it is measured on.
if command -v prlimit >/dev/null; then
	prlimit --nofile=12 "$cyctop" probe "$PWD/p:hit" -n 1 >out 2>err && fail "probes with too few files"
	grep -q '^cyctop: \(probes\|hit\|hit%return\): EMFILE: RLIMIT_NOFILE' err || fail "too few files: $(cat err)"
fi

"$cyctop" probe spin touch --max-overhead 0 -e page-faults --histogram -- ./p odd >out 2>err
grep -q '^touch (p): 64 calls by their time' out || fail "no histogram of times: $(cat out)"
awk '/^touch .*: 64 calls by their page-faults/ { of = NR } of && NR == of + 2 {
	exit !($1 == 1 && $2 == 2 && $3 > 60) }' out || # a page of code may be new, too
	fail "no histogram of faults: $(cat out)"

# By its place in the file, without a name; in tables of intervals; of all processes
offset=$(nm p | awk '$3 == "spin" { print "0x" $1 }')
strip -o stripped p
start "$cyctop" probe "$tmp/stripped:$offset" -a --max-overhead 0 -d 0.3 -n 4 --format json >out 2>err
eventually is_set
./stripped s >said
wait "$pid" || fail "of all processes: status $?"
[ "$(jq -s 'length' out)" = 4 ] || fail "$(wc -l <out) tables"
jq -se 'all(.seconds > 0.25 and .seconds < 3)' out >/dev/null || fail "seconds: $(jq .seconds out)"
[ "$(jq -s '[.[].functions[].calls] | add' out)" = 2000 ] || fail "by its offset: $(cat out err)"

# What would take too much is not probed, and what is killed leaves nothing.
start ./p hot
program=$pid
eventually runs "$program"
"$cyctop" probe -p "$program" hit >out 2>err
[ $? = 3 ] || fail "the status is not 3"
grep -q 'more than --max-overhead: nothing is probed' err || fail "too much: $(cat err)"
start "$cyctop" probe -p "$program" hit --max-overhead 0 >out 2>err
eventually is_set
./p nothing
[ $? = 1 ] || [ "$(uname -m)" != x86_64 ] || fail "no probe was set"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
eventually ./p nothing || fail "a probe is left after SIGKILL"
[ -z "$(cat /sys/kernel/tracing/uprobe_events 2>/dev/null)" ] || fail "uprobe_events is not empty"
"$cyctop" probe -p "$program" hti 2>err && fail "hti is taken"
grep -q "'hit' is one" err || fail "hti: $(cat err)"
end "$program"

# Returns that an exception would have to pass are not probed: it would end the program.
if command -v c++ >/dev/null; then
	cat >e.cc <<'END'
extern "C" __attribute__((noinline)) void thrower(int n)
{
	if (!n)
		throw 1;
	thrower(n - 1);
	__asm__ volatile("");
}
int main(void)
{
	try {
		thrower(4);
	} catch (int) {
		return 7;
	}
	return 1;
}
END
	c++ -O1 -o e e.cc || fail "c++"
	"$cyctop" probe thrower --format json -- ./e >out 2>err
	status=$?
	[ "$status" = 7 ] || fail "an exception: status $status"
	expect thrower '"\(.calls) \(.left) \(.outermost)"' "5 0 0"
	grep -q 'of C++ or Rust' err || fail "C++: $(cat err)"
fi

# Returns of a Go program are not probed: it would crash.
if command -v go >/dev/null; then
	mkdir -p g && cat >g/main.go <<'END'
package main

import "fmt"

//go:noinline
func Deep(n int) int {
	var room [128]int
	if n == 0 {
		return room[0]
	}
	room[n%128] = n
	return Deep(n-1) + room[n%128]
}

func main() {
	c := make(chan int)
	for i := 0; i < 8; i++ {
		go func() { c <- Deep(1000) }()
	}
	sum := 0
	for i := 0; i < 8; i++ {
		sum += <-c
	}
	fmt.Println(sum)
}
END
	(cd g && HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off go build -o ../goes main.go) || fail "go build"
	start "$cyctop" probe "$tmp/goes:main.Deep" -a --max-overhead 0 --format json >out 2>err
	monitor=$pid
	eventually is_set
	./goes >said || fail "the Go program ended with status $?"
	kill -INT "$monitor"
	wait "$monitor"
	expect main.Deep '"\(.calls >= 8008 and .calls < 8200) \(.left) \(.outermost)"' "true 0 0" # some begin twice
	grep -q 'Go program: Go moves stacks' err || fail "Go: $(cat err)"

	# A stripped program's function is probed by its address, which is that in the program with its symbols.
	(cd g && HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off go build -ldflags='-s -w' -o ../stripped main.go)
	address=$(nm goes | awk '$3 == "main.Deep" { print $1 }')
	first=$(readelf -lW goes | awk '$1 == "LOAD" && $2 == "0x000000" { print $3 }')
	at=$(printf '0x%x' $((0x$address - first)))
	"$cyctop" probe "$tmp/stripped:$at" --format json -- ./stripped >out 2>err || fail "stripped: $(cat err)"
	expect "$at" '"\(.calls >= 8008 and .calls < 8200) \(.left) \(.outermost)"' "true 0 0"
fi
finish
