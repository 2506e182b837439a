#!/bin/sh
# Names in recordings that perf makes here: of programs that are unchanged, rebuilt, stripped, or
# removed afterwards.
#   test_names.sh NAMES
set -u
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs perf cc strip objcopy readelf
names=$(realpath "$1")
cd "$tmp" || exit 1
export HOME="$tmp/home" LC_ALL=C
mkdir home

# build FACTOR: builds a program whose bytes, and so its build-id, depend on FACTOR.
build() {
	cat >prog.c <<-END
		static volatile unsigned long sink;
		__attribute__((noinline)) void recorded_function(unsigned long n)
		{
			for (unsigned long i = 0; i < n; i++)
				sink += i * $1;
		}
		int main(void)
		{
			recorded_function(100000000);
			return 0;
		}
	END
	cc -O1 -g -Wl,--build-id -o prog prog.c
}

record() { # FILE OPTION...
	file=$1
	shift
	perf record -o "$file" -e cpu-clock -F 999 "$@" -- ./prog >err 2>&1
}

# expect FILE PATTERN [ARGUMENT OF names...]: checks the line for the program's samples.
expect() {
	file=$1 pattern=$2
	shift 2
	"$names" "$file" "$@" >out 2>&1 || fail "$file: $(tail -n 1 out)"
	grep -E '^[0-9]+ prog ' out | sort -rn | head -n 1 | grep -Eqe "$pattern" ||
		fail "$file: not '$pattern' but: $(grep ' prog ' out | head -n 3)"
}

build 3 || exit 1
record same -N || skip "perf cannot record here: $(tail -n 1 err)"
expect same ' recorded_function$'

# The function has as many samples as perf reports.
said=$(perf report -i same --stdio -n --sort dso,symbol 2>/dev/null |
	awk '$3 == "prog" && $5 == "recorded_function" { print $2 }')
counted=$(awk '$2 == "prog" && $3 == "recorded_function" { print $1 }' out)
[ "$said" = "$counted" ] || fail "$counted samples in the function, perf says $said"

record none -N -B
expect none ' recorded_function$'
cp prog other
mv prog mapped
mv other prog
expect none '- .*no build-id for it, and the file at its path is another'
expect none ' recorded_function$' /
mv mapped prog

perf record -o - -N --buildid-mmap -e cpu-clock -F 999 -- ./prog >piped 2>err &&
	expect piped ' recorded_function$'

# The program is stripped, and has a separate debug file.
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
place=$(printf '%s' "$id" | sed 's/^\(..\)\(.*\)/\1\/\2/')
cp prog whole
objcopy --only-keep-debug prog apart
strip prog
expect same ' \[prog[+]0x[0-9a-f]+\]$'
cp apart prog.debug
expect same ' recorded_function$'
rm prog.debug
mkdir -p "home/.debug/.build-id/$place"
cp apart "home/.debug/.build-id/$place/debug"
expect same ' recorded_function$'
mv prog away
expect same '- only its debug information'
rm -r home/.debug

# The program is replaced by another build; then its original is in perf's cache.
build 5
expect same '- .*its build-id differs'
expect same '- .*its build-id differs' /
mkdir -p "symfs$tmp"
cp whole "symfs$tmp/prog"
expect same ' recorded_function$' symfs
record kept
build 7
expect kept ' recorded_function$'
rm -r home/.debug
expect kept '- .*its build-id differs'

# JIT code: names come from the process's own map on this machine, never from the map of
# another process with the same pid, except from a map below --symfs.
cat >jit.c <<-'END'
	#include <stdint.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>
	/* loop: dec %rdi; jne loop; ret */
	static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
	int main(void)
	{
		char path[64];
		const int prot = PROT_READ | PROT_WRITE | PROT_EXEC;
		uint8_t *at = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			return 1;
		memcpy(at + 64, code, sizeof(code));
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
		FILE *f = fopen(path, "w");
		if (!f)
			return 1;
		fprintf(f, "%lx 40 made_at_run_time\n", (unsigned long)(at + 64));
		fclose(f);
		((void (*)(uint64_t))(at + 64))(600000000);
		puts(path);
		return 0;
	}
END
if [ "$(uname -m)" = x86_64 ] && cc -O1 -o jit jit.c &&
	perf record -o jitted -e cpu-clock -F 999 -- ./jit >map 2>err; then
	map=$(grep '^/tmp/perf-.*map$' map)
	jitted() { # PATTERN [ARGUMENT...]
		pattern=$1
		shift
		"$names" jitted "$@" >out 2>&1 || fail "jitted: $(tail -n 1 out)"
		grep -Eqe "$pattern" out || fail "jitted: not '$pattern' but: $(grep -i 'anon\|JIT' out | head -n 3)"
	}
	jitted 'made_at_run_time$'
	touch -d '1 hour ago' "$map"
	jitted 'anon'
	grep -q made_at_run_time out && fail "jitted: the map is older than the process"
	# Written when the process had ended, it may be another one's: which has no code at these random addresses.
	touch -d '1 hour' "$map"
	jitted 'made_at_run_time$'
	rm -rf symfs
	mkdir -p symfs/tmp
	mv "$map" symfs/tmp
	jitted 'anon'
	jitted 'made_at_run_time$' symfs
	mv "symfs$map" "$map"
	# The file time of the recording does not match its end, so it was copied, perhaps from another
	# machine or boot: the map is not used.
	touch "$map"
	touch -d '1 hour ago' jitted
	jitted 'anon'
	rm "$map"
fi

finish
