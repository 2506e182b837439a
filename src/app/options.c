#include "app/options.h"

#include "app/users.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

static const uint64_t second_ns = 1000000000;
enum { FREQ_DEFAULT = 999, FREQ_MAX = 1000000 };

static int set_batch(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	o->batch = true;
	return 0;
}

static int set_iterations(struct options *o, const char *arg, struct error *err)
{
	return option_whole("-n", arg, 1, 1e15, &o->iterations, err);
}

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

static int set_events(struct options *o, const char *arg, struct error *err)
{
	o->live.events_given = true;
	return event_parse_list(arg, pfm_lookup, NULL, o->live.events, &o->live.events_n, err);
}

static int set_freq(struct options *o, const char *arg, struct error *err)
{
	o->live.period = 0;
	return option_whole("-F", arg, 1, FREQ_MAX, &o->live.freq, err);
}

static int set_period(struct options *o, const char *arg, struct error *err)
{
	return option_whole("-c", arg, 1, 1e15, &o->live.period, err);
}

static int set_ring(struct options *o, const char *arg, struct error *err)
{
	uint64_t kib;
	int rc = option_whole("--ring", arg, 4, 1 << 20, &kib, err);
	if (rc == 0)
		o->live.ring_bytes = (size_t)kib * 1024;
	return rc;
}

static int add_ids(struct options *o, enum target_kind kind, const char *what, const char *arg, struct error *err)
{
	struct target *t = &o->live.target;
	struct error why;
	if (t->kind != TARGET_ALL && t->kind != kind)
		return error_set(err, EINVAL, "-p, -t and -u each say whom to measure: give one of them");
	t->kind = kind;
	return target_add_ids(t, arg, &why) < 0 ? error_set(err, EINVAL, "%s: %s", what, why.text) : 0;
}

static int set_pids(struct options *o, const char *arg, struct error *err)
{
	return add_ids(o, TARGET_PROCESSES, "-p", arg, err);
}

static int set_tids(struct options *o, const char *arg, struct error *err)
{
	return add_ids(o, TARGET_THREADS, "-t", arg, err);
}

static int set_user(struct options *o, const char *arg, struct error *err)
{
	struct target *t = &o->live.target;
	double number;
	if (t->kind != TARGET_ALL)
		return error_set(err, EINVAL, "-p, -t and -u each say whom to measure, once: give one of them");
	if (users_find(arg, &t->uid) < 0) {
		if (option_number("-u", arg, 0, UINT32_MAX - 1.0, &number, NULL) < 0 || number != floor(number))
			return error_set(err, EINVAL, "-u: there is no user '%.60s'", arg);
		t->uid = (uint32_t)number;
	}
	t->kind = TARGET_USER;
	snprintf(t->user, sizeof(t->user), "%s", arg);
	return 0;
}

static int set_cpus(struct options *o, const char *arg, struct error *err)
{
	struct error why;
	return target_set_cpus(&o->live.target, arg, &why) < 0 ? error_set(err, EINVAL, "-C: %s", why.text) : 0;
}

static int set_user_only(struct options *o, const char *arg, struct error *err)
{
	(void)arg, (void)err;
	o->live.user_only = true;
	return 0;
}

static int set_format(struct options *o, const char *arg, struct error *err)
{
	for (size_t i = 0; i < batch_formats_n; i++) {
		if (strcmp(batch_formats[i].name, arg) != 0)
			continue;
		if (!batch_formats[i].available)
			return error_set(err, ENOSYS, "%s", batch_formats[i].why);
		o->format = &batch_formats[i];
		return 0;
	}
	return error_set(err, EINVAL, "--format takes text, csv or json, not '%.40s'", arg);
}

static int set_table(struct options *o, const char *arg, struct error *err)
{
	static const char *const names[] = {
		[TABLE_ALL] = "all", [TABLE_SYMBOLS] = "symbols", [TABLE_TASKS] = "tasks", [TABLE_CPUS] = "cpus"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], arg) == 0) {
			o->output.table = (enum batch_table)i;
			return 0;
		}
	return error_set(err, EINVAL, "--table takes symbols, tasks or cpus, not '%.40s'", arg);
}

static int set_top(struct options *o, const char *arg, struct error *err)
{
	uint64_t n;
	int rc = option_whole("--top", arg, 1, 1e9, &n, err);
	if (rc == 0)
		o->output.top = (size_t)n;
	return rc;
}

static int set_order(struct options *o, const char *arg, struct error *err)
{
	o->output.reverse = arg[0] == '-';
	arg += arg[0] == '-' || arg[0] == '+';
	char known[400] = "";
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		struct columns cols;
		view_columns((enum pane)pane, NULL, &cols);
		if (view_column_find(&cols, arg)) {
			o->output.sort = arg;
			return 0;
		}
		for (size_t i = 0; i < cols.n; i++) {
			size_t at = strlen(known);
			if (!strstr(known, cols.v[i].id))
				snprintf(known + at, sizeof(known) - at, "%s%s", at ? " " : "", cols.v[i].id);
		}
	}
	return error_set(err, EINVAL, "no column '%.40s' to sort by; there are: %s", arg, known);
}

