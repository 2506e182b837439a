#!/bin/sh
# Parallelism, measured live: phases of 1, 2 and 16 processes of one command, each with a name of its own.
#   test_phases.sh CYCTOP
# The truth are the context switches that perf records of the whole machine meanwhile: for how long each number of the
# command's processes ran at the same time, whatever else runs.  Bounds are four standard errors of the samples' number.
set -u
cyctop=$(realpath "$1")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq awk
needs_perf
shell=$(readlink -f /bin/sh)
for phase in one two sixteen; do
	cp "$shell" $phase || skip "no copy of $shell"
done
cat >phases <<'END'
echo $$ >main
work='i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done'
./one -c "$work; $work; $work"
./two -c "$work; $work" & ./two -c "$work; $work" & wait
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do ./sixteen -c "$work" & done; wait
END
perf record -q -a --switch-events -e dummy -o all.data -- "$cyctop" -b --parallelism -e cpu-clock -F 1944 \
	--sort comm,parallelism --format json -- sh phases >out 2>err || fail "$(cat err)"
[ -s all.data ] || skip "perf does not record context switches: $(tail -n 1 err)"

# The truth: KEY, seconds in which processes of it ran (of wall-clock time, divided among all that ran at once), and
# their CPU seconds.  The command's processes are those that its shell forked; it is measured from its exec on.
perf script --show-switch-events --show-task-events --ns -i all.data -F comm,pid,tid,cpu,time,event 2>/dev/null |
	awk -v main="$(cat main)" '
	# "COMM PID/TID [CPU] TIME: PERF_RECORD_..."
	{
		at = match($0, /[0-9-]+\/[0-9-]+ +\[[0-9]+\] +[0-9.]+: /)
		if (!at) next
		split(substr($0, at, RLENGTH), f, /[\/ :]+/)
		pid = f[1]; cpu = f[3]; now = f[4]
	}
	/PERF_RECORD_COMM exec: / {
		sub(/.*PERF_RECORD_COMM exec: /, ""); sub(/:.*/, "")
		if (pid == main) ours[pid] = 1
		name[pid] = $0
		next
	}
	/PERF_RECORD_FORK/ {
		sub(/.*PERF_RECORD_FORK/, ""); gsub(/[():]/, " "); split($0, f, " ")
		if (ours[f[3]]) { ours[f[1]] = 1; name[f[1]] = name[f[3]] }
		next
	}
	!/PERF_RECORD_SWITCH/ { next }
	{
		k = 0
		for (c in run) k += run[c] != ""
		for (c in run) if (run[c] != "") {
			wall[name[run[c]] " " k] += (now - last) / k
			time[name[run[c]] " " k] += now - last
		}
		last = now
		run[cpu] = / IN / && ours[pid] ? pid : ""
	}
	END { for (k in wall) printf "%s %.9f %.9f\n", k, wall[k], time[k] }' >truth
jq -r '.rows[] | select(.parallelism) | "\(.comm) \(.parallelism) \(.events["cpu-clock"].samples) \(.latency) \(
	.latency_error)"' out >got

# check COLUMN: sums by comm (1) or by parallelism (2)
check() {
	awk -v by="$1" '
	NR == FNR { wall[$by] += $3; time[$by] += $4; walls += $3; times += $4; next }
	{ n[$by] += $3; latency[$by] += $4; var[$by] += $5 * $5; samples += $3; n[$by] += 0 }
	END {
		for (k in wall) {
			p = time[k] / times
			error = sqrt(p * (1 - p) / samples)
			q = wall[k] / walls
			printf "%s: %.4f of %d samples, in truth %.4f +- %.4f; clock %.4f, in truth %.4f +- %.4f\n",
				k, n[k] / samples, samples, p, error, latency[k], q, sqrt(var[k])
			far = n[k] / samples - p
			if (far * far > 16 * error * error + 1 / samples / samples)
				print "FAR " k ": samples"
			far = latency[k] - q
			if (far * far > 16 * var[k] + 1 / samples / samples)
				print "FAR " k ": wall-clock time"
		}
	}' truth got
}
for by in 1 2; do
	check $by >said
	cat said
	grep FAR said >far && fail "$(cat said)"
done
[ "$(awk '$1 ~ /^(one|two|sixteen)$/ { print $1 }' got | sort -u | wc -l)" = 3 ] ||
	fail "phases are missing: $(cat got err)"
finish
