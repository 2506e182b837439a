/* The table of cyctop's own options.  A new option is a row of rows[], at the end. */
#include "options/rows.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const uint64_t second_ns = 1000000000;

OPTION_FLAG(batch, options, batch)
OPTION_NUMBER(iterations, options, iterations, option_whole, "-n", 1, 1e15)
OPTION_NUMBER(period, options, live.period, option_whole, "-c", 1, 1e15)
OPTION_NUMBER(budget, options, budget, option_percent, "--budget", 0.01, 100)

static int set_delay(struct options *o, const char *arg, struct error *err)
{
	double s;
	int rc = option_number("-d", arg, 0.1, 3600, &s, err);
	if (rc == 0)
		o->delay_ns = (uint64_t)(s * (double)second_ns);
	return rc;
}

static int set_window(struct options *o, const char *arg, struct error *err)
{
	if (strcmp(arg, "interval") == 0 || strcmp(arg, "total") == 0) {
		o->window = arg[0] == 'i' ? WINDOW_INTERVAL : WINDOW_TOTAL;
		return 0;
	}
	double s;
	if (option_number("--window", arg, 0.1, 120, &s, err) < 0)
		return error_set(err, EINVAL, "--window takes seconds (0.1 to 120), 'interval' or 'total', not '%.40s'",
				 arg);
	o->window = WINDOW_SLIDING;
	o->sliding_ns = (uint64_t)(s * (double)second_ns);
	return 0;
}

static int set_freq(struct options *o, const char *arg, struct error *err)
{
	o->live.period = 0;
	return option_whole("-F", arg, 1, EVENT_FREQ_MAX, &o->live.freq, err);
}

static int set_ring(struct options *o, const char *arg, struct error *err)
{
	uint64_t kib;
	int rc = option_whole("--ring", arg, 4, 1 << 20, &kib, err);
	if (rc == 0)
		o->live.ring_bytes = (size_t)kib * 1024;
	return rc;
}

static void list_formats(struct strbuf *ret)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		strbuf_addf(ret, "%s%s", i ? ", " : "", batch_formats[i].name);
}

static int set_format(struct options *o, const char *arg, struct error *err)
{
	const struct batch_format *format = batch_format_find(arg);
	if (!format)
		return option_refuse(o, "--format", arg, list_formats, WORD_FORMAT, err);
	if (format->why)
		return error_set(err, ENOSYS, "%s", format->why);
	o->format = format;
	o->live.chains |= format->chains != NULL;
	return 0;
}

static void list_tables(struct strbuf *ret)
{
	size_t start = ret->n;
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++)
		if (dimension_find_table(dimensions[d].table) == d)
			strbuf_addf(ret, "%s%s", ret->n > start ? ", " : "", dimensions[d].table);
}

/* Requests those parts of memory samples (address, data source) that are needed for a table's keys. */
static void ask_for_memory(struct options *o, const struct pivot_query *table)
{
	unsigned parts = pivots_memory(table, 1);
	o->live.memory |= parts ? SAMPLE_ADDR | SAMPLE_DATA_SRC : 0;
	o->live.memory |= parts & 1u << MEMORY_PHYS_PAGE ? SAMPLE_PHYS_ADDR : 0;
}

static int set_table(struct options *o, const char *arg, struct error *err)
{
	o->table = dimension_find_table(arg);
	bool known = o->table || strcmp(arg, "all") == 0;
	o->live.parallelism |= o->table == DIM_PARALLELISM;
	o->branches |= o->table == DIM_SYMBOL_TO;
	o->live.chains |= o->table == DIM_CHAIN || o->table == DIM_CONTEXT;
	ask_for_memory(o, &(struct pivot_query){.dims = {o->table}, .dims_n = 1});
	return known ? 0 : option_refuse(o, "--table", arg, list_tables, WORD_TABLE, err);
}

static int set_top(struct options *o, const char *arg, struct error *err)
{
	uint64_t n;
	int rc = option_whole("--top", arg, 1, 1e9, &n, err);
	if (rc == 0)
		o->output.top = (size_t)n;
	return rc;
}

