#!/bin/sh
# Checks the branches of recordings: how often each function's led to each other function, and how often it was
# mispredicted.  They equal what perf script lists of the branch stacks, but for places of a stack that are empty.
#   test_branches.sh CYCTOP
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
cyctop=$(realpath "$1")
cd "$tmp" || exit 1
needs perf

# listed FILE: lines FROM and TO, which are addresses, branches, mispredicted ones, and the mean of cycles where known
listed() {
	perf script -i "$1" -F brstack 2>/dev/null | tr -s ' ' '\n' | awk -F / -v OFS='\t' '
		NF >= 6 && $1 $2 != "0x00x0" {
			n[$1 OFS $2]++
			missed[$1 OFS $2] += $3 ~ /M/
			known[$1 OFS $2] += $6 > 0
			cycles[$1 OFS $2] += $6
		}
		END {
			for (key in n)
				print key, n[key], missed[key],
					known[key] ? sprintf("%.6f", cycles[key] / known[key]) : 0
		}' | LC_ALL=C sort
}

# told FILE KEYS...: totals of the events of branches over all rows of that report
told() {
	# shellcheck disable=SC2086 # words
	"$cyctop" -b $elsewhere -i "$1" --branches --sort "$2" --format json 2>"$tmp/err" </dev/null | jq -r '
		.rows | [([.[].events["taken-branches"].weight] | add), ([.[].events.mispredicts.weight // 0] | add),
			([.[] | select(.symbol_to and .symbol_to != "[unknown]")] | length)] | @tsv'
}

# Kernel code of another machine has no names: its functions are its addresses, as perf script lists them.
kernel_edges() {
	# shellcheck disable=SC2086 # words
	"$cyctop" -b $elsewhere -i "$1" --sort symbol_from,symbol_to --format json 2>"$tmp/err" </dev/null | jq -r '
		.rows[] | select((.symbol | startswith("0xffff")) and (.symbol_to | startswith("0xffff"))) |
		[.symbol, .symbol_to, .events["taken-branches"].weight, .events.mispredicts.weight // 0,
			.sample_weight // 0] | @tsv' |
		awk -v OFS='\t' '{ $5 = $5 > 0 ? sprintf("%.6f", $5) : 0; print }' | LC_ALL=C sort
}

n=0
while read -r file; do
	name=$(basename "$file" .perf.data)
	listed "$file" >expected
	[ -s expected ] || continue
	if ! perf evlist -v -i "$file" 2>/dev/null | grep -q 'BRANCH_STACK' ||
		perf evlist -v -i "$file" 2>/dev/null | grep -q 'branch_sample_type: [A-Z_|]*CALL_STACK'; then
		! told "$file" symbol | grep -q . || fail "$name: branches"
		continue
	fi
	n=$((n + 1))
	awk '{ n += $3; missed += $4 } END { print n "\t" missed }' expected >totals
	for keys in symbol_from,symbol_to dso comm,symbol; do
		told "$file" "$keys" | cut -f 1-2 | cmp -s - totals ||
			fail "$name: by $keys: $(told "$file" "$keys"), not $(cat totals): $(cat err)"
	done
	grep -P '^0xffff\w*\t0xffff' expected >kernel
	kernel_edges "$file" >got
	cmp -s kernel got || fail "$name: $(diff kernel got | head -n 5)"
done <recordings
[ "$n" -gt 0 ] || skip "no recordings with branches that perf reads"
finish
