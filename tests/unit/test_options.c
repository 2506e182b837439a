/* Command lines in, messages out: which options go together, in every run there is, and what is
 * said of words that no command line can have. */
#include "base/words.h"
#include "options/rows.h"

#include <cyctop/options.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARGS_MAX = 16 };

/* ---- all pairs --------------------------------------------------------------------------------- */

/* A value for each option that takes one. */
static const struct {
	const char *name, *value;
} values[] = {
	{"iterations", "3"}, {"delay", "2"},	    {"event", "cpu-clock"},
	{"freq", "99"},	     {"count", "1000"},	    {"pid", "1"},
	{"tid", "1"},	     {"uid", "0"},	    {"cpu", "0"},
	{"comm", "sh"},	     {"filter", "x"},	    {"window", "9"},
	{"order", "share"},  {"sort", "comm"},	    {"format", "text"},
	{"table", "tasks"},  {"top", "3"},	    {"input", "x"},
	{"speed", "2"},	     {"symfs", "/"},	    {"vmlinux", "x"},
	{"kallsyms", "x"},   {"history", "1"},	    {"debuginfod", "x"},
	{"ring", "64"},	     {"color", "always"},   {"output", "-"},
	{"baseline", "x"},   {"duration", "1"},	    {"per", "x"},
	{"toggle", "a"},     {"every", "2s"},	    {"fdr", "5"},
	{"min-change", "1"}, {"event-filter", "x"}, {"preset", "cache"},
	{"budget", "1"},     {"cgroup", "a"},	    {"metric", "x=cycles/2"},
	{"fields", "id"},    {"call-graph", "fp"},  {"branch-filter", "any"},
};

/* Where the options mean something; all others do everywhere. */
static const char live_only[] = " event preset budget freq count show-self user-only ring toggle every weight "
				"branch-filter parallelism no-mux cgroup ";
static const char file_only[] = " speed symfs kallsyms branches ";
static const char not_demo[] = " vmlinux debuginfod fields off-cpu ";
static const char screen_only[] =
	" fields history debuginfod color ascii no-mouse baseline output toggle every per fdr "
	"min-change "; /* output: or --format snapshot */
static const char batch_only[] = " table top children ";

static const struct {
	const char *a, *b;
	bool batch; /* only where tables are printed */
} contradictions[] = {
	{"input", "demo", false},
	{"pid", "tid", false},
	{"pid", "uid", false},
	{"cgroup", "pid", false},
	{"cgroup", "tid", false},
	{"cgroup", "uid", false},
	{"tid", "uid", false},
	{"uid", "input", false},
	{"count", "freq", false},
	{"hide-kernel", "hide-user", false},
	{"user-only", "hide-user", false},
	{"user-only", "hide-kernel", false},
	{"table", "sort", false},
	{"toggle", "baseline", false},
	{"threads", "sort", false},
	{"window", "input", true},
};

static bool in(const char *set, const char *name)
{
	char word[40];
	snprintf(word, sizeof(word), " %s ", name);
	return strstr(set, word);
}

static bool either(const char *name, const char *a, const char *b)
{
	return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

static bool one_is_refused(const char *name, bool file, bool demo, bool batch)
{
	return (in(live_only, name) && (file || demo)) || (in(file_only, name) && !file) ||
	       (in(not_demo, name) && demo) || (in(screen_only, name) && batch) || (in(batch_only, name) && !batch);
}

static bool pair_is_refused(const char *a, const char *b, bool tty)
{
	bool file = either("input", a, b), demo = either("demo", a, b);
	bool batch = !tty || either("batch", a, b) || either("format", a, b) || either("sort", a, b);
	if (either("event-filter", a, b)) /* there is no tracepoint before it */
		return true;
	if (either("help", a, b) || either("version", a, b))
		return false;
	if (either("fields", a, b) && !file && !either("off-cpu", a, b)) /* there is no tracepoint that has one */
		return true;
	if (either("every", a, b) && !either("toggle", a, b))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(contradictions); i++)
		if (either(contradictions[i].a, a, b) && either(contradictions[i].b, a, b) && strcmp(a, b) != 0 &&
		    (batch || !contradictions[i].batch))
			return true;
	return one_is_refused(a, file, demo, batch) || one_is_refused(b, file, demo, batch);
}

