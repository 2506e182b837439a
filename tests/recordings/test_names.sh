#!/bin/sh
# Names in recordings that perf makes here: of programs that are still the same, were
# built anew, stripped, or are gone.
#   test_names.sh NAMES
set -u
names=$(realpath "$1")
for program in perf cc strip objcopy readelf; do
	command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp" || exit 1
export HOME="$tmp/home" LC_ALL=C
mkdir home
failed=0

fail() {
	printf 'FAIL %s\n' "$*"
	failed=$((failed + 1))
}

# build FACTOR: a program whose bytes, and so its build-id, depend on it.
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

# expect FILE PATTERN [ARGUMENT OF names...]: the program's samples are told of so.
expect() {
	file=$1 pattern=$2
	shift 2
	"$names" "$file" "$@" >out 2>&1 || fail "$file: $(tail -n 1 out)"
	grep -E '^[0-9]+ prog ' out | sort -rn | head -n 1 | grep -Eqe "$pattern" ||
		fail "$file: not '$pattern' but: $(grep ' prog ' out | head -n 3)"
}

build 3 || exit 1
if ! record same -N; then
	echo "perf cannot record here: $(tail -n 1 err)"
	exit 77
fi
expect same ' recorded_function$'

# As many samples as perf says, in the function.
said=$(perf report -i same --stdio -n --sort dso,symbol 2>/dev/null |
	awk '$3 == "prog" && $5 == "recorded_function" { print $2 }')
counted=$(awk '$2 == "prog" && $3 == "recorded_function" { print $1 }' out)
[ "$said" = "$counted" ] || fail "$counted samples in the function, perf says $said"

record none -N -B
expect none '- .*no build-id'
expect none ' recorded_function$' /

perf record -o - -N --buildid-mmap -e cpu-clock -F 999 -- ./prog >piped 2>err &&
	expect piped ' recorded_function$'

# Stripped, with its debug information apart.
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

# Another build in its place; then what perf kept of the one that ran.
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

# Code made at run time: by the process's own map, which is here; by that of another process
# with its number, never; and with the user's word.
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
	touch -d '1 hour' "$map"
	jitted 'anon'
	grep -q made_at_run_time out && fail "jitted: the map is of another process"
	rm -rf symfs
	mkdir -p symfs/tmp
	mv "$map" symfs/tmp
	jitted 'anon'
	jitted 'made_at_run_time$' symfs
	mv "symfs$map" "$map"
	# The same file from elsewhere: it was copied, nobody knows when and from where.
	touch "$map"
	touch -d '1 hour ago' jitted
	jitted 'anon'
	rm "$map"
fi

[ $failed -eq 0 ] || exit 1