static int set_sort(struct options *o, const char *arg, struct error *err)
{
	struct error why;
	if (report_keys_parse(arg, &o->keys, &why) == 0)
		return 0;
	return error_set(err, EINVAL,
			 "--sort makes one table by any of the keys symbol,dso,comm,pid,tid,cpu, but %s; "
			 "-s COLUMN orders tables",
			 why.text);
}

#define FLAG(name, field, value)                                                                                       \
	static int set_##name(struct options *o, const char *arg, struct error *err)                                   \
	{                                                                                                              \
		(void)arg, (void)err;                                                                                  \
		o->field = value;                                                                                      \
		return 0;                                                                                              \
	}
FLAG(threads, by_thread, true)
FLAG(hide_kernel, hide_kernel, true)
FLAG(hide_user, hide_user, true)
FLAG(show_self, show_self, true)
FLAG(show_error, output.show_error, true)
FLAG(ascii, ascii, true)
FLAG(no_mouse, no_mouse, true)
FLAG(raw_names, raw_names, true)

static int set_debuginfod(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	o->debuginfod = arg;
	return 0;
}
FLAG(help, help, true)
FLAG(version, version, true)

static int set_demo(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	o->demo = true;
	o->demo_file = arg;
	return 0;
}

static int set_input(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	o->input = arg;
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
	(void)err;
	o->symfs = arg;
	return 0;
}

static int set_vmlinux(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	o->vmlinux = o->live.vmlinux = arg;
	return 0;
}

static int set_kallsyms(struct options *o, const char *arg, struct error *err)
{
	(void)err;
	o->kallsyms = arg;
	return 0;
}

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

enum {
	OPT_WINDOW = 256,
	OPT_SORT,
	OPT_SPEED,
	OPT_HISTORY,
	OPT_SYMFS,
	OPT_VMLINUX,
	OPT_KALLSYMS,
	OPT_RING,
	OPT_USER_ONLY,
	OPT_FORMAT,
	OPT_TABLE,
	OPT_TOP,
	OPT_SELF,
	OPT_ERROR,
	OPT_DEMO,
	OPT_COLOR,
	OPT_ASCII,
	OPT_MOUSE,
	OPT_RAW,
	OPT_DEBUGINFOD,
};

static const struct option_row rows[] = {
	{'b', "batch", NULL, "print tables instead of a screen (also when output is no terminal)", set_batch},
	{'n', "iterations", "N", "end after N refreshes", set_iterations},
	{'d', "delay", "SECS", "time between refreshes (1)", set_delay},
	{'e', "event", "LIST", "events, the first one ranks the rows (cycles,instructions,...)", set_events},
	{'F', "freq", "HZ", "samples per second of each event on each CPU (999)", set_freq},
	{'c', "count", "N", "a sample each N events, instead of -F", set_period},
	{'p', "pid", "LIST", "only these processes, all their threads, and what they start", set_pids},
	{'t', "tid", "LIST", "only these threads", set_tids},
	{'u', "uid", "USER", "only the processes of that user (name or number)", set_user},
	{'C', "cpu", "LIST", "only these CPUs (0-3,7)", set_cpus},
	{OPT_WINDOW, "window", "SECS", "what is shown: the last SECS (5), 'interval', or 'total'", set_window},
	{'s', "order", "COLUMN", "order the rows by that column; -COLUMN the other way round", set_order},
	{OPT_SORT, "sort", "KEYS", "print one table by symbol,dso,comm,pid,tid,cpu or some of them", set_sort},
	{'H', "threads", NULL, "threads instead of processes", set_threads},
	{'K', "hide-kernel", NULL, "leave out kernel symbols and threads", set_hide_kernel},
	{'U', "hide-user", NULL, "leave out user symbols and tasks", set_hide_user},
	{OPT_SELF, "show-self", NULL, "show cyctop's own samples, too", set_show_self},
	{OPT_USER_ONLY, "user-only", NULL, "do not sample the kernel at all", set_user_only},
	{OPT_FORMAT, "format", "FORMAT", "of batch output: text, csv or json (JSON Lines)", set_format},
	{OPT_TABLE, "table", "TABLE", "only this one: symbols, tasks or cpus", set_table},
	{OPT_TOP, "top", "N", "only the first N rows of each table", set_top},
	{OPT_ERROR, "error", NULL, "show the standard errors of ratios", set_show_error},
	{'i', "input", "FILE", "show a recording (perf.data; - for a pipe) instead of this machine", set_input},
	{OPT_SPEED, "speed", "N", "play a recording N times as fast as it was, or 'max': all at once", set_speed},
	{OPT_SYMFS, "symfs", "DIR", "look a recording's files up below DIR", set_symfs},
	{OPT_VMLINUX, "vmlinux", "FILE", "the kernel's file with its symbols, here or of a recording", set_vmlinux},
	{OPT_KALLSYMS, "kallsyms", "FILE", "the kernel symbols of a recording", set_kallsyms},
	{OPT_HISTORY, "history", "MB", "memory for the last moments, which the key w writes (32; 0: none)",
	 set_history},
	{OPT_RAW, "no-demangle", NULL, "names as the linker knows them (_ZN...), as with the key m", set_raw_names},
	{OPT_DEBUGINFOD, "debuginfod", "URLS", "servers that the key F asks for names, instead of DEBUGINFOD_URLS",
	 set_debuginfod},
	{OPT_RING, "ring", "KIB", "size of a CPU's ring buffer", set_ring},
	{OPT_DEMO, "demo", "[FILE]", "show a made-up machine (or a script's) instead of this one", set_demo},
	{OPT_COLOR, "color", "WHEN", "auto, always or never (NO_COLOR is heeded)", set_color},
	{OPT_ASCII, "ascii", NULL, "no characters beyond ASCII", set_ascii},
	{OPT_MOUSE, "no-mouse", NULL, "leave the mouse to the terminal", set_no_mouse},
	{'h', "help", NULL, "this text", set_help},
	{'V', "version", NULL, "the version", set_version},
};

