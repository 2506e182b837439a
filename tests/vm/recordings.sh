#!/bin/sh
# Recordings of cycles and instructions, made in the guest by perf record and cyctop record; then the
# checks of tests/recordings run on them on the host.
. "$(dirname "$0")/lib.sh"
vm_build arm64
guest --icount 1 <<'GUEST'
cat >load.sh <<'END'
./probe loop 3000000
find /usr/lib -maxdepth 3 | sort | md5sum
./probe loop 1000000
END
both=cycles,instructions
record() { # NAME COMMAND...: to the file "data", or to standard output
	name=$1
	shift
	rm -f data
	"$@" sh load.sh >stream 2>err
	case $name in
	*-stream*) mv stream data ;;
	esac
	[ -s data ] && mv data "/out/$name.perf.data" || echo "$name: $(cat err)" >&2
}
perf='perf record -q -N -F 499'
record perf-cycles $perf -o data -e cycles --
record perf-both $perf -o data -e $both --
record perf-leader $perf -o data -e "{$both}:S" --
record perf-group $perf -o data -e "{$both}" --
record perf-callgraph $perf -g -o data -e $both --
record perf-all-cpus $perf -a -o data -e $both --
record perf-per-thread $perf --per-thread -o data -e $both --
record perf-build-ids $perf --buildid-mmap -o data -e $both --
record perf-stream $perf -o - -e $both --
record cyctop-both ./cyctop record -F 499 -o data -e $both --
record cyctop-faults ./cyctop record -F 499 -o data -e $both,page-faults --
record cyctop-period ./cyctop record -c 1000000 -o data -e $both --
record cyctop-compressed ./cyctop record -z -F 499 -o data -e $both --
record cyctop-all-cpus ./cyctop record -a -F 499 -o data -e $both --
record cyctop-stream ./cyctop record -F 499 -o - -e $both --
GUEST
cat "$out/stderr"
ls -l "$out"/*.perf.data
expect 'nearly all recordings were made' test "$(find "$out" -name '*.perf.data' | wc -l)" -ge 13
for file in "$out"/perf-both.perf.data "$out"/cyctop-both.perf.data; do
	expect "$(basename "$file") has samples of both events" \
		test "$("$build_root/tests/recordings/sums" "$file" | awk '$1 == "event" && $2 > 0' | wc -l)" = 2
done
export CYCTOP_PERFDATA='' CYCTOP='' RECORDINGS_MADE="$out"
for test in 'sums tests/recordings/sums' 'vs_perf src/app/cyctop' 'copied src/app/cyctop' 'copied src/app/cyctop perf' \
	'mutations tests/recordings/mutate 1000'; do
	# shellcheck disable=SC2086 # a name, a program and a number
	set -- $test
	status=0
	sh "$top/tests/recordings/test_$1.sh" "$build_root/$2" ${3:+"$3"} || status=$?
	# skipped, if this build lacks something for the check
	expect "the check '$1' of tests/recordings" test $status = 0 -o $status = 77
done
finish