static bool is_list_of_keys(const char *word)
{
	struct pivot_query keys = {.dims_n = 0};
	return strchr(word, ',') && pivot_dims_parse(word, NULL, &keys, NULL) == 0;
}

static int set_order(struct options *o, const char *arg, struct error *err)
{
	o->output.reverse = arg[0] == '-';
	arg += arg[0] == '-' || arg[0] == '+';
	if (is_list_of_keys(arg))
		return error_set(err, EINVAL,
				 "-s orders the rows by one column; --sort %.100s makes one table by these keys", arg);
	const char *id = view_column_id(NULL, view_tables, view_tables_n, arg);
	o->output.sort = id ? id : arg;
	o->order_by_event = !id;
	return 0;
}

static void list_keys(struct strbuf *ret)
{
	size_t start = ret->n;
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++)
		if (!dimensions[d].is_tree)
			strbuf_addf(ret, "%s%s", ret->n > start ? "," : "", dimensions[d].id);
}

static int set_sort(struct options *o, const char *arg, struct error *err)
{
	o->report.by_name = true;
	o->sort = arg;
	if (pivot_dims_parse(arg, &o->fields, &o->report, err) < 0)
		return option_no_keys(o, arg, err);
	o->live.parallelism |= pivot_has(&o->report, DIM_PARALLELISM);
	o->branches |= pivot_has(&o->report, DIM_SYMBOL_TO);
	o->live.chains |= pivot_has(&o->report, DIM_CHAIN) || pivot_has(&o->report, DIM_CONTEXT);
	ask_for_memory(o, &o->report);
	return 0;
}

static int set_fields(struct options *o, const char *arg, struct error *err)
{
	struct pivot_query keys = {.dims_n = 0};
	struct error why;
	if (pivot_dims_parse(arg, &o->fields, &keys, &why) < 0)
		return error_set(err, EINVAL, "--fields takes up to %d fields of tracepoints: %s", FIELDS_MAX,
				 why.text);
	for (size_t i = 0; i < keys.dims_n; i++)
		if (keys.dims[i] < DIM_FIELD1)
			return error_set(err, EINVAL,
					 "--fields takes fields of tracepoints; %s is none, and always there",
					 dimensions[keys.dims[i]].id);
	return 0;
}

int option_no_keys(struct options *o, const char *arg, struct error *err)
{
	struct pivot_query keys = {.dims_n = 0};
	struct error why = {.code = 0};
	const char *column = view_column_id(NULL, view_tables, view_tables_n, arg);
	if (column)
		return error_set(err, EINVAL,
				 "--sort makes one table by keys, and '%.40s' is a column: -s %.40s orders "
				 "the tables by it",
				 arg, arg);
	if (pivot_dims_parse(arg, NULL, &keys, &why) == 0)
		return 0;
	error_set(err, EINVAL, "--sort makes one table by the keys given, but %s", why.text);
	return option_unknown(o, WORD_KEY, arg, "; -s COLUMN orders tables");
}

OPTION_FLAG(threads, options, by_thread)
OPTION_FLAG(hide_kernel, options, hide_kernel)
OPTION_FLAG(hide_user, options, hide_user)
OPTION_FLAG(show_self, options, show_self)
OPTION_FLAG(show_error, options, output.show_error)
OPTION_FLAG(parallelism, options, live.parallelism)
OPTION_FLAG(off_cpu, options, live.off_cpu)
OPTION_FLAG(user_only, options, live.user_only)
OPTION_FLAG(weights, options, live.weights)
OPTION_FLAG(no_mux, options, live.no_mux)
OPTION_FLAG(ascii, options, ascii)
OPTION_FLAG(no_mouse, options, no_mouse)
OPTION_FLAG(raw_names, options, raw_names)
OPTION_FLAG(raw_weights, options, raw_weights)