const struct option_row *options_row(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

void options_defaults(struct options *o)
{
	*o = (struct options){
		.delay_ns = second_ns,
		.window = WINDOW_SLIDING,
		.sliding_ns = 5 * second_ns,
		.history_bytes = 32 << 20,
		.format = &batch_formats[0],
	};
	o->live.freq = FREQ_DEFAULT;
	o->live.events_n = event_defaults(o->live.events);
}

/* What only becomes clear once all options are known. */
static void settle(struct options *o, bool out_is_tty, bool window_given, bool format_given, bool speed_given)
{
	if (!out_is_tty && !o->batch) {
		/* `cyctop | less`: one look; who wants more says -b, -n or --format. */
		o->batch = true;
		if (!o->iterations && !format_given && !o->input)
			o->iterations = 1;
	}
	if (format_given || o->keys.n)
		o->batch = true;
	if (o->batch && !window_given)
		o->window = WINDOW_INTERVAL; /* refreshes add up, nothing counts twice */
	/* A recording is a report where it is printed, and a film where it is watched. */
	if (!speed_given)
		o->speed = o->batch ? 0 : 1;
	if (!o->batch && !window_given && o->input && o->speed == 0)
		o->window = WINDOW_TOTAL;
}

static bool is_given(uint64_t given, int key)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].key == key)
			return given >> i & 1;
	return false;
}

int options_parse(int argc, char **argv, bool out_is_tty, struct options *ret, struct error *err)
{
	struct options o;
	uint64_t given;
	options_defaults(&o);
	int rc = option_rows_parse(rows, ARRAY_LEN(rows), false, argc, argv, &o, &given, err);
	if (rc < 0)
		return rc;
	if (optind < argc)
		return error_set(err, EINVAL, "what is '%.60s'? cyctop takes options only; --help lists them",
				 argv[optind]);
	bool some = o.live.target.kind != TARGET_ALL || o.live.target.some_cpus;
	if (some && (o.input || o.demo))
		return error_set(err, EINVAL, "-p, -t, -u and -C choose what is measured here, and with %s nothing is",
				 o.input ? "-i" : "--demo");
	if (o.keys.n && o.output.table != TABLE_ALL)
		return error_set(err, EINVAL, "--table and --sort both say which table to print: give one of them");
	settle(&o, out_is_tty, is_given(given, OPT_WINDOW), is_given(given, OPT_FORMAT), is_given(given, OPT_SPEED));
	o.delay_given = is_given(given, 'd');
	*ret = o;
	return 0;
}

void options_help(FILE *out)
{
	fputs("Usage: cyctop [OPTIONS]\n"
	      "       cyctop record [OPTIONS] [COMMAND...]\n"
	      "       cyctop dump [--json] FILE\n"
	      "Shows where this machine's CPU cycles go and what they achieve: hot functions and\n"
	      "tasks with instructions per cycle and cache-miss ratios, live; or records it.\n\n",
	      out);
	option_rows_help(out, rows, ARRAY_LEN(rows));
	fputs("\nOn the screen, h explains the keys and columns.  Exit status: 0 all went well,\n"
	      "1 something failed, 2 the command line was wrong.\n",
	      out);
}
