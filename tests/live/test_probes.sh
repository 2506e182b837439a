#!/bin/sh
# Probes in user space: a function and its returns are counted exactly, and a wrong name is told the nearest.
#   test_probes.sh CYCTOP
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
needs_root "sets probes"
needs cc
[ -d /sys/bus/event_source/devices/uprobe ] || skip "no PMU uprobe"
cyctop=$(realpath "$1")
cd "$tmp" || exit 1
cat >l.c <<'END'
__attribute__((noinline)) int hit(int n) { __asm__ volatile(""); return n ? hit(n - 1) + 1 : 0; }
int main(void) { for (int i = 0; i < 40; i++) hit(49); }
END
cc -O0 -o l l.c || skip "no compiler"
"$cyctop" record -e "uprobe:$tmp/l:hit,uprobe:$tmp/l:hit%return" -o a.data -- ./l 2>err || fail "record: $(cat err)"
for name in "hit" "hit%return"; do
	own=$("$cyctop" -b -i a.data --sort pid --format json 2>/dev/null |
		jq "[.rows[].events[\"uprobe:$tmp/l:$name\"].weight] | add")
	[ "$own" = 2000 ] || fail "$name: $own of 2000 hits"
done
"$cyctop" -b -n 1 -d 0.1 -e "uprobe:$tmp/l:hti" 2>err && fail "hti is taken"
grep -q "'hit' is one" err || fail "hti: $(cat err)"
finish