static int set_inline(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	o->inlines = INLINES_YES;
	return 0;
}

static int set_no_inline(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	o->inlines = INLINES_NO;
	return 0;
}

static int set_children(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	o->children = o->live.chains = true;
	return 0;
}

OPTION_FLAG(branches, options, branches)

static int set_branch_filter(struct options *o, const char *arg, struct error *err)
{
	o->branches = true;
	return event_branch_filter(arg, &o->live.branches, err);
}

static int set_chains(struct options *o, const char *arg, struct error *err)
{
	static const char dwarf[] = "dwarf";
	enum { NAME = sizeof(dwarf) - 1 };
	uint64_t bytes = EVENT_STACK_DEFAULT;
	o->live.chains = true;
	o->live.chains_chosen = arg != NULL;
	o->live.stack_bytes = 0;
	o->live.call_stacks = arg && strcmp(arg, "lbr") == 0;
	if (!arg || strcmp(arg, "fp") == 0 || o->live.call_stacks)
		return 0;
	if (strncmp(arg, dwarf, NAME) != 0 || (arg[NAME] && arg[NAME] != ','))
		return error_set(err, EINVAL,
				 "-g takes fp, by frame pointers, dwarf[,BYTES], by copies of stacks, or lbr, by the "
				 "CPU's list of "
				 "calls; not '%.40s'",
				 arg);
	if (!event_stack_registers())
		return error_set(err, ENOSYS, "-g dwarf follows stacks on x86-64 and arm64 only");
	int rc = arg[NAME] ? option_whole("-g dwarf", arg + NAME + 1, 8, EVENT_STACK_MAX, &bytes, err) : 0;
	o->live.stack_bytes = (uint32_t)bytes / 8 * 8; /* the kernel copies whole 64-bit words */
	return rc;
}

OPTION_TEXT(debuginfod, options, debuginfod)
OPTION_FLAG(help, options, help)
OPTION_FLAG(version, options, version)

static int set_demo(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	o->demo = true;
	o->demo_file = arg;
	return 0;
}

OPTION_TEXT(input, options, input)

static int set_output(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0])
		return error_set(err, EINVAL, "-o takes a file or a directory");
	o->save_path = arg;
	return 0;
}

static int set_speed(struct options *o, const char *arg, struct error *err)
{
	if (strcmp(arg, "max") == 0) {
		o->speed = 0;
		return 0;
	}
	if (option_number("--speed", arg, 1.0 / 16, 1024, &o->speed, NULL) == 0)
		return 0;
	return error_set(err, EINVAL,
			 "--speed takes a number (1: as recorded, 10: ten times as fast) or max, not '%.40s'", arg);
}

static int set_history(struct options *o, const char *arg, struct error *err)
{
	uint64_t mb;
	int rc = option_whole("--history", arg, 0, 4096, &mb, err);
	if (rc == 0)
		o->history_bytes = (size_t)mb << 20;
	return rc;
}

static int set_symfs(struct options *o, const char *arg, struct error *err)
{
	struct stat st;
	o->symfs = arg;
	if (stat(arg, &st) < 0)
		return error_set(err, errno, "--symfs: %s: %s", arg, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return error_set(err, ENOTDIR, "--symfs: %s is not a directory", arg);
	return 0;
}

static int set_filter(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0] || strlen(arg) >= FILTER_MAX)
		return error_set(err, EINVAL, "--filter takes a text of 1 to %d bytes", FILTER_MAX - 1);
	char why[80];
	if (view_filter_is_wrong(arg, why, sizeof(why)))
		return error_set(err, EINVAL, "--filter: the regular expression %s is wrong: %s", arg, why);
	o->filter = arg;
	return 0;
}

static int set_comm(struct options *o, const char *arg, struct error *err)
{
	if (!arg[0])
		return error_set(err, EINVAL, "--comm takes the name of a command, or a pattern such as 'python*'");
	o->comm = arg;
	return 0;
}

static int set_vmlinux(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	o->vmlinux = o->live.vmlinux = arg;
	return 0;
}

