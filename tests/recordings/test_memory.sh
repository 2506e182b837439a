#!/bin/sh
# Memory accesses: cyctop's numbers of samples by level, snoop, TLB, locked and blocked, and by data page, are perf's.
# One recording is perf's, with what a CPU would tell of accesses written into it, because few machines tell anything;
# the others are all stored ones whose samples say something of their data.
#   test_memory.sh CYCTOP MEMORY
# shellcheck source=tests/recordings/lib.sh
. "$(dirname "$0")/lib.sh"
cyctop=$(realpath "$1") memory=$(realpath "$2")
command -v perf >/dev/null || skip "no perf"
cd "$tmp" || exit 1
tab=$(printf '\t')

# by_cyctop FILE KEYS: number of samples and the values of the keys, sorted
by_cyctop() {
	"$cyctop" -b -i "$1" --sort "$2" --format json 2>err |
		jq -r --arg keys "$2" '.rows[] | [([.events[].samples // 0] | add)] +
			(. as $row | $keys | split(",") | map($row[.] // "N/A")) | @tsv' | sort
}

# by_perf FILE: the same of level, snoop, TLB, locked and blocked; perf before 6.14 tells a level in both encodings
by_perf() {
	perf report -i "$1" --mem-mode -F sample,mem,snoop,tlb,locked,blocked --sort mem,snoop,tlb,locked,blocked \
		--stdio -g none -t '|' 2>/dev/null | grep '^ *[1-9]' |
		sed "s/ *| */$tab/g; s/^ *//; s/ *\$//" |
		sed "s;${tab}Local RAM or RAM hit;${tab}RAM hit;" |
		sed "s;${tab}\([A-Za-z0-9/]*\) or \1;$tab\1;" |
		awk -F "$tab" -v OFS="$tab" '{ n = $1; $1 = ""; sum[$0] += n } END { for (k in sum) print sum[k] k }' |
		sort
}

# shellcheck disable=SC2016 # a command of another shell
load='i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
perf record -W -d --phys-data -q -e cpu-clock:u -F 4000 -o m.data -- sh -c "$load" 2>err ||
	skip "perf record: $(cat err)"
perf evlist -v -i m.data | grep -q 'IP|TID|TIME|ADDR|PERIOD|\(WEIGHT|\)\?DATA_SRC|PHYS_ADDR\(|WEIGHT_STRUCT\)\?,' ||
	skip "perf lays samples out otherwise"
cp m.data any.data
n=$("$memory" m.data) || fail "memory"
[ "$n" -gt 100 ] || fail "only $n samples"
keys=mem_level,snoop,tlb,locked,blocked
by_perf m.data >expected
[ "$(wc -l <expected)" -ge 10 ] || fail "perf sees other accesses: $(cat expected)"
by_cyctop m.data $keys >got
cmp -s expected got || fail "$(diff expected got; cat err)"

# pages and latencies by level, from the samples that perf lists
perf script -i m.data -F addr,weight,data_src 2>/dev/null | awk '{ print substr($1, 1, length($1) - 3) "000" }' |
	sort | uniq -c | awk -v OFS="$tab" '{ print $1, "0x" $2 }' | sort >expected
by_cyctop m.data data_page >got
cmp -s expected got || fail "$(diff expected got | head)"
perf script -i m.data -F phys_addr 2>/dev/null | awk '{ print substr($1, 1, length($1) - 3) "000" }' |
	sort | uniq -c | awk -v OFS="$tab" '{ print $1, "0x" $2 }' | sort >expected
by_cyctop m.data phys_page >got
cmp -s expected got || fail "$(diff expected got | head)"
perf script -i m.data -F data_src,weight 2>/dev/null |
	awk '$NF > 0 { n[$1]++; sum[$1] += $NF } END { for (s in n) printf "%.4f\n", sum[s] / n[s] }' | sort >expected
"$cyctop" -b -i m.data --sort mem_level,mem_op,snoop,tlb,locked --format json 2>err |
	jq -r '.rows[] | select(.sample_weight) | .sample_weight' | awk '{ printf "%.4f\n", $1 }' | sort >got
cmp -s expected got || fail "latencies: $(diff expected got; cat err)"

# instructions: the samples of a function, and the mean of their weights, are those of its row
hot=$("$cyctop" -b -i m.data --sort symbol --format json 2>err |
	jq -r 'first(.rows[] | select(.symbol | test("^[a-z_0-9]+$"))) | .symbol')
"$cyctop" annotate "$hot" -i m.data --format json 2>err >rows || fail "annotate $hot: $(cat err)"
jq -r '.events[] | "\(.samples) \(.sample_weight * 1000 | round)"' rows >got
jq -r '[.instructions[].events[]] | "\(map(.samples) | add)"' rows >instructions
"$cyctop" -b -i m.data --sort symbol --format json 2>err | jq -r --arg hot "$hot" '
	first(.rows[] | select(.symbol == $hot)) |
	"\([.events[].samples] | add) \(.sample_weight * 1000 | round)"' >expected
cmp -s expected got || fail "annotate $hot: $(diff expected got)"
grep -q "^$(cat instructions) " got || fail "annotate $hot: $(cat instructions) of $(cat got)"

# where nobody asks, no sample is told apart by it
"$cyctop" -b -i m.data --sort symbol --format json 2>err >plain
"$cyctop" -b -i any.data --sort symbol --format json 2>err >before
for f in plain before; do # errors are sums of rounded numbers, whose order may differ
	jq -c '.rows[] | [.symbol, (.events | map_values(.error |= (. // 0 | . / 100 | round)))]' $f >$f.rows
done
cmp -s plain.rows before.rows || fail "functions differ: $(diff plain.rows before.rows | head -n 4)"

# any bits: every sample is in one row, and texts are texts
n=$("$memory" any.data hostile) || fail "memory"
all=$keys,mem_op,data_page,phys_page
"$cyctop" -b -i any.data --sort $all --format json 2>err >rows || fail "any bits: $(cat err)"
[ "$(jq '[.rows[].events[].samples] | add' rows)" -eq "$n" ] || fail "samples are missing of $n"
"$cyctop" -b -i any.data --table mem_levels 2>err >/dev/null || fail "any bits: $(cat err)"

# Live: the preset says where no event tells of memory accesses.
devices=/sys/bus/event_source/devices
if ls -d $devices/*/events/mem-loads $devices/ibs_op >/dev/null 2>&1; then
	echo "this machine has events of memory accesses"
elif "$cyctop" --preset mem -b -n 1 >got 2>err; then
	fail "--preset mem measures something: $(cat got)"
else
	grep -q "no event of this machine takes samples that tell of memory accesses" err || fail "$(cat err)"
fi
"$cyctop" -e cpu-clock --sort mem_level,phys_page --format json -- sh -c "$load" >got 2>err || fail "$(cat err)"
[ "$(jq -s '[.[-1].rows[].mem_level] | unique == ["N/A"]' got)" = true ] || fail "live: $(cat got err)"

seen=0
while read -r file; do
	perf evlist -v -i "$file" 2>/dev/null | grep -q DATA_SRC || continue
	by_perf "$file" >expected
	[ -s expected ] || continue
	by_cyctop "$file" $keys >got
	cmp -s expected got || fail "$file: $(diff expected got)"
	seen=$((seen + 1))
done <recordings
echo "$seen stored recordings agree"
finish
