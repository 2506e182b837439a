#!/bin/sh
# Downloads from debuginfod servers with the key F, on a real terminal: a stripped program, a real
# server with its debug file, and servers that are slow, silent or wrong.
#
#   fetch.sh CYCTOP BADSERVER CASE...
set -u

cyctop=$(realpath "$1")
badserver=$(realpath "$2")
cc=${CC:-cc}
shift 2
case=start
# shellcheck source=tests/pty/terminal.sh
. "$(dirname "$0")/terminal.sh"

for tool in "$cc" debuginfod objcopy strip; do
	command -v "$tool" >/dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done
"$cyctop" -b -n 1 -d 0.2 -e cpu-clock 2>/dev/null | grep -q '^Symbols' || {
	echo "skipped: no functions can be sampled here"
	exit 77
}

servers=
stop_servers() {
	for pid in $servers; do
		kill "$pid" 2>/dev/null
	done
	mux kill-server 2>/dev/null
	rm -rf "$dir"
}
trap stop_servers EXIT

# ---- programs and servers -----------------------------------------------------------

# build NAME: builds a stripped program that uses a CPU in burn_NAME(); its debug file is in
# $dir/kept/NAME, where cyctop does not search.
build() {
	mkdir -p "$dir/kept"
	cat >"$dir/$1.c" <<-EOT
		#include <unistd.h>
		static volatile unsigned long sink;
		static __attribute__((noinline, noclone)) void burn_$1(unsigned long n)
		{
			for (unsigned long i = 0; i < n; i++)
				sink += i * n;
		}
		int main(void)
		{
			alarm(1700);
			for (;;)
				burn_$1(10000000);
		}
	EOT
	"$cc" -O1 -Wl,--build-id -o "$dir/$1" "$dir/$1.c" || fail "cannot build $1"
	objcopy --only-keep-debug "$dir/$1" "$dir/kept/$1"
	strip "$dir/$1"
}

# Starts debuginfod on a port that was free a moment ago; if another program took it meanwhile, on another one.
start_debuginfod() {
	mkdir -p "$dir/served"
	: >"$dir/server.log"
	for try in 1 2 3 4 5; do
		port=$("$badserver") || fail "no port is free"
		HOME=$dir debuginfod -p "$port" -d :memory: -F "$dir/served" >"$dir/server.log" 2>&1 &
		pid=$!
		n=0
		until grep -q 'fts traversed' "$dir/server.log"; do
			n=$((n + 1))
			kill -0 $pid 2>/dev/null || continue 2
			[ $n -lt 3000 ] || fail "debuginfod does not start: $(cat "$dir/server.log")"
			sleep 0.1
		done
		servers="$servers $pid"
		return
	done
	fail "debuginfod does not start, try $try: $(cat "$dir/server.log")"
}

start_badserver() {
	"$badserver" "$dir/kept/prog" "$dir/kept/other" >"$dir/port" &
	servers="$servers $!"
	eventually "the server does not start" test -s "$dir/port"
	port=$(cat "$dir/port")
}

# open URLS NAME: starts cyctop for the running program NAME, and selects its row.
open() {
	"$dir/$2" &
	servers="$servers $!"
	mkdir -p "$dir/cache"
	open_terminal 35 120
	type_line "DEBUGINFOD_CACHE_PATH=\$DIR/cache DEBUGINFOD_URLS='$1' \$CYCTOP -e cpu-clock -d 0.5; echo status \$?"
	wait_for "\\[$2+0x"
	keys /
	keys -l "[$2+"
	wait_for 'Search for'
	keys Enter
	wait_gone 'Search for'
	keys y
	wait_for "^\\[$2+0x.* is a function without a name"
}

asked() { # how often the server was asked for a debug file
	grep -c 'GET /buildid/.*/debuginfo' "$dir/server.log"
}

# ---- cases ----------------------------------------------------------------------------

case_names() {
	build prog
	mkdir -p "$dir/served"
	cp "$dir/kept/prog" "$dir/served"
	start_debuginfod
	open "http://127.0.0.1:$port" prog
	[ "$(asked)" = 0 ] || fail "a server was asked before the key was pressed"
	keys F
	wait_for 'The names of prog were fetched'
	wait_for '^burn_prog is named by the symbol table of its debug file: *'
	wait_for "$dir/cache/.*/debuginfo"
	wait_gone '\[prog+0x'
	keys F
	wait_for 'The names of prog were fetched already'
}

case_missing() {
	build lost
	start_debuginfod
	open "http://127.0.0.1:$port" lost
	keys F
	wait_for 'Nothing was fetched for lost: no debuginfod server has its debug file'
	before=$(asked)
	keys F
	wait_for 'No debuginfod server had the debug file of lost; it is not asked for again'
	[ "$(asked)" = "$before" ] || fail "it was asked for again"
	keys q
	wait_for '^status 0'
}

case_unreachable() {
	build prog
	open 'http://127.0.0.1:1' prog
	keys F
	wait_for 'Nothing was fetched for prog: debuginfod: Connection refused'
}

case_unset() {
	build prog
	open '' prog
	keys F
	wait_for 'No debuginfod server is named: give --debuginfod URLS, or set DEBUGINFOD_URLS'
}

case_slow() {
	build prog
	build other
	start_badserver
	open "http://127.0.0.1:$port/slow" prog
	keys F
	wait_for 'fetching prog: [0-9.k]*B of [0-9.k]*B *$'
	wait_for '^burn_prog is named by the symbol table of its debug file'
}

case_wrong() {
	build prog
	build other
	start_badserver
	open "http://127.0.0.1:$port/wrong" prog
	keys F
	wait_for 'Nothing was fetched for prog: .* another build: its build-id differs'
	wait_for '^\[prog+0x'
}

# Neither keys nor quitting wait for a silent server.
case_silent() {
	build prog
	build other
	start_badserver
	open "http://127.0.0.1:$port/silent" prog
	keys F
	wait_for 'asking for prog'
	keys h
	wait_for 'cyctop help'
	keys Escape
	wait_gone 'cyctop help'
	keys Escape
	wait_for 'Fetching the names of prog was cancelled'
	wait_gone 'asking for prog'
	keys F
	wait_for 'asking for prog'
	keys F
	wait_for 'Fetching the names of prog was cancelled'
	sleep 2 # what was cancelled has ended by now, and was not taken for an answer
	keys F
	wait_for 'asking for prog'
	keys q
	wait_for '^status 0' # the server never answers
}

for case in "$@"; do
	"case_$case"
	echo "ok $case"
done
