#!/bin/sh
# Checks totals with callees, and the formats of call chains, of recordings that have chains: of the small ones with
# what perf says of them (NAME.chains), and with `perf`, of the stored ones and those made here with what perf script
# lists.  With the program DEFERRED, also of versions of the small ones in which the chains of user code come later.
#   test_chains.sh CYCTOP [perf|DEFERRED]
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
cyctop=$(realpath "$1") by_perf='' deferred=''
if [ "${2:-}" = perf ]; then by_perf=perf; else deferred=${2:+$(realpath "$2")}; fi
cd "$tmp" || exit 1
[ -z "$by_perf" ] || needs perf

# totals FILE: lines EVENT, COMM, ADDRESS and samples with callees, of a report by cyctop of code without names
totals() {
	# shellcheck disable=SC2086 # words
	"$cyctop" -b $elsewhere --raw-weights -i "$1" --sort comm,dso,symbol --children --format csv \
		2>"$tmp/err" </dev/null >"$tmp/csv" || return 1
	awk -F , -v OFS='\t' '
		NR == 1 {
			for (i = 1; i <= NF; i++) {
				at[$i] = i
				if (sub(/\.total_samples$/, "", $i))
					event[i] = $i
			}
			next
		}
		{
			sub(/^\[no symbol\]$/, "[unknown]", $at["symbol"])
			sub(/^\[idle\]$/, "swapper", $at["comm"])
			for (i in event)
				if ($i > 0)
					sum[event[i] OFS $at["comm"] OFS $at["symbol"]] += $i
		}
		END { for (key in sum) print key, sum[key] }' "$tmp/csv" | LC_ALL=C sort
}

# said FILE: what the trust line says of its chains
said() {
	# shellcheck disable=SC2086 # words
	"$cyctop" -b -g $elsewhere -i "$1" 2>&1 </dev/null | grep -o 'chains whole[^|]*'
}

# formats NAME FILE SAMPLES: has each format of call chains all samples of the first event, and is it what it should be?
formats() {
	for format in svg speedscope firefox pprof; do
		# shellcheck disable=SC2086 # words
		"$cyctop" $elsewhere -i "$2" --format "$format" 2>"$tmp/err" </dev/null >"$tmp/$format" ||
			grep -q 'built without' "$tmp/err" || fail "$1: $format: $(cat "$tmp/err")"
	done
	! command -v xmllint >/dev/null || xmllint --noout "$tmp/svg" 2>"$tmp/err" || fail "$1: svg: $(cat "$tmp/err")"
	sed -n 's/^<text id="about"[^>]*>\([0-9,]*\) samples of .*/\1/p' "$tmp/svg" | tr -d , | grep -qx "$3" ||
		fail "$1: svg: not $3 samples: $(grep 'id="about"' "$tmp/svg")"
	if command -v jq >/dev/null && [ -s "$tmp/firefox" ]; then
		jq -e --argjson n "$3" '([.threads[] | select(.pid == "0").samples.weight[]] | add // 0) == $n and
			(.shared | [(.stackTable.frame | length) == .stackTable.length,
				(.frameTable.func | length) == .frameTable.length,
				(.stackTable.prefix | to_entries[] | .value == null or .value < .key)] | all)' \
			"$tmp/firefox" >/dev/null || fail "$1: firefox"
		jq -e '.shared.frames as $f | [.profiles[] | (.samples | length) == (.weights | length),
			(.samples[][] < ($f | length))] | all' "$tmp/speedscope" >/dev/null || fail "$1: speedscope"
	fi
	if command -v go >/dev/null; then
		go tool pprof -sample_index=0 -top "$tmp/pprof" >"$tmp/top" 2>"$tmp/err" || fail "$1: $(cat "$tmp/err")"
		sed -n 's/.*Total samples = \([0-9]*\).*/\1/p' "$tmp/top" | grep -qx "$3" ||
			fail "$1: pprof: not $3 samples: $(head -n 5 "$tmp/top")"
	fi
}

