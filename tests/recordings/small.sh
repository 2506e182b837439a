#!/bin/sh
# Made the small recordings of this directory, and their references, with perf record and cyctop record:
#   small.sh CYCTOP DIRECTORY
# To be run as root, where there are perf, cc and unshare; the kernel must have perf events.
# Each NAME.perf.data gets what perf says of it:
#   NAME.summary.json: {"per_event": {"0:EVENT": [SAMPLES, SUM OF PERIODS], ...}}
#   NAME.report: lines EVENT, COMM, DSO, ADDRESS IN THE DSO, SAMPLES, separated by tabs
# The recordings are made on a host `example`, of programs in /mnt that exist nowhere else, and the release of the
# kernel in their headers is of that host.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${SMALL_INSIDE:-}" ]; then
	cyctop=$(realpath "$1") dir=$(mkdir -p "$2" && realpath "$2")
	exec env -i PATH="$PATH" LC_ALL=C HOME=/mnt SMALL_INSIDE=y \
		unshare -um sh "$here/small.sh" "$cyctop" "$dir"
fi
cyctop=$1 dir=$2
hostname example
mount -t tmpfs none /mnt
cp "$cyctop" /mnt/cyctop
cd /mnt
PATH=/mnt:$PATH
mkdir nothing

# The load: a process, its child and a thread of that, each with a name, use the CPU, memory and the kernel.
cat >load.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static const char *const names[] = {"load", "child", "thread"};

/* Uses CPU time of the calling thread. */
static void use(long ms)
{
	struct timespec t;
	do {
		char *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int i = 0; i < 1 << 16; i += 1 << 14)
			memory[i] = 1;
		munmap(memory, 1 << 16);
		for (int i = 0; i < 1000000; i++)
			sum += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}
static void *thread(void *ms)
{
	prctl(PR_SET_NAME, names[2]);
	use(*(long *)ms);
	return NULL;
}
int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 20;
	if (fork() == 0) {
		pthread_t other;
		prctl(PR_SET_NAME, names[1]);
		pthread_create(&other, NULL, thread, &ms);
		use(ms);
		pthread_join(other, NULL);
		return 0;
	}
	use(ms);
	wait(NULL);
	return 0;
}
END
cc -O1 -static -pthread -o load load.c

release=$(uname -r) # another of the same length:
other=$(printf 6.0.0-example-example-example-example-example | head -c "$(printf %s "$release" | wc -c)")

made() { # NAME: gives /mnt/data that name, and writes its references
	# the vdso is of the kernel that recorded, which others may have, too: its build-id becomes one that nobody has
	vdso=$(perf buildid-list -i data | sed -n 's/ \[vdso\]$//p' | sed 's/../\\x&/g')
	sed "s/$release/$other/g; s/${vdso:-$release}/no vdso of a machine/g" data >"$dir/$1.perf.data"
	rm -f data
	perf evlist -i "$dir/$1.perf.data" 2>/dev/null | grep -v '^#' >events
	perf script -i "$dir/$1.perf.data" -G --symfs nothing -F event,period 2>/dev/null | awk '
		FNR == NR {
			event[n++] = $1
			next
		}
		NF == 2 {
			sub(/:$/, "", $2)
			samples[$2]++
			sum[$2] += $1
		}
		END {
			printf "{\"per_event\": {"
			for (i = 0; i < n; i++)
				printf "%s\"%d:%s\": [%d, %.0f]", i ? ", " : "", i, event[i], samples[event[i]],
					sum[event[i]]
			print "}}"
		}' events - >"$dir/$1.summary.json"
	perf report -i "$dir/$1.perf.data" --stdio -g none --no-children --no-group --symfs nothing \
		-F sample,comm,dso,symbol -t '	' -w 12,300,300,300 2>/dev/null | awk -F '\t' -v OFS='\t' '
		/^# Samples: / {
			event = $0
			sub(/^[^\047]*\047/, "", event)
			sub(/[:\047].*/, "", event)
		}
		/^#/ || $1 + 0 == 0 { next }
		{
			for (i = 2; i <= NF; i++)
				gsub(/^ +| +$/, "", $i)
			sub(/^\[kernel.*/, "[kernel]", $3)
			sub(/^\[.\] 0x0*/, "0x", $4)
			print event, $2, $3, $4, $1 + 0
		}' | sort >"$dir/$1.report"
}
by_perf() { # NAME OPTIONS...
	name=$1
	shift
	perf record -q -N -o data "$@" -- load 20 2>/dev/null
	made "$name"
}
by_cyctop() { # NAME OPTIONS...
	name=$1
	shift
	cyctop record -o data "$@" -- load 20 2>/dev/null
	made "$name"
}
event=cpu-clock events=cpu-clock,page-faults,context-switches
by_cyctop cyctop-plain -e $event -F 499
by_cyctop cyctop-several -e $events -F 499
by_cyctop cyctop-compressed -z -e $events -F 499
cyctop record -o - -e $event -F 499 -- load 20 >data 2>/dev/null
made cyctop-stream
by_perf perf-plain -e $event -F 499
by_perf perf-leader -e '{cpu-clock,page-faults,task-clock}:S' -F 499
by_perf perf-callgraph -g -e $event -F 499
perf script -i "$dir/perf-callgraph.perf.data" --no-itrace -F comm,event,ip --symfs nothing 2>/dev/null </dev/null |
	awk -f "$here/chains.awk" | LC_ALL=C sort >"$dir/perf-callgraph.chains"
by_perf perf-compressed -z -e $events -F 499
perf record -q -N -o - -e $event -F 499 -- load 20 >data 2>/dev/null
made perf-stream
