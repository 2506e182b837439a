#!/bin/sh
# Call chains by frame pointers: of a program whose chains are known, live and recorded; and beside perf.
#   test_chains.sh CYCTOP LOAD
set -u
cyctop=$(realpath "$1") load=$(realpath "$2")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq awk
needs_perf

# share FILE SYMBOL: total share and samples with callees of a function, in percent and number
share() {
	tail -n 1 "$1" | jq -r --arg s "$2" '[.symbols, .rows | select(.) | .[] | select(.symbol == $s)] | .[0] |
		"\(.total * 100) \(.events["cpu-clock"].total.samples) \(.share * 100)"'
}

# near WHAT IS SHOULD: is the share within 5 standard errors of N samples, or 1 %?
near() {
	awk -v is="$2" -v should="$3" -v n="${4:-900}" 'BEGIN {
		error = 500 * sqrt(should / 100 * (1 - should / 100) / n)
		error = error < 1 ? 1 : error
		exit !(is >= should - error && is <= should + error)
	}' || fail "$1: $2 %, not $3 %"
}

# shares WHAT FILE: each third of the time, with all that was called, once
shares() {
	near "$1: main" "$(share "$2" main | cut -d ' ' -f 1)" 100
	near "$1: burn" "$(share "$2" burn | cut -d ' ' -f 1)" 98
	for f in one deep before_last last; do
		near "$1: $f" "$(share "$2" "$f" | cut -d ' ' -f 1)" 33.3
		near "$1: $f alone" "$(share "$2" "$f" | cut -d ' ' -f 3)" 0
	done
}

# Live, in a table of its whole run: as who may sample the kernel, and as nobody
"$cyctop" -b -F 997 -e cpu-clock:u -g --children --format json -- "$load" 400 >live.json 2>err </dev/null ||
	fail "live: $(cat err)"
shares live live.json
[ "$(tail -n 1 live.json | jq '.trust.chains_whole > 0.95')" = true ] ||
	fail "chains whole: $(tail -n 1 live.json | jq .trust.chains_whole)"
"$cyctop" -b -F 997 -e cpu-clock:u --format folded -- "$load" 100 >stacks 2>err </dev/null || fail "folded: $(cat err)"
deep=$(yes 'deep;' | head -n 50 | tr -d '\n')
for chain in 'main;one;burn ' "main;${deep}burn " 'main;before_last;last;burn '; do
	grep -qF ";$chain" stacks || fail "no chain ;$chain in: $(cut -c 1-200 stacks)"
done

"$cyctop" -F 997 -e cpu-clock:u --format speedscope -- "$load" 100 >live.json 2>err </dev/null ||
	fail "speedscope: $(cat err)"
jq -r '.shared.frames as $f | .profiles[0].samples[] | [$f[.[]].name] | join(";")' live.json >stacks
for chain in 'main;one;burn' "main;${deep}burn" 'main;before_last;last;burn'; do
	grep -q ";$chain\$" stacks || fail "no chain ;$chain in speedscope's: $(cut -c 1-200 stacks)"
done

# Recorded: perf reads the same chains, and reports the same totals
"$cyctop" record -g -F 997 -e cpu-clock -o ours -- "$load" 400 >/dev/null 2>err || fail "record -g: $(cat err)"
perf record -q -g -F 997 -e cpu-clock -o theirs -- "$load" 400 >/dev/null 2>err || fail "perf record: $(cat err)"
for file in ours theirs; do
	"$cyctop" -i "$file" --sort comm,dso,symbol --children --format json --raw-weights >"$file.json" 2>err ||
		fail "$file: $(cat err)"
	shares "$file" "$file.json"
	perf report -i "$file" --children --no-inline -g none --stdio -s symbol -t '	' -w 300 --percent-limit 0 \
		2>/dev/null </dev/null | awk -F '\t' '/^#/ || NF < 3 { next } { sub(/^ *\[.\] /, "", $3)
			gsub(/[ %]/, "", $1); gsub(/ /, "", $3); print $3, $1 }' >"$file.perf"
	# perf names the function behind before_last(), which ends with a call that never returns
	for f in main burn one deep last; do
		is=$(share "$file.json" "$f" | cut -d ' ' -f 1)
		should=$(awk -v f="$f" '$1 == f { print $2; exit }' "$file.perf")
		[ "$f" != main ] || continue
		awk -v is="$is" -v should="$should" 'BEGIN { exit !(should != "" && (is - should) ^ 2 < 0.006 ^ 2) }' ||
			fail "$file: $f has $is %, and perf says $should %"
	done
done

# Without chains the recording says what would give them
"$cyctop" record -F 97 -e cpu-clock -o none -- true >/dev/null 2>&1
"$cyctop" -i none --children >out 2>err && fail "--children without chains: status 0"
grep -q 'no call chains; cyctop record -g and perf record -g write them' err || fail "without chains: $(cat err)"
finish