# judge NAME FILE [kernel]: compares totals with $tmp/expected, and the samples of folded stacks with those of the
# recording.  With `kernel`, only the kernel's own addresses are compared, and by all commands together: perf lists
# other addresses as they were or as they are in their file, and names commands that it does not know by their pid.
judge() {
	if ! totals "$2" >"$tmp/got"; then
		grep -q 'built without libzstd' "$tmp/err" || fail "$1: $(cat "$tmp/err")"
		return
	fi
	for list in ${3:+expected got}; do
		awk -F '\t' -v OFS='\t' '
			$3 ~ /^0xffffffff8/ { n[$1 OFS $3] += $4 }
			END { for (key in n) print key, n[key] }' "$tmp/$list" | LC_ALL=C sort >"$tmp/own"
		mv "$tmp/own" "$tmp/$list"
	done
	cmp -s "$tmp/expected" "$tmp/got" ||
		fail "$1: totals differ (-: perf): $(diff "$tmp/expected" "$tmp/got" | head -n 12)"
	# shellcheck disable=SC2086 # words
	"$cyctop" $elsewhere -i "$2" --format folded 2>"$tmp/err" </dev/null >"$tmp/folded" ||
		fail "$1: $(cat "$tmp/err")"
	grep -vE '^[^ ;]+(;[^;]+)+ [0-9]+$' "$tmp/folded" >"$tmp/odd" &&
		fail "$1: folded stacks: $(head -n 2 "$tmp/odd")"
	folded=$(awk '{ n += $NF } END { print n + 0 }' "$tmp/folded")
	samples=$("$cyctop" -b -i "$2" --table commands --format csv 2>/dev/null </dev/null | awk -F , '
		NR == 1 { for (i = 1; i <= NF && !at; i++) if ($i ~ /\.samples$/) at = i; next }
		{ n += $at }
		END { print n + 0 }')
	[ "$folded" = "$samples" ] || fail "$1: folded stacks have $folded samples, not $samples"
	formats "$1" "$2" "$folded"
	n=$((n + 1))
}

n=0
if [ -z "$by_perf" ]; then
	for ref in "$here"/*.chains; do
		name=$(basename "$ref" .chains)
		LC_ALL=C sort "$ref" >"$tmp/expected"
		judge "$name" "$here/$name.perf.data"
		[ -n "$deferred" ] || continue
		"$deferred" "$here/$name.perf.data" later.perf.data whole >cookies || fail "$name: $(cat cookies)"
		judge "$name, deferred" later.perf.data
		said "$here/$name.perf.data" | grep -q 'broken' || fail "$name: $(said "$here/$name.perf.data")"
		said later.perf.data | grep -q ' cut' && fail "$name: chains are cut: $(said later.perf.data)"
		# where every second one is lost, the samples are all there, and some callers
		"$deferred" "$here/$name.perf.data" later.perf.data lost >/dev/null || fail "$name"
		said later.perf.data | grep -q '[0-9]% cut, [0-9.]*% broken' || fail "$name: $(said later.perf.data)"
		totals later.perf.data | LC_ALL=C sort >some
		totals "$here/$name.perf.data" | LC_ALL=C sort >all
		for sums in some all; do
			# shellcheck disable=SC2086 # words
			"$cyctop" $elsewhere -i "$([ $sums = some ] && echo later || echo "$here/$name").perf.data" \
				--format folded 2>/dev/null </dev/null | awk '{ n += $NF } END { print n }' >"$sums.n"
		done
		cmp some.n all.n || fail "$name: samples without their callers are lost"
		awk -F '\t' 'FNR == NR { all[$1 FS $2 FS $3] = $4; next }
			$4 > all[$1 FS $2 FS $3] { print "too many: " $0; exit 1 }
			{ n += $4 } END { for (i in all) of += all[i]; exit !(n < of && n > of / 3) }' all some ||
			fail "$name: with lost callers: $(wc -l <some) of $(wc -l <all) sums"
	done
else
	while read -r file; do
		name=$(basename "$file")
		file=$(unpacked "$file")
		perf report -i "$file" --header-only 2>/dev/null </dev/null >"$tmp/header"
		grep -q CALLCHAIN "$tmp/header" || continue
		if grep -qE 'STACK_USER|CALL_STACK' "$tmp/header"; then
			echo "$name: not compared: perf makes other chains of stacks or branches"
			continue
		fi
		perf script -i "$file" --no-itrace -F comm,event,ip --symfs nothing 2>"$tmp/err" </dev/null |
			awk -f "$here/chains.awk" | LC_ALL=C sort >"$tmp/expected"
		[ -s "$tmp/expected" ] && judge "$name" "$file" kernel
		perf script -i "$file" --no-itrace --max-stack 1024 -F comm,event,ip,sym,dso --symfs nothing \
			2>"$tmp/err" </dev/null >"$tmp/script"
		first=$(perf evlist -i "$file" 2>/dev/null </dev/null | head -n 1)
		awk -v first="$first" -f "$here/folded.awk" "$tmp/script" "$tmp/folded" >"$tmp/odd"
		[ ! -s "$tmp/odd" ] || fail "$name: folded stacks: $(head -n 8 "$tmp/odd")"
	done <"$tmp/recordings"
fi
echo "$n recordings with chains; $failed wrong"
[ "$n" -gt 0 ] || fail "no recordings with chains"
finish