OPTION_TEXT(kallsyms, options, kallsyms)

static int set_color(struct options *o, const char *arg, struct error *err)
{
	static const char *const names[] = {"auto", "always", "never"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], arg) == 0) {
			o->color = i;
			return 0;
		}
	return error_set(err, EINVAL, "--color takes auto, always or never, not '%.40s'", arg);
}

enum { ANY_SOURCE = RUN_LIVE | RUN_FILE | RUN_DEMO, SHOWN = RUN_SCREEN | RUN_BATCH };

static const struct option_row rows[] = {
	{'b', "batch", NULL, "print tables instead of a screen (also when output is no terminal)", set_batch,
	 ANY_SOURCE | RUN_BATCH, NULL},
	{'n', "iterations", "N", "end after N refreshes", set_iterations, ANY_SOURCE | SHOWN, NULL},
	{'d', "delay", "SECS",
	 "time between refreshes (1); for a printed recording, recorded time of each table (all of it)", set_delay,
	 ANY_SOURCE | SHOWN, NULL},
	{'e', "event", "LIST", "events; rows are sorted by the first one (cycles,instructions,...)", option_events,
	 RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{0, "event-filter", "FILTER",
	 "count the tracepoints of the -e before it only if their fields meet FILTER ('prev_state == 1')",
	 option_event_filter, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{0, "preset", "NAME", "the events for a question: cache, branch, tlb, stalls, mem, topdown, sched, faults",
	 option_preset, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{0, "fields", "LIST",
	 "panes by these fields of the tracepoints of -e (next_comm,...), the first of them in place of Symbols",
	 set_fields, RUN_LIVE | RUN_FILE | RUN_SCREEN, NULL},
	{0, "metric", "TITLE=FORMULA",
	 "a column computed from events, 'stall%=stalled-cycles-frontend/cycles'; may be repeated", option_metric,
	 ANY_SOURCE | SHOWN | RUN_RECORD, NULL},
	{'F', "freq", "HZ", "samples per second of each event on each CPU (809)", set_freq,
	 RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{'c', "count", "N", "a sample each N events, instead of -F", set_period, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{'p', "pid", "LIST", "only these processes, all their threads, and what they start", option_pids,
	 ANY_SOURCE | SHOWN | RUN_RECORD, NULL},
	{'t', "tid", "LIST", "only these threads", option_tids, ANY_SOURCE | SHOWN | RUN_RECORD, NULL},
	{'u', "uid", "USER", "only the processes of that user (name or number)", option_user,
	 RUN_LIVE | RUN_DEMO | SHOWN | RUN_RECORD, NULL},
	{'G', "cgroup", "LIST", "only the tasks in these cgroups and below (system.slice,user.slice)", option_cgroups,
	 RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{'C', "cpu", "LIST", "only these CPUs (0-3,7)", option_cpus, ANY_SOURCE | SHOWN | RUN_RECORD, NULL},
	{0, "comm", "PATTERN", "show only tasks whose command has that name ('python*')", set_comm, ANY_SOURCE | SHOWN,
	 NULL},
	{0, "filter", "TEXT",
	 "show only rows with that text in them, as with the key \\; a|b: either; "
	 "/^a.*b/: a regular expression",
	 set_filter, ANY_SOURCE | SHOWN, NULL},
	{0, "window", "SECS",
	 "time the numbers are of: the last SECS (5 on the screen), 'interval': since the refresh before (printed "
	 "tables), 'total': since the start",
	 set_window, ANY_SOURCE | SHOWN, NULL},
	{'s', "order", "COLUMN", "order the rows by that column; -COLUMN the other way round", set_order,
	 ANY_SOURCE | SHOWN, NULL},
	{0, "sort", "KEYS", "print one table by one or some of these keys", set_sort, ANY_SOURCE | RUN_BATCH,
	 list_keys},
	{'H', "threads", NULL, "threads instead of processes", set_threads, ANY_SOURCE | SHOWN, NULL},
	{'K', "hide-kernel", NULL, "leave out kernel symbols and threads", set_hide_kernel, ANY_SOURCE | SHOWN, NULL},
	{'U', "hide-user", NULL, "leave out user symbols and tasks", set_hide_user, ANY_SOURCE | SHOWN, NULL},
	{0, "show-self", NULL, "show cyctop's own samples, too", set_show_self, RUN_LIVE | SHOWN, NULL},
	{0, "user-only", NULL, "do not sample the kernel at all", set_user_only, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{'W', "weight", NULL, "sample what the CPU measures with an event, such as the latency of memory accesses",
	 set_weights, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{0, "parallelism", NULL,
	 "measure the share of the wall-clock time, by how many threads of the target run at the same time",
	 set_parallelism, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{0, "off-cpu", NULL,
	 "measure for how long threads are off their CPUs, too, by the code and callers they left from", set_off_cpu,
	 RUN_LIVE | RUN_FILE | SHOWN | RUN_RECORD, NULL},
	{0, "no-mux", NULL, "leave out events, those named last, instead of having them take turns on too few counters",
	 set_no_mux, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{'g', "call-graph", "[fp|dwarf[,BYTES]|lbr]",
	 "call chains (key g): who calls a function, and its share with all that it calls; by frame pointers or copies "
	 "of stacks; without a word, by copies where frame pointers do not do",
	 set_chains, ANY_SOURCE | SHOWN | RUN_RECORD, NULL},
	{0, "children", NULL,
	 "of each row also the total with all that its functions called, where samples have call chains", set_children,
	 ANY_SOURCE | RUN_BATCH, NULL},
	{0, "no-inline", NULL, "call chains have only functions with code of their own, none that the compiler inlined",
	 set_no_inline, ANY_SOURCE | SHOWN, NULL},
	{0, "inline", NULL,
	 "call chains have inlined functions, too: the default, where debug information tells of them", set_inline,
	 ANY_SOURCE | SHOWN, NULL},
	{'j', "branch-filter", "FILTER",
	 "samples have branch stacks: any, any_call, any_ret, ind_call, cond, ... in user space (u) or the kernel (k)",
	 set_branch_filter, RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{0, "branches", NULL,
	 "count the branches in the branch stacks of a recording, and how many of them were mispredicted", set_branches,
	 RUN_FILE | SHOWN, NULL},
	{0, "format", "FORMAT", "format of the output", set_format, ANY_SOURCE | RUN_BATCH, list_formats},
	{0, "table", "TABLE", "print only this one", set_table, ANY_SOURCE | RUN_BATCH, list_tables},
	{0, "top", "N", "print only the first N rows of each table", set_top, ANY_SOURCE | RUN_BATCH, NULL},
	{0, "error", NULL, "show the standard errors of shares, rates and ratios", set_show_error, ANY_SOURCE | SHOWN,
	 NULL},
	{'i', "input", "FILE", "show a recording (perf.data; - for a pipe) instead of this machine", set_input,
	 RUN_FILE | SHOWN, NULL},
	{0, "baseline", "FILE",
	 "begin with that file as the baseline: a snapshot (key s, --format snapshot) or a recording", option_baseline,
	 ANY_SOURCE | RUN_SCREEN, NULL},
	{0, "toggle", "CMD_A CMD_B",
	 "compare two states in turns, as with the key t: these shell commands switch to A and to B; the order in each "
	 "pair of turns is random",
	 option_toggle, RUN_LIVE | RUN_SCREEN, NULL},
	{0, "every", "SECS", "length of a turn of --toggle (5)", option_every, RUN_LIVE | RUN_SCREEN, NULL},
	{0, "per", "EVENT",
	 "measure the rows of a comparison by that event of all: cycles per request, if a request is an event; the key "
	 "c has the other units",
	 option_per, ANY_SOURCE | RUN_SCREEN, NULL},
	{0, "fdr", "PERCENT", "of the rows of a comparison that are called real, so many may be chance (5)", option_fdr,
	 ANY_SOURCE | RUN_SCREEN, NULL},
	{0, "min-change", "PERCENT", "a smaller change is never called real (1)", option_min_change,
	 ANY_SOURCE | RUN_SCREEN, NULL},
	{'o', "output", "PATH",
	 "write snapshots (key s, --format snapshot) to that file, or with a name of their own into that directory, "
	 "which gets what E exports, too",
	 set_output, ANY_SOURCE | SHOWN, NULL},
	{0, "speed", "N", "play a recording N times as fast as it was, or 'max': show all of it", set_speed,
	 RUN_FILE | SHOWN, NULL},
	{0, "symfs", "DIR", "DIR is the root directory in which the files of a recording are looked up", set_symfs,
	 RUN_FILE | SHOWN, NULL},
	{0, "vmlinux", "FILE", "the kernel's file with its symbols, here or of a recording", set_vmlinux,
	 RUN_LIVE | RUN_FILE | SHOWN, NULL},
	{0, "kallsyms", "FILE", "the kernel symbols of a recording", set_kallsyms, RUN_FILE | SHOWN, NULL},
	{0, "history", "MB",
	 "memory for the past (64): half of it for what the panes show of earlier times, half for the last moments, "
	 "which the key w writes; 0: two minutes and nothing to write",
	 set_history, ANY_SOURCE | RUN_SCREEN, NULL},
	{0, "no-demangle", NULL, "names as the linker knows them (_ZN...), as with the key m", set_raw_names,
	 ANY_SOURCE | SHOWN, NULL},
	{0, "raw-weights", NULL, "samples weigh what perf adds up: nothing is scaled, and no period divided",
	 set_raw_weights, ANY_SOURCE | SHOWN, NULL},
	{0, "debuginfod", "URLS", "servers that the key F asks for names, instead of DEBUGINFOD_URLS", set_debuginfod,
	 RUN_LIVE | RUN_FILE | RUN_SCREEN, NULL},
	{0, "budget", "PERCENT",
	 "measuring takes at most so much of the machine's CPU time: samples are taken less often where it took more",
	 set_budget, RUN_LIVE | SHOWN, NULL},
	{0, "ring", "KIB", "size of a CPU's ring buffer (default: 512, less on more than 16 CPUs)", set_ring,
	 RUN_LIVE | SHOWN | RUN_RECORD, NULL},
	{0, "demo", "[FILE]",
	 "show a made-up machine (or a script's) instead of this one; with -n it does not wait: a refresh is an "
	 "interval of the script, not -d",
	 set_demo, RUN_DEMO | SHOWN, NULL},
	{0, "color", "WHEN", "auto, always or never; auto: none if NO_COLOR is set", set_color, ANY_SOURCE | RUN_SCREEN,
	 NULL},
	{0, "ascii", NULL, "no characters beyond ASCII on the screen", set_ascii, ANY_SOURCE | RUN_SCREEN, NULL},
	{0, "no-mouse", NULL, "leave the mouse to the terminal", set_no_mouse, ANY_SOURCE | RUN_SCREEN, NULL},
	{'h', "help", NULL, "this text", set_help, RUN_ANY, NULL},
	{'V', "version", NULL, "the version, and which optional libraries are in it", set_version, RUN_ANY, NULL},
};

size_t options_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	_Static_assert(ARRAY_LEN(rows) <= OPTION_ROWS_MAX, "bits of an option_set");
	memcpy(ret, rows, sizeof(rows));
	return ARRAY_LEN(rows);
}

const struct option_row *options_row(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

size_t option_rows_join(struct option_row ret[static OPTION_ROWS_MAX], const struct option_row *own, size_t own_n,
			const char *const *shared, size_t shared_n)
{
	memcpy(ret, own, own_n * sizeof(*own));
	for (size_t i = 0; i < shared_n; i++)
		ret[own_n + i] = *options_row(shared[i]);
	return own_n + shared_n;
}
