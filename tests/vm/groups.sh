#!/bin/sh
# Nine events on seven counters: the parts of a ratio are scheduled together, so that it is that of a counter
# that always runs.  Then with six counters taken away: pairs never run, and are opened one by one.  The user's own
# group of more events than counters, or than are free, is named at once.
# One CPU and exact counting.
. "$(dirname "$0")/lib.sh"
vm_build arm64
events=cycles,instructions,L1I_CACHE_REFILL,L1I_TLB_REFILL,L1D_CACHE_REFILL,L1D_TLB_REFILL
events=$events,BRANCH_MISPRED,BRANCH_PRED,EXCEPTION_TAKEN
guest --icount 1 <<GUEST
./probe spin 1000 &
pid=\$!
./cyctop -b -d 20 -n 1 -F 499 -e $events --format json >/out/system
./cyctop -b -d 5 -n 1 -F 499 -e $events --format json -t \$pid >/out/thread
./cyctop -b -d 2 -n 1 -F 499 -e "{$events}:W" --format json >/out/large
./cyctop -b -d 2 -n 1 -F 499 -e "{$events}" --format json >/out/strict
./cyctop -b -d 2 -n 1 -F 499 -e "$events" --no-mux --format json >/out/few
./cyctop record -F 499 -e "$events" --no-mux -o /out/few.data -t \$pid --duration 1 2>/out/few.err
perf stat -a -e cycles:D,cycles:D,cycles:D,cycles:D,cycles:D,cycles:D -- sleep 1000 2>/dev/null &
stat=\$!
sleep 1
./cyctop -b -d 1 -n 14 -F 499 -e cycles,instructions --format json >/out/starved
./cyctop -b -d 2 -n 1 -F 499 -e '{cycles,instructions}:W' --format json >/out/held
kill \$pid \$stat
GUEST
for run in system thread; do
	show "IPC of the function" $run 'symbol("count_down").metrics.ipc'
	check "$run: more events than counters" $run 'event("cycles").running < 0.98'
	check "$run: both parts ran at the same times" $run \
		'event("cycles").running as $c | event("instructions").running | near($c; 0.001)'
	check "$run: IPC of the function" $run 'symbol("count_down").metrics.ipc.value | near(0.5; 0.01)'
	check "$run: counted IPC" $run '(event("instructions").count / event("cycles").count) | near(0.5; 0.01)'
done
check 'a group with more events than counters is named' large \
	'.trust.notice | test("only 7 of the 9 events of .cycles,instructions,.*can be counted at the same time")'
check 'and all of its events count in turns' large '.events | all(.running > 0.1)'
check 'without :W the others are left out, which it says' strict \
	'([.events[] | select(.running == 1)] | length == 7) and (.trust.notice | test("the others are left out.*:W"))'
check 'a group with more events than free counters is named' held \
	'.trust.notice | test("only 1 of the 2 events of .cycles,instructions. .*others hold counters")'
check 'and its events count in turns' held '.events | all(.running > 0.2)'
check '--no-mux leaves out the events for which there are no counters' few \
	'[.events[] | select(.running == 1) | .name] | length == 7 and index("BRANCH_MISPRED")'
check 'which it says' few '.trust.notice | test("left out, .*: BRANCH_PRED, EXCEPTION_TAKEN")'
expect 'a recording of a thread, too' grep -q 'left out, .*: BRANCH_PRED, EXCEPTION_TAKEN' "$out/few.err"
show 'with one counter left' starved '.trust.notice, .events'
check 'a pair that never ran is opened one by one' starved \
	'event("cycles").running > 0.2 and event("instructions").running > 0.2'
check 'which it says' starved '.trust.notice | test("IPC do not get counters together")'
check 'there is an IPC of the function, if one event at a time' starved \
	'symbol("count_down").metrics.ipc.value | near(0.5; 0.3)'
finish
