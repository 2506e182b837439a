/* The table of the words on the screen that are neither keys nor headings, each with a sentence that explains it.
 * Help and manual have all of them. */
#include "view/screen.h"

#include <ctype.h>
#include <string.h>

const char *const word_sections[WORD_SECTIONS] = {
	[WORDS_TOP] = "The lines above the panes",
	[WORDS_TRUST] = "The trust line",
	[WORDS_COMPARE] = "The lines of a comparison",
	[WORDS_PANE] = "The panes",
	[WORDS_NAME] = "Names",
	[WORDS_VALUE] = "Values",
};

const struct word screen_words[] = {
	{WORDS_TOP, "last 5 s", "the window: the numbers are of the last 5 seconds; i changes it"},
	{WORDS_TOP, "last interval", "the numbers are of the time since the refresh before"},
	{WORDS_TOP, "since start", "the numbers are of all that was measured since the start, or since z"},
	{WORDS_TOP, "12:01:05 to 12:01:10",
	 "the stretch of the past that the numbers are of, which [ ] { } choose: whole intervals as they are kept"},
	{WORDS_TOP, "all of it", "the numbers are of the whole recording; [ ] show a part of it"},
	{WORDS_TOP, "PART", "the screen shows a part of the recording; 0 shows all of it"},
	{WORDS_TOP, "length", "how long the recording is"},
	{WORDS_TOP, "PAST", "the screen shows the past while measuring goes on; 0 returns to now"},
	{WORDS_TOP, "timeline",
	 "CPU use, IPC, cycles per second and cache misses over time, up to now or to some time after the stretch; [ ] "
	 "stand around the stretch that is shown; a full block stands for the larger number of the label"},
	{WORDS_TOP, "every", "time between two refreshes; d changes it"},
	{WORDS_TOP, "sampling",
	 "samples per second of the first event on each CPU; \"1 in 100k\": a sample each 100,000 events (-c)"},
	{WORDS_TOP, "running", "how long cyctop has been measuring"},
	{WORDS_TOP, "at", "position in the recording, its length, and the speed if it is not that of the clock"},
	{WORDS_TOP, "FROZEN", "the screen shows one moment while measuring goes on"},
	{WORDS_TOP, "ended", "all that was to be measured has ended"},
	{WORDS_TOP, "from a file", "the screen shows a recording, not this machine"},
	{WORDS_TOP, "made-up data", "the screen shows a script (--demo), not this machine"},
	{WORDS_TOP, "cycles ... (62%)", "the event was counted 62 % of the time; the count is scaled up"},
	{WORDS_TOP, "never counted", "the event was enabled, but other events used all counters"},
	{WORDS_TOP, "0.50 CPUs used", "CPU time of what is measured, by its clock: 1 is one CPU kept busy"},
	{WORDS_TOP, "GHz while busy", "cycles per nanosecond in which a CPU was busy"},
	{WORDS_TOP, "CPUs busy", "CPUs' time that was not idle, of the whole machine: 1 is one CPU kept busy"},
	{WORDS_TOP, "CPU strip",
	 "of each CPU its number, utilisation and IPC; of many CPUs a character each, or one for a "
	 "group of CPUs; a full block stands for an IPC of 4 or more"},

	{WORDS_TRUST, "PMU", "the hardware that counts events"},
	{WORDS_TRUST, "no PMU", "there is none, so a timer samples instead, and there are no ratios"},
	{WORDS_TRUST, "no perf events", "the kernel permits no sampling: CPU times come from /proc"},
	{WORDS_TRUST, "user+kernel", "both user space and the kernel are sampled"},
	{WORDS_TRUST, "user only", "user space is sampled, the kernel is not"},
	{WORDS_TRUST, "own processes", "only your own processes are sampled; with \"user only\", only in user space"},
	{WORDS_TRUST, "without", "requested events that could not be opened; columns that need them are missing"},
	{WORDS_TRUST, "chains whole",
	 "share of the samples whose call chain reaches the function in which its thread began; cut: the copy of the "
	 "stack, or the kernel's longest chain, is too short, or a part was not recorded; broken: code built without "
	 "frame pointers calls there, or the code is unknown. TOTAL% is then too small; y says what helps"},
	{WORDS_TRUST, "mux",
	 "multiplexing: share of the time in which the least counted event was counted; counts are scaled up"},
	{WORDS_TRUST, "no mux", "every event was counted all the time"},
	{WORDS_TRUST, "mux unknown",
	 "the recording does not say whether its events took turns on the counters: if so, amounts are too small and "
	 "ratios wrong; recordings of cyctop record say it"},
	{WORDS_TRUST, "ratios of surroundings",
	 "a whole group of events was read at each sample: ratios are of all that ran since the sample before, not of "
	 "the function; sample each event on its own for that"},
	{WORDS_TRUST, "samples without periods",
	 "the recording does not say how many events a sample stands for: there are shares of samples, but no ratios "
	 "and amounts"},
	{WORDS_TRUST, "lost", "samples that did not fit into the kernel's buffers; their rows show too little"},
	{WORDS_TRUST, "bad", "records from the kernel that were malformed and left out"},
	{WORDS_TRUST, "throttled",
	 "share of the time for which the kernel had stopped the event, of all events the most, because its samples "
	 "came too fast: nothing was counted then, mostly of what is hot; sample less often (-F, -c); \"2x\": twice, "
	 "for an unknown time"},
	{WORDS_TRUST, "part of the CPUs",
	 "these ratios are of the CPUs that counted both of their events; ! says how many"},
	{WORDS_TRUST, "no ratio",
	 "the events of these ratios count different modes (:u, :k); name both alike, as "
	 "-e cycles:u,instructions:u"},
	{WORDS_TRUST, "in turns*",
	 "ratios with a * in their heading: there are more events than counters, and their two events were counted at "
	 "different times; a program in step with these turns makes them wrong: count fewer events (-e)"},
	{WORDS_TRUST, "unnamed",
	 "share of the cycles in code without a function name; \"by start\": the part of it whose functions are "
	 "told apart by where they begin, as [x.so+0x15a20]"},
	{WORDS_TRUST, "reading", "share of the cycles in code whose symbol tables are being read"},
	{WORDS_TRUST, "sampled",
	 "events that the samples stand for, of those counted (of a clock: of the busy time, of processes of their "
	 "CPU time); the event that is farthest from 100%, else the first; far from 100%: trust shares, not "
	 "amounts, and no ratio with it; processes that live shorter than a sample takes may be missing"},
	{WORDS_TRUST, "limits", "how many limits on memory or time were reached; ! says which, and what is missing"},
	{WORDS_TRUST, "…+2", "items that did not fit into the line; the key ! shows all of them"},
	{WORDS_TRUST, "self", "CPU time that cyctop itself uses; 100% is one CPU"},

	{WORDS_COMPARE, "cycles/rows alike",
	 "the numbers are cycles of a row over those of the rows that changed alike: BEFORE is the share of all, "
	 "NOW what it would be if these rows still had theirs, so that a row that doubled has twice its BEFORE; "
	 "NOW is no share, and can add up to more than 100; also \"share of cycles\", \"cycles/second\" "
	 "(\"busy time/second\": 100 is one CPU) and \"cycles/instruction\"; c changes it"},
	{WORDS_COMPARE, "last 10 s against 12:01:10 to 12:02:10",
	 "now, and the baseline: up to 60 refreshes before b was pressed, or since the baseline before it"},
	{WORDS_COMPARE, "3 of 812 rows changed",
	 "rows with a real change, of all rows of the pane, which is named where there are several; "
	 "\", IPC of 2\": rows whose IPC changed"},
	{WORDS_COMPARE, "B against A, 7 pairs",
	 "two states that take turns (t): BEFORE is A, NOW is B, and CHANGE is tested by how the two turns of each "
	 "pair differ"},
	{WORDS_COMPARE, "too short to tell", "no row has enough samples in enough intervals on both sides"},
	{WORDS_COMPARE, "low sensitivity",
	 "the load has phases so long that the sides count as fewer than 6 independent intervals: what is marked "
	 "is too large for chance, but smaller changes are not found; a longer baseline, or a longer window ({), "
	 "sees more phases; turns (t) find what neither can"},
	{WORDS_COMPARE, "another CPU, kernel: !",
	 "the baseline is a file of another machine, or of another event, kernel or part of what runs (--baseline), or "
	 "of the same time; ! says what that means"},
	{WORDS_COMPARE, "the file has no processes",
	 "what the rows of a pane are made or chosen by is not in the file (--baseline); such a pane is \"not "
	 "compared\""},
	{WORDS_COMPARE, "rows alike: 12",
	 "rows that changed alike, which the others are measured by, and how much of all they are now"},
	{WORDS_PANE, "by CYC%▼", "the column that rows are sorted by, the largest first; ▲: the smallest first"},
	{WORDS_PANE, "+2", "behind the headings: so many columns have no room; o lists all"},
	{WORDS_PANE, "rows", "all rows of the table, also those that do not fit on the screen"},
	{WORDS_PANE, "rows 9-22 of 1748",
	 "the rows that are on the screen, of all: the first ones are above it (Home)"},
	{WORDS_PANE, "selected: row 33",
	 "the selected row is not on the screen: rows stay where they are while it moves; Up and Down go on from it"},
	{WORDS_PANE, "only", "only rows with this text are shown; Esc shows all"},
	{WORDS_PANE, "kernel hidden", "kernel code and threads are left out of this pane; K shows them"},
	{WORDS_PANE, "user hidden", "user code and programs are left out of this pane; U shows them"},
	{WORDS_PANE, "in A › B",
	 "zooms: only what belongs to A and to B; percentages stay shares of the machine (key %)"},
	{WORDS_PANE, "33% of all", "share that the rows of a zoom or filter have of the whole machine"},
	{WORDS_PANE, "100% = 33% of all",
	 "shares are of what the pane shows (key %), which is 33 % of the whole machine"},
	{WORDS_PANE, "(ended)", "the process of a zoom is gone; a new one with its number is not shown"},
	{WORDS_PANE, "[Tasks]  CPUs", "panes that share a place; Tab goes to the next one"},

	{WORDS_NAME, "(idle)", "the time in which CPUs were idle; it has no share"},
	{WORDS_NAME, "[idle]", "the idle task, as a process"},
	{WORDS_NAME, "[interrupts]",
	 "interrupts that arrived while a CPU was idle; where a clock is sampled, the busy time that no task had"},
	{WORDS_NAME, "[exiting]",
	 "tasks that were sampled at their very end, when the kernel had taken their numbers away"},
	{WORDS_NAME, "[other pid namespaces]",
	 "all tasks outside of the container that cyctop runs in, or ran in when it recorded; --pid=host shows them "
	 "apart"},
	{WORDS_NAME, "[exited]", "in totals since start: processes that ended some time ago, together by their COMM"},
	{WORDS_NAME, "[more threads]", "all beyond 262,144 threads that have samples"},
	{WORDS_NAME, "[more files]", "all beyond 65,536 files that are mapped"},
	{WORDS_NAME, "[unknown]",
	 "code in no known mapping; a task of which nothing is known; the owner of such tasks"},
	{WORDS_NAME, "[no name]", "a task that gave itself an empty name"},
	{WORDS_NAME, "[no symbol]", "code that no symbol and no unwind table covers; y says why"},
	{WORDS_NAME, "(F: ask the JVM)",
	 "code of a JVM in whose memory no names are; F has the JVM tell them, and says first what that does"},
	{WORDS_NAME, "(F: ask .NET)", "the same of a .NET process, in whose memory no names are looked for"},
	{WORDS_NAME, "[x.so+0x15a20]", "a function whose name was stripped, by where it begins in its file"},
	{WORDS_NAME, "0x1a2b", "in recordings: an offset in a file that is not here"},
	{WORDS_NAME, "reading symbols", "the symbol table is being read; then the samples move to their functions"},
	{WORDS_NAME, "[kernel]", "the kernel itself; its modules have their names in brackets: [ext4]"},
	{WORDS_NAME, "[modules]", "code of kernel modules whose names are not known"},
	{WORDS_NAME, "[bpf]", "BPF programs, which the kernel runs"},
	{WORDS_NAME, "[JIT]", "code that the program of that name made at run time, and named"},
	{WORDS_NAME, "[anon]", "code in memory without a file, made at run time and not named"},
	{WORDS_NAME, "[heap]", "code on the heap, made at run time and not named"},
	{WORDS_NAME, "[stack]", "code on a stack, made at run time and not named"},
	{WORDS_NAME, "[vdso]", "code that the kernel maps into every process, for reading clocks"},
	{WORDS_NAME, "[vsyscall]", "the kernel's page of old system calls"},
	{WORDS_NAME, "[uprobes]", "the kernel's code for probes in a process"},
	{WORDS_NAME, "[guest]", "a virtual machine's code, which cannot be named from here"},
	{WORDS_NAME, "[hypervisor]", "the hypervisor's code, which cannot be named from here"},
	{WORDS_NAME, "[not loaded]", "in totals since start: files that no process has loaded any more"},
	{WORDS_NAME, "[earlier code]", "in totals since start: functions that have not run for long, together"},
	{WORDS_NAME, "[cgroup 1234]", "a control group of which only the kernel's number is known"},
	{WORDS_NAME, "[earlier cgroups]", "in totals since start: control groups of long ago, together"},
	{WORDS_NAME, "name@plt", "the stub through which a library's function is called"},
	{WORDS_NAME, "name @0x1149", "a function at that address of its file, where another one has the same name"},
	{WORDS_NAME, "(deleted), (del)", "the file was deleted or replaced after the program was started"},
	{WORDS_NAME, "<…>, (…)", "template arguments and parameters that do not fit; y shows the whole name"},

	{WORDS_VALUE, "IPC of 0.7", "below it the CPU mostly waits, for memory as a rule; above 2 it computes"},
	{WORDS_VALUE, "MISS% and MPKI", "a high miss ratio matters where misses per 1000 instructions are many, too"},
	{WORDS_VALUE, "≈12.3",
	 "CPU time estimated from samples: of code, of tasks that ended (*12.3 where there is only ASCII); without the "
	 "mark it is the scheduler's"},
	{WORDS_VALUE, "~1.23", "a number of too few samples: its standard error is above 20 % of it"},
	{WORDS_VALUE, "1.23±0.05", "a number and its standard error, of what happened in the window (key e)"},
	{WORDS_VALUE, "-", "unknown: not counted, or nothing to divide by; it never stands for 0"},
};
const size_t screen_words_n = ARRAY_LEN(screen_words);

const struct word *word_find(const char *word)
{
	for (size_t i = 0; i < screen_words_n; i++)
		if (strcmp(screen_words[i].word, word) == 0)
			return &screen_words[i];
	return NULL;
}

const struct word *word_of_name(const char *name)
{
	for (size_t i = 0; i < screen_words_n; i++) {
		const char *word = screen_words[i].word;
		/* Compares only the part of the word before what varies: "[exited" of "[exited]", "[cgroup " of
		 * "[cgroup 1234]". */
		size_t n = strcspn(word, "0123456789+:])");
		if (screen_words[i].section == WORDS_NAME && strchr("[(", word[0]) && strncmp(word, name, n) == 0 &&
		    !isalpha((unsigned char)name[n]))
			return &screen_words[i];
	}
	return NULL;
}
