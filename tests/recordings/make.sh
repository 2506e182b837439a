#!/bin/sh
# Makes recordings of a small load with perf record and cyctop record, in each form that they can write
# on this kernel:
#   make.sh CYCTOP DIRECTORY [EVENT [EVENTS GROUP]]
# EVENT is sampled alone, EVENTS together, and of GROUP only the first event; the defaults are software
# events, which every kernel has.  The directory gets files NAME.perf.data, and damaged copies of some
# of them in corrupt/.  Forms that perf or the kernel does not support are left out.  Recordings that
# the same CYCTOP made earlier on this kernel are used again.
set -u
cyctop=$(realpath "$1") dir=$(mkdir -p "$2" && realpath "$2")
event=${3:-cpu-clock}
events=${4:-cpu-clock,page-faults,context-switches}
default_group='{cpu-clock,page-faults,task-clock}:S'
group=${5:-$default_group}

if command -v flock >/dev/null; then # tests that run at the same time wait for the first one
	exec 9>"$dir/lock"
	flock 9
fi
state="$(uname -r) $event $events $group $(cat "$cyctop" "$0" "$(dirname "$0")/damage.sh" | cksum)"
[ "$(cat "$dir/state" 2>/dev/null)" != "$state" ] || exit 0
rm -rf "$dir"/*.perf.data "$dir/corrupt"
export HOME="$dir" LC_ALL=C # perf keeps files below $HOME

# The load: programs start, end, read files, allocate memory and wait for each other.
cat >"$dir/load.sh" <<'END'
for i in 1 2; do
	find /usr/lib -maxdepth 2 2>/dev/null | sort | md5sum
	dd if=/dev/zero bs=64k count=100 2>/dev/null | md5sum
done
END

# record NAME COMMAND...: runs the command, which records the load to NAME.perf.data or, if it writes
# a stream, to its standard output
record() {
	name=$1
	shift
	"$@" sh "$dir/load.sh" >"$dir/stream" 2>/dev/null </dev/null 9>&- || : >"$dir/stream"
	case " $* " in
	*' -o - '*) mv "$dir/stream" "$dir/new" ;;
	esac
	[ ! -s "$dir/new" ] || mv "$dir/new" "$dir/$name.perf.data"
	rm -rf "$dir/new" "$dir/new.old" "$dir/stream"
}

by_perf() { # NAME OPTIONS...
	name=$1
	shift
	record "perf-$name" perf record -q -N -o "$dir/new" "$@" --
}

by_cyctop() { # NAME OPTIONS...
	name=$1
	shift
	record "cyctop-$name" "$cyctop" record -o "$dir/new" "$@" --
}

if command -v perf >/dev/null; then
	by_perf plain -e "$event" -F 999
	by_perf all-cpus -a -e "$event" -F 499
	by_perf user -e "$event:u" -F 999
	by_perf period -e "$event" -c 1000000
	by_perf several -e "$events" -F 999
	by_perf leader -e "$group" -F 999
	by_perf each-fault -d -e page-faults -c 1
	by_perf page-sizes -d --data-page-size --code-page-size -e page-faults -c 1
	by_perf tracepoint -R -e sched:sched_switch -c 1
	by_perf callgraph -g -e "$event" -F 499
	by_perf dwarf --call-graph dwarf,1024 -e "$event" -F 99
	by_perf registers -I -e "$event" -F 499
	by_perf build-ids --buildid-mmap -e "$event" -F 999
	by_perf per-thread --per-thread -e "$event" -F 999
	by_perf not-inherited -i -e "$event" -F 999
	by_perf switches --switch-events -e "$event" -F 499
	by_perf namespaces --namespaces --all-cgroups -e "$event" -F 499
	by_perf thread-counts -s -e "$event" -F 499
	by_perf identifier --sample-identifier -e "$events" -F 499
	by_perf monotonic -k mono -e "$event" -F 499
	by_perf tail-synthesis --tail-synthesize -e "$event" -F 499
	by_perf compressed -z -e "$event" -F 999
	by_perf stream -o - -e "$event" -F 999
	by_perf stream-compressed -o - -z -g -e "$event" -F 999
fi
by_cyctop plain -e "$event"
by_cyctop several -e "$events"
by_cyctop period -e "$event" -c 1000000
by_cyctop user --user-only -e "$event"
by_cyctop all-cpus -a -e "$event"
by_cyctop one-cpu -C 0 -e "$event"
by_cyctop compressed -z -e "$events"
by_cyctop stream -o - -e "$event"
by_cyctop stream-compressed -o - -z -e "$events"

set --
for from in cyctop-plain cyctop-compressed perf-several perf-leader \
	cyctop-stream cyctop-stream-compressed perf-stream; do
	[ ! -f "$dir/$from.perf.data" ] || set -- "$@" "$dir/$from.perf.data"
done
sh "$(dirname "$0")/damage.sh" "$dir/corrupt" "$@" || exit 1
echo "$state" >"$dir/state"