/* Appends an option by its name, with its value or its two. */
static void add_option(char *line[ARGS_MAX], int *n, const struct option_row *row, char storage[64])
{
	static char second_value[] = "b";
	snprintf(storage, 64, "--%s", row->name);
	if (!row->arg || row->arg[0] == '[') {
		line[(*n)++] = storage;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (strcmp(values[i].name, row->name) == 0) {
			size_t at = strlen(storage);
			snprintf(storage + at, 64 - at, "=%s", values[i].value);
			line[(*n)++] = storage;
			if (strchr(row->arg, ' '))
				line[(*n)++] = second_value;
			return;
		}
	fail_msg("the test has no value for --%s", row->name);
}

static void check_pair(const struct option_row *a, const struct option_row *b, bool tty)
{
	char program[] = "cyctop", first[64], second[64], *line[ARGS_MAX] = {program};
	int n = 1;
	struct options o;
	struct error err = {.text = ""};
	add_option(line, &n, a, first);
	if (a != b)
		add_option(line, &n, b, second);
	bool refused = options_parse(COMMAND_SHOW, n, line, tty, &o, &err) < 0;
	if (refused != pair_is_refused(a->name, b->name, tty))
		fail_msg("%s %s (%s): %s: %s", first, a != b ? second : "", tty ? "terminal" : "pipe",
			 refused ? "refused" : "accepted", err.text);
	if (refused && (!strstr(err.text, ": ") || (!strstr(err.text, a->name) && !strstr(err.text, b->name))))
		fail_msg("%s %s: the message does not say why: %s", first, second, err.text);
}

static void all_pairs_of_options(void **state)
{
	(void)state;
	struct option_row rows[OPTION_ROWS_MAX];
	size_t n = options_rows(rows);
	for (size_t a = 0; a < n; a++)
		for (size_t b = a; b < n; b++)
			for (int tty = 0; tty < 2; tty++)
				check_pair(&rows[a], &rows[b], tty);
}

static bool record_pair_is_refused(const char *a, const char *b)
{
	if (either("event-filter", a, b))
		return true;
	if (either("help", a, b))
		return false;
	if (either("input", a, b)) /* a copy takes these two alone, and needs the first */
		return !either("output", a, b);
	int whom = either("pid", a, b) + either("tid", a, b) + either("uid", a, b) + either("cgroup", a, b);
	return (either("all", a, b) && whom) ||
	       (strcmp(a, b) != 0 && (whom == 2 || (either("count", a, b) && either("freq", a, b))));
}

static void all_pairs_of_record(void **state)
{
	(void)state;
	struct option_row rows[OPTION_ROWS_MAX];
	size_t n = record_command.rows(rows);
	for (size_t a = 0; a < n; a++)
		for (size_t b = a; b < n; b++) {
			char program[] = "record", first[64], second[64], *line[ARGS_MAX] = {program};
			int args = 1;
			struct record_options o;
			struct error err = {.text = ""};
			add_option(line, &args, &rows[a], first);
			if (a != b)
				add_option(line, &args, &rows[b], second);
			bool refused = options_parse(COMMAND_RECORD, args, line, false, &o.common, &err) < 0;
			if (refused != record_pair_is_refused(rows[a].name, rows[b].name))
				fail_msg("record %s %s: %s: %s", first, a != b ? second : "",
					 refused ? "refused" : "accepted", err.text);
		}
}

/* ---- single command lines ---------------------------------------------------------------------- */

static void assert_said(enum command_id command, const char *text, bool tty, const char *expected)
{
	char words[256], *line[ARGS_MAX], *save = NULL;
	int n = 0;
	snprintf(words, sizeof(words), "%s %s", command == COMMAND_RECORD ? "record" : "cyctop", text);
	for (char *word = strtok_r(words, " ", &save); word && n < ARGS_MAX - 1; word = strtok_r(NULL, " ", &save))
		line[n++] = word;
	line[n] = NULL;
	union {
		struct options show;
		struct record_options record;
		struct annotate_options annotate;
		struct compare_options compare; /* the largest, which begins with the options of diff */
	} o;
	struct error err = {.text = ""};
	int rc = options_parse(command, n, line, tty, &o.show, &err);
	assert_int_equal(rc < 0, *expected != '\0');
	assert_string_equal(err.text, expected);
}

static void what_contradicts_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		bool tty;
		const char *said; /* "": accepted */
	} rows[] = {
		{"-K -U", true, "-K with -U: nothing would be left to show"},
		{"--hide-kernel -U", true, "--hide-kernel with -U: nothing would be left to show"},
		{"--user-only -U", true, "--user-only with -U: nothing would be left to show"},
		{"--event-filter x -e cycles", true,
		 "--event-filter without an -e before it: it is about the fields of its tracepoints"},
		{"-e cycles --event-filter x", true,
		 "--event-filter: 'cycles' is no tracepoint and has no fields; give it a -e of its own, after the "
		 "filter"},
		{"-e cycles:u,instructions:u -U", true, "-U with -e: nothing would be left to show"},
		{"-e cycles:u,instructions -U", true, ""},
		{"-e cycles:k --user-only", true, "--user-only with -e: nothing would be left to show"},
		{"-c 5 -F 9", true, "-c with -F: each says how often to sample; give one of them"},
		{"--format pprof", true, "--format pprof is not for a terminal: write it to a file, > FILE"},
		{"--format pprof", false, ""},
		{"--speed 2", true, "--speed without -i: it needs a recording"},
		{"-i x -F 9", true, "-F with -i: a recording is shown as it was measured"},
		{"--symfs /no/such/dir -i x", true, "--symfs: /no/such/dir: No such file or directory"},
		{"--symfs /dev/null -i x", true, "--symfs: /dev/null is not a directory"},
		{"--demo --vmlinux x", true,
		 "--vmlinux with --demo: a made-up machine is not measured and has no files"},
		{"--top 3", true, "--top on a terminal: it changes printed tables; add -b to print them"},
		{"--table tasks", true, "--table on a terminal: it changes printed tables; add -b to print them"},
		{"--top 3 --table tasks", false, ""},
		{"--top 3 --format csv", true, ""},
		{"-b --color always", true, "--color with -b: it changes the screen, but here tables are printed"},
		{"--format csv --ascii", true,
		 "--ascii with --format: it changes the screen, but here tables are printed"},
		{"--sort comm --no-mouse", true,
		 "--no-mouse with --sort: it changes the screen, but here tables are printed"},
		{"--color never", false,
		 "--color where standard output is no terminal: it changes the screen, but here tables are printed"},
		{"-H --table cpus -b", true, "-H with --table: that table has neither processes nor threads"},
		{"-H --table tasks -b", true, ""},
		{"-H --format csv", true, "-H with --format: it prints the table of symbols; add --table tasks"},
		{"-H --format csv --table tasks", true, ""},
		{"--table all --format csv", true, "--table with --format: CSV has one table; name it"},
		{"--error --format csv", true, "--error with --format: CSV and JSON have the errors anyway"},
		{"--error --format text", true, ""},
		{"-o x", true, ""},
		{"-o x -b", true,
		 "-o without --format: it is where snapshots go, and tables are printed; --format snapshot makes one"},
		{"-o x --format text", true, "-o with --format: it is where snapshots go; --format snapshot makes one"},
		{"-i x -b --window 5", true, "--window with -i: without -d, a printed recording is one interval"},
		{"-i x -b --window 5 -d 1", true, ""},
		{"-i x -b --window 5 --speed 1", true, ""},
		{"-i x -p 1 -C 0 --comm a --filter b", true, ""},
		{"-i x -u 0", true,
		 "-u with -i: a recording does not say whose its processes are; --comm or -p chooses some"},
		{"--demo -u 0", true, ""},
		{"-K -U --help", true, ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_said(COMMAND_SHOW, rows[i].line, rows[i].tty, rows[i].said);
}

/* Presets have events in common, with each other and with those of -e. */
static void presets_add_what_is_missing(void **state)
{
	(void)state;
	static const struct {
		const char *line, *events;
	} rows[] = {
		{"--preset branch --preset stalls",
		 "cycles instructions branches branch-misses stalled-cycles-frontend stalled-cycles-backend "},
		{"-e minor-faults,cs --preset faults", "minor-faults cs page-faults major-faults "},
		{"--preset faults --preset faults -e cs", "page-faults minor-faults major-faults cs "},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char words[256], *line[ARGS_MAX] = {(char[]){"cyctop"}}, *save = NULL, names[256] = "";
		int n = 1;
		struct options o;
		struct error err = {.text = ""};
		snprintf(words, sizeof(words), "%s", rows[i].line);
		for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
			line[n++] = word;
		if (options_parse(COMMAND_SHOW, n, line, true, &o, &err) < 0)
			fail_msg("%s: %s", rows[i].line, err.text);
		for (size_t e = 0, used = 0; e < o.live.events_n; e++)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s ", o.live.events[e].name);
		assert_string_equal(names, rows[i].events);
	}
}

static void unknown_words_get_advice(void **state)
{
	(void)state;
	static const struct {
		enum command_id command;
		const char *line, *said;
	} rows[] = {
		{COMMAND_SHOW, "report",
		 "unknown word 'report': cyctop -i FILE shows a recording, and cyctop -b -i FILE prints it"},
		{COMMAND_SHOW, "top", "unknown word 'top': cyctop alone is the live view"},
		{COMMAND_SHOW, "stat",
		 "unknown word 'stat': cyctop -b -n 1 -d SECS prints what was counted in SECS seconds"},
		{COMMAND_SHOW, "replay", "unknown word 'replay': cyctop -i FILE shows a recording; --speed N plays it"},
		{COMMAND_SHOW, "watch", "unknown word 'watch': cyctop alone is the live view"},
		{COMMAND_SHOW, "dleay", "unknown word 'dleay'? cyctop takes options only; --help lists them"},
		{COMMAND_SHOW, "batch", "unknown word 'batch': did you mean --batch?"},
		{COMMAND_SHOW, "-v",
		 "unknown option '-v': --version prints the version; messages go to standard error, and cannot be "
		 "more"},
		{COMMAND_SHOW, "-p nginx",
		 "-p: 'nginx' is not a list of ids such as 17,4242: \"$(pgrep -d, nginx)\" is that of the programs of "
		 "that name"},
		{COMMAND_SHOW, "-p 1,x", "-p: '1,x' is not a list of ids such as 17,4242"},
		{COMMAND_SHOW, "-p $(x)", "-p: '$(x)' is not a list of ids such as 17,4242"},
		{COMMAND_SHOW, "--filter /(/", "--filter: the regular expression /(/ is wrong: Unmatched ( or \\("},
		{COMMAND_SHOW, "-F 1000000", "-F takes a number from 1 to 100,000, not '1000000'"},
		{COMMAND_SHOW, "rekord", "unknown word 'rekord': did you mean cyctop record?"},
		{COMMAND_SHOW, "4711", "unknown word '4711': -p 4711 shows that process alone"},
		{COMMAND_SHOW, "/bin/sh", "unknown word '/bin/sh': cyctop -- /bin/sh runs and shows it"},
		{COMMAND_SHOW, "symbls", "unknown word 'symbls': did you mean --table symbols?"},
		{COMMAND_SHOW, "json", "unknown word 'json': did you mean --format json?"},
		{COMMAND_SHOW, "qqqq", "unknown word 'qqqq'? cyctop takes options only; --help lists them"},
		{COMMAND_SHOW, "-g", ""},
		{COMMAND_SHOW, "-g dwarf", ""},
		{COMMAND_SHOW, "-g lbr", ""},
		{COMMAND_RECORD, "-g lbr true", ""},
		{COMMAND_SHOW, "-g dwarf,65528 -b", ""},
		{COMMAND_SHOW, "-gdwarf,4", "-g dwarf takes a number from 8 to 65,528, not '4'"},
		{COMMAND_SHOW, "-gdwarfs",
		 "-g takes fp, by frame pointers, dwarf[,BYTES], by copies of stacks, or lbr, by the CPU's list of "
		 "calls; not "
		 "'dwarfs'"},
		{COMMAND_RECORD, "-g dwarf true", ""},
		{COMMAND_RECORD, "-g true", ""},
		{COMMAND_SHOW, "-gb",
		 "-g takes fp, by frame pointers, dwarf[,BYTES], by copies of stacks, or lbr, by the CPU's list of "
		 "calls; not "
		 "'b'"},
		{COMMAND_SHOW, "--format svg -n 2",
		 "-n with --format: it writes one document, of the whole run or recording, or of -d seconds"},
		{COMMAND_SHOW, "--format svg -i x -d 2",
		 "-d with --format: it writes one document, of the whole recording or of the command's whole run"},
		{COMMAND_SHOW, "-b --children --format folded",
		 "--children with --format: call chains have all callees anyway"},
		{COMMAND_DIFF, "--sort chain a b",
		 "--sort: call chains are not compared; --sort symbol compares functions"},
		{COMMAND_SHOW, "--duration 3", "unknown option '--duration': it is an option of cyctop record"},
		{COMMAND_SHOW, "--bacth", "unknown option '--bacth': did you mean --batch?"},
		{COMMAND_SHOW, "--comms", "unknown option '--comms': did you mean --comm?"},
		{COMMAND_SHOW, "--dsos", "unknown option '--dsos': did you mean --table dsos?"},
		{COMMAND_SHOW, "--s", "unknown option '--s'; --help lists them"},
		{COMMAND_SHOW, "--batch=3", "the option '--batch' takes no value"},
		{COMMAND_SHOW, "-n", "the option '-n' needs a value"},
		{COMMAND_SHOW, "-s comm,dso",
		 "-s orders the rows by one column; --sort comm,dso makes one table by these keys"},
		{COMMAND_SHOW, "--toggle a", "the option '--toggle' takes two values: CMD_A CMD_B"},
		{COMMAND_SHOW, "--toggle a b --toggle c d", "--toggle takes two commands, and is given once"},
		{COMMAND_SHOW, "-s smaples", "no column 'smaples' to sort by: did you mean -s samples?"},
		{COMMAND_SHOW, "--sort cpu%",
		 "--sort makes one table by keys, and 'cpu%' is a column: -s cpu% orders the tables by it"},
		{COMMAND_SHOW, "--table task",
		 "--table takes one of symbols, dsos, modes, origins, chains, targets, tasks, commands, "
		 "commands_nodigit, "
		 "users, "
		 "parents, cgroups, parallelism, contexts, mem_levels, mem_ops, snoops, tlbs, locked, blocked, "
		 "data_pages, phys_pages, cpus, "
		 "cores, sockets, nodes, pmus, not 'task': did you mean --table tasks?"},
		{COMMAND_SHOW, "--format jsn",
		 "--format takes one of text, csv, json, folded, svg, speedscope, firefox, pprof, snapshot, not 'jsn': "
		 "did you mean --format json?"},
		{COMMAND_SHOW, "-c 0", "-c takes a number from 1 to 1,000,000,000,000,000, not '0'"},
		{COMMAND_SHOW, "--ring 3", "--ring takes a number from 4 to 1,048,576, not '3'"},
		{COMMAND_SHOW, "-d 0", "-d takes a number from 0.1 to 3,600, not '0'"},
		{COMMAND_RECORD, "-b", "unknown option '-b': it is an option of cyctop alone"},
		{COMMAND_RECORD, "--outptu x", "unknown option '--outptu': did you mean --output?"},
		{COMMAND_RECORD, "-a -p 1", "-a with -p: one records everything and the other some; give one of them"},
		{COMMAND_RECORD, "-i x true", "-i with COMMAND: a recording is read, and there is no command to run"},
		{COMMAND_RECORD, "-i x", "-i without -o: say where the copy is written to: -o FILE, or -o -"},
		{COMMAND_RECORD, "-i x -o y -F 9",
		 "-F with -i: a recording is copied as it is; only -o and -z go with -i"},
		{COMMAND_DUMP, "--jsn x", "unknown option '--jsn': did you mean --json?"},
		{COMMAND_DUMP, "", "dump takes one recording; see cyctop dump --help"},
		{COMMAND_ANNOTATE, "-i x", "annotate takes one function; see cyctop annotate --help"},
		{COMMAND_ANNOTATE, "f g -i x", "annotate takes one function; see cyctop annotate --help"},
		{COMMAND_ANNOTATE, "f",
		 "annotate takes -i FILE, a recording, which it reads twice: store it in a file"},
		{COMMAND_ANNOTATE, "f -i -",
		 "annotate takes -i FILE, a recording, which it reads twice: store it in a file"},
		{COMMAND_ANNOTATE, "f -i x --format csv", "--format: annotate takes text or json, not 'csv'"},
		{COMMAND_ANNOTATE, "f -i x -e a,b", "-e takes the name of one event, not 'a,b'"},
		{COMMAND_ANNOTATE, "f -i x -e a -e b --bytes", ""},
		{COMMAND_ANNOTATE, "f -i x --byts", "unknown option '--byts': did you mean --bytes?"},
		{COMMAND_DIFF, "a b", ""},
		{COMMAND_DIFF, "--sort comm,pid --unit rate --fdr 10 --min-change 0 -n 5 a b", ""},
		{COMMAND_DIFF, "a",
		 "diff takes two files, the one from before and the one from after, or several of each: BEFORE... -- "
		 "AFTER...; see cyctop diff --help"},
		{COMMAND_DIFF, "a b --unit share -- c d e", ""},
		{COMMAND_DIFF, "-- -a -b", ""},
		{COMMAND_DIFF, "a b --", "diff takes 1 to 64 files on each side of --"},
		{COMMAND_DIFF, "-- a b c",
		 "diff takes two files, the one from before and the one from after, or several of each: BEFORE... -- "
		 "AFTER...; see cyctop diff --help"},
		{COMMAND_DIFF, "a -", "diff reads a recording twice: store it in a file instead of -"},
		{COMMAND_DIFF, "--unit shares a b",
		 "--unit takes reference, share, rate or instructions, not 'shares'"},
		{COMMAND_DIFF, "--event a,b c d", "--event takes the name of one event, not 'a,b'"},
		{COMMAND_DIFF, "--sort dos a b",
		 "--sort: 'dos' is none of symbol, dso, mode, origin, chain, symbol_to, pid, tid, comm, "
		 "comm_nodigit, "
		 "user, parent, cgroup, parallelism, context, mem_level, mem_op, snoop, tlb, locked, blocked, "
		 "data_page, "
		 "phys_page, "
		 "cpu, core, socket, "
		 "node, "
		 "pmu: "
		 "did you mean --sort dso?"},
		{COMMAND_DIFF, "--fdr 0 a b", "--fdr takes a number from 0.01 to 50, not '0'"},
		{COMMAND_DIFF, "--fail-if ipc>-3% a b",
		 "--fail-if: > takes a growth, from 0% on, and < a decline, above -100%, not 'ipc>-3%'"},
		{COMMAND_DIFF, "-K -p 1 a b", ""},
		{COMMAND_DIFF, "-K -U a b", "-K with -U: nothing would be left to compare"},
		{COMMAND_COMPARE, "-r 20 --seed 7 -F 99 -- a -r --- b --", ""},
		{COMMAND_COMPARE, "--fail-if wall>3% a --- b", ""},
		{COMMAND_COMPARE, "-- a b",
		 "compare takes two commands with --- between them: cyctop compare -- sort FILE --- env LC_ALL=C sort "
		 "FILE"},
		{COMMAND_COMPARE, "-- --- b",
		 "compare takes two commands with --- between them: cyctop compare -- sort FILE --- env LC_ALL=C sort "
		 "FILE"},
		{COMMAND_COMPARE, "-- a ---",
		 "compare takes two commands with --- between them: cyctop compare -- sort FILE --- env LC_ALL=C sort "
		 "FILE"},
		{COMMAND_COMPARE, "-r 1 -- a --- b", "-r takes a number from 2 to 500, not '1'"},
		{COMMAND_COMPARE, "--seed -1 -- a --- b", "--seed takes a number from 0 to 4,294,967,295, not '-1'"},
		{COMMAND_COMPARE, "--unit share -- a --- b", "unknown option '--unit': it is an option of cyctop diff"},
		{COMMAND_DIFF, "-H a b", "unknown option '-H': it is an option of cyctop alone"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_said(rows[i].command, rows[i].line, false, rows[i].said);
}

/* ---- columns ----------------------------------------------------------------------------------- */

static void columns_have_their_headings(void **state)
{
	(void)state;
	static const struct {
		const char *word, *id;
		bool reverse, by_event;
	} rows[] = {
		{"share", "share", false, false},
		{"CYC%", "share", false, false},
		{"share%", "share", false, false},
		{"CPU%", "cpu", false, false},
		{"cpu", "cpu", false, false},
		{"CPU", "cpu-number", false, false},
		{"-SAMPLES", "samples", true, false},
		{"Hottest", "hottest", false, false},
		{"comm", "comm", false, false},
		{"COMMAND", "command", false, false},
		{"cgroup", "cgroup", false, false},
		{"CYC/s", "cycles", false, false},
		{"cpu-clock", "cpu-clock", false, true},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char program[] = "cyctop", batch[] = "-b", events[] = "-ecpu-clock", option[] = "-s", word[24];
		char *line[] = {program, batch, events, option, word, NULL};
		struct options o;
		struct error err = {.text = ""};
		snprintf(word, sizeof(word), "%s", rows[i].word);
		if (options_parse(COMMAND_SHOW, 5, line, true, &o, &err) < 0)
			fail_msg("-s %s: %s", word, err.text);
		assert_string_equal(o.output.sort, rows[i].id);
		assert_int_equal(o.output.reverse, rows[i].reverse);
		assert_int_equal(o.order_by_event, rows[i].by_event);
	}
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(word_distance("", "abc"), 3);
	assert_int_equal(word_distance("table", "TABLE"), 0);
	assert_int_equal(word_distance("tabel", "table"), 1); /* neighbours swapped */
	assert_int_equal(word_distance("kitten", "sitting"), 3);
	assert_int_equal(word_distance("a", "a234567890123456789012345678901234567890x"), WORD_FAR);
	assert_true(word_is_near("rekord", "record"));
	assert_true(word_is_near("sym", "symbols"));
	assert_false(word_is_near("x", "y"));
	assert_false(word_is_near("stat", "dump"));
}

static void a_snapshot_is_of_all_rows(void **state)
{
	(void)state;
	if (batch_format_find("snapshot")->why)
		skip();
	assert_said(COMMAND_SHOW, "--format snapshot -o x -n 4096", true, "");
	assert_said(COMMAND_SHOW, "--demo --comm sh --format snapshot", true, "");
	assert_said(COMMAND_SHOW, "--format snapshot -n 4097", true,
		    "-n: a snapshot has at most 4096 refreshes; a larger -d makes them longer");
	assert_said(COMMAND_SHOW, "-i x --format snapshot", true,
		    "-i with --format: cyctop diff reads the recording itself");
	assert_said(COMMAND_SHOW, "-U --format snapshot", true,
		    "-U with --format: a snapshot has all rows, and cyctop diff chooses some of them");
	assert_said(COMMAND_SHOW, "--raw-weights --format snapshot", true,
		    "--raw-weights with --format: the weights of a snapshot are scaled");
	assert_said(COMMAND_COMPARE, "--format snapshot -- a --- b", true,
		    "--format snapshot is of what is measured; a comparison is printed");
	assert_said(COMMAND_DIFF, "--format snapshot a b", true,
		    "--format snapshot is of what is measured; a comparison is printed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pairs_of_options),	       cmocka_unit_test(all_pairs_of_record),
		cmocka_unit_test(what_contradicts_is_named),   cmocka_unit_test(presets_add_what_is_missing),
		cmocka_unit_test(a_snapshot_is_of_all_rows),   cmocka_unit_test(unknown_words_get_advice),
		cmocka_unit_test(columns_have_their_headings), cmocka_unit_test(distances),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
