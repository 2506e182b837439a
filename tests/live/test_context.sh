#!/bin/sh
# Kernel contexts: tracepoints that the kernel has in one context alone have all their samples in it, and what is
# sampled while packets flow is in softirqs of the network, of which /proc/softirqs has most, too.
#   test_context.sh CYCTOP
cyctop=$(realpath "$1") self=$(realpath "$0")
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"
needs_root "reads tracepoints"
needs unshare jq bash
if [ "${2:-}" != inside ]; then
	exec unshare -m sh "$self" "$cyctop" inside
fi
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || [ -d /sys/kernel/tracing/events ] ||
	skip "tracefs cannot be mounted"
[ -d /sys/kernel/tracing/events/irq ] || skip "no tracepoints"
# shellcheck disable=SC3025 # of bash
start bash -c 'while :; do echo packet >/dev/udp/127.0.0.1/9; done' 2>/dev/null

# all EVENT CONTEXT: are all samples of the event whose context is known in it, and most known?
all() {
	[ -d "/sys/kernel/tracing/events/$(echo "$1" | tr : /)" ] || return 0
	"$cyctop" -b -n 1 -d 1 --show-self -e "$1" --sort context --format json >rows.json 2>err ||
		fail "$1: $(cat err)"
	jq -e --arg e "$1" '[.rows[].events[$e].samples] | add > 0' rows.json >/dev/null || {
		[ "$1" = irq:irq_handler_entry ] || fail "no samples of $1"
		return 0 # no device needed attention
	}
	jq -e --arg e "$1" --arg c "$2" '[.rows[] | {context, n: .events[$e].samples}] |
		(map(select(.context == $c).n) | add) as $in | (map(select(.context != null).n) | add) as $known |
		(map(.n) | add) as $all | $in == $known and $known > 0.9 * $all' rows.json >/dev/null ||
		fail "$1 in $2: $(jq -c --arg e "$1" '[.rows[] | [.context, .events[$e].samples]]' rows.json)"
}

all irq:softirq_entry softirq
all irq:irq_handler_entry interrupt
all timer:timer_expire_entry 'softirq TIMER'
all net:netif_receive_skb 'softirq NET_RX'
all raw_syscalls:sys_enter task
all exceptions:page_fault_user task

"$cyctop" -b -n 1 -d 2 -F 997 -e cpu-clock --sort context --format json >rows.json 2>err || fail "clock: $(cat err)"
jq -e '.rows | (map(select(.context == "softirq NET_RX").share) | add) as $net |
	(map(select(.context // "" | startswith("softirq ")).share) | max) == $net' rows.json >/dev/null ||
	fail "packets: $(jq -c '[.rows[] | [.context, .share]]' rows.json)"
jq -e '.rows | map(select(.context == "task").share) | add > 0.5' rows.json >/dev/null ||
	fail "tasks: $(jq -c '[.rows[] | [.context, .share]]' rows.json)"
end "$pid"
finish
