#!/bin/sh
# Names: reading the kernel's and two million of a file of 200 MB, looking addresses up;
# and perf reading the kernel's in the same run, where it can be asked to.
#   symbols.sh BUILD-DIR
set -eu
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
export LC_ALL=C
printf '\nnames, on one core (target: 2 million symbols of a file in a second, 80 bytes each)\n'
"$build/tests/big_elf" "$build/tests/load/load" "$tmp/large" 2000000
"$build/tests/bench/bench_symbols" "$tmp/large"
rm "$tmp/large"
if command -v perf >/dev/null; then
	perf bench internals kallsyms-parse 2>/dev/null | sed -n 's/^ *Average/perf: kallsyms parsed alone, average/p'
fi
