#!/bin/sh
# Weights of samples: cyctop's mean by command equals that of the samples which perf lists.
# The recording is perf's; its weights are written into it, because no event of every machine has them.
#   test_weights.sh CYCTOP WEIGHTS
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
cyctop=$(realpath "$1") weights=$(realpath "$2")
command -v perf >/dev/null || skip "no perf"
cd "$tmp" || exit 1
cat >load <<'END'
i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exec awk 'BEGIN { for (i = 0; i < 3000000; i++) s += i }'
END
perf record -W -q -e cpu-clock:u -F 999 -o w.data -- sh load 2>err || skip "perf record: $(cat err)"
# IP, TID, TIME, PERIOD, then WEIGHT
perf evlist -v -i w.data | grep -q 'sample_type: IP|TID|TIME|PERIOD|WEIGHT' || skip "perf lays samples out otherwise"
n=$("$weights" w.data 40) || fail "weights"
[ "$n" -gt 50 ] || fail "only $n samples"
perf script -F comm,weight -i w.data 2>/dev/null | awk '
	$2 > 0 { n[$1]++; sum[$1] += $2; squares[$1] += $2 * $2 }
	END {
		for (c in n) {
			mean = sum[c] / n[c]
			e = n[c] > 1 ? sqrt((squares[c] - n[c] * mean * mean) / (n[c] - 1) / n[c]) : mean
			printf "%s %.6f %.6f\n", c, mean, e
		}
	}' | sort >expected
[ -s expected ] || fail "perf lists no weights"

# told FILE: the same from cyctop
told() {
	"$cyctop" -b -i "$1" --sort comm --format json 2>err | jq -r '.rows[] | select(.sample_weight) |
		"\(.comm) \(.sample_weight) \(.sample_weight_error)"' |
		awk '{ printf "%s %.6f %.6f\n", $1, $2, $3 }' | sort
}
told w.data >got
cmp -s expected got || fail "$(diff expected got; cat err)"
"$cyctop" -b -i w.data --table commands 2>err | grep -q ' WEIGHT ' || fail "no column: $(cat err)"

# A recording by cyctop has the field where it is asked for, and nothing to show on a machine that measures none.
"$cyctop" record -W -e cpu-clock -o own.data -- sh load 2>err >/dev/null || fail "record -W: $(cat err)"
perf evlist -v -i own.data | grep -q WEIGHT || fail "record -W asks for no weights"
finish
