#include "options/rows.h"

#include "base/limits.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t second_ns = 1000000000;
enum { SNAPSHOT_INTERVALS = 60 };

bool options_name_role(const char *word)
{
	for (enum event_role r = ROLE_OTHER + 1; r < ROLE_COUNT; r++) {
		const struct role_info *role = role_info(r);
		if (strcasecmp(word, role->name) == 0 || (role->heading && strcasecmp(word, role->heading) == 0))
			return true;
	}
	return false;
}

static bool is_part_of_name(const char *word, size_t n, const char *name)
{
	const char *brief = event_short_name(name);
	for (; *name; name++)
		if (strncasecmp(word, name, n) == 0 || strncasecmp(word, brief, n) == 0)
			return true;
	return false;
}

/* Returns true if the word may be the heading of an event's column.  Headings are cut from names of events: to any part
 * of the name, or to the name without its middle.  How they are cut depends on which events can be opened. */
static bool may_name_event(const struct options *o, const char *word)
{
	size_t n = strlen(word);
	n -= n > 2 && strcmp(word + n - 2, "/s") == 0 ? 2 : 0;
	bool cut = strstr(word, "..") || strchr(word, '#');
	bool found = n && o->live.off_cpu && is_part_of_name(word, n, EVENT_OFF_CPU);
	for (size_t e = 0; n && e < o->live.events_n; e++)
		found |= cut || is_part_of_name(word, n, o->live.events[e].name);
	return found;
}

/* ---- options that exclude each other --------------------------------------------------------- */

static bool all_events_exclude(const struct options *o, bool user)
{
	bool all = o->live.events_given;
	for (size_t e = 0; e < o->live.events_n; e++)
		all &= user ? o->live.events[e].exclude_user : o->live.events[e].exclude_kernel;
	return all;
}

static bool samples_user_only(const struct options *o)
{
	return all_events_exclude(o, false);
}

static bool samples_kernel_only(const struct options *o)
{
	return all_events_exclude(o, true);
}

static bool one_piece(const struct options *o)
{
	return o->batch && o->input && o->speed == 0 && !o->delay_given && o->window == WINDOW_SLIDING;
}

static bool has_errors_anyway(const struct options *o)
{
	return o->format->errors_always;
}

static bool other_table(const struct options *o)
{
	return o->table && o->table != DIM_PID && o->table != DIM_TID;
}

static bool other_single_table(const struct options *o)
{
	return o->format->one_table && !o->table;
}

static bool many_tables(const struct options *o)
{
	return o->format->one_table && !o->table && !o->report.dims_n;
}

static bool has_chains(const struct options *o)
{
	return o->format->chains;
}

static bool has_chains_by_column(const struct options *o)
{
	return o->format->chains && !o->order_by_event && !options_name_role(o->output.sort);
}

static bool is_document(const struct options *o)
{
	return o->format->document;
}

static bool is_document_in_parts(const struct options *o)
{
	return o->format->document && (o->input || o->command);
}

static bool is_snapshot(const struct options *o)
{
	return o->format->snapshot;
}

static bool prints_tables(const struct options *o)
{
	return o->batch && !o->format->snapshot;
}

static const char all_of_it[] = "a snapshot has all rows, and cyctop diff chooses some of them";
static const char chains_alone[] = "it prints call chains by command, and nothing else";
static const char one_document[] = "it writes one document, of the whole run or recording, or of -d seconds";
static const char whole_document[] = "it writes one document, of the whole recording or of the command's whole run";
static const char nothing_left[] = "nothing would be left to show";
static const char one_of_them[] = "each says whom it is about; give one of them";

static const struct option_rule rules[] = {
	{"input", NOT_WITH, "demo", "each says what to show instead of this machine; give one of them", NULL},
	{"pid", NOT_WITH, "tid", one_of_them, NULL},
	{"pid", NOT_WITH, "uid", one_of_them, NULL},
	{"tid", NOT_WITH, "uid", one_of_them, NULL},
	{"uid", NOT_WITH, "input", "a recording does not say whose its processes are; --comm or -p chooses some", NULL},
	{"cgroup", NOT_WITH, "pid", one_of_them, NULL},
	{"cgroup", NOT_WITH, "tid", one_of_them, NULL},
	{"cgroup", NOT_WITH, "uid", one_of_them, NULL},
	{"cgroup", NOT_WITH, OPERANDS, one_of_them, NULL},
	{"pid", NOT_WITH, OPERANDS, one_of_them, NULL},
	{"tid", NOT_WITH, OPERANDS, one_of_them, NULL},
	{"uid", NOT_WITH, OPERANDS, one_of_them, NULL},
	{"input", NOT_WITH, OPERANDS, "a recording is shown, and there is no command to run", NULL},
	{"demo", NOT_WITH, OPERANDS, "a made-up machine is shown, and there is no command to run", NULL},
	{"count", NOT_WITH, "freq", "each says how often to sample; give one of them", NULL},
	{"hide-kernel", NOT_WITH, "hide-user", nothing_left, NULL},
	{"user-only", NOT_WITH, "hide-user", nothing_left, NULL},
	{"user-only", NOT_WITH, "hide-kernel", "the kernel is not sampled, so that there is nothing to hide", NULL},
	{"hide-user", NOT_WITH, "event", nothing_left, samples_user_only},
	{"hide-kernel", NOT_WITH, "event", nothing_left, samples_kernel_only},
	{"user-only", NOT_WITH, "event", nothing_left, samples_kernel_only},
	{"table", NOT_WITH, "sort", "each says which table to print; give one of them", NULL},
	{"threads", NOT_WITH, "sort", "a report has the keys that it is given; --sort tid is by thread", NULL},
	{"threads", NOT_WITH, "table", "that table has neither processes nor threads", other_table},
	{"threads", NOT_WITH, "format", "it prints the table of symbols; add --table tasks", other_single_table},
	{"table", NOT_WITH, "format", "CSV has one table; name it", many_tables},
	{"error", NOT_WITH, "format", "CSV and JSON have the errors anyway", has_errors_anyway},
	{"table", NOT_WITH, "format", chains_alone, has_chains},
	{"sort", NOT_WITH, "format", chains_alone, has_chains},
	{"order", NOT_WITH, "format",
	 "call chains have no columns: -s takes an event here (-s page-faults), whose chains are then printed",
	 has_chains_by_column},
	{"children", NOT_WITH, "format", "call chains have all callees anyway", has_chains},
	{"iterations", NOT_WITH, "format", one_document, is_document},
	{"delay", NOT_WITH, "format", whole_document, is_document_in_parts},
	{"children", NOT_WITH, "format", all_of_it, is_snapshot},
	{"input", NOT_WITH, "format", "cyctop diff reads the recording itself", is_snapshot},
	{"table", NOT_WITH, "format", all_of_it, is_snapshot},
	{"sort", NOT_WITH, "format", all_of_it, is_snapshot},
	{"top", NOT_WITH, "format", all_of_it, is_snapshot},
	{"filter", NOT_WITH, "format", all_of_it, is_snapshot},
	{"hide-kernel", NOT_WITH, "format", all_of_it, is_snapshot},
	{"hide-user", NOT_WITH, "format", all_of_it, is_snapshot},
	{"window", NOT_WITH, "format", "a snapshot is of all refreshes (-n)", is_snapshot},
	{"raw-weights", NOT_WITH, "format", "the weights of a snapshot are scaled", is_snapshot},
	{"output", NOT_WITHOUT, "format",
	 "it is where snapshots go, and tables are printed; --format snapshot makes one", prints_tables},
	{"output", NOT_WITH, "format", "it is where snapshots go; --format snapshot makes one", prints_tables},
	{"every", NOT_WITHOUT, "toggle", "it is the length of a turn", NULL},
	{"toggle", NOT_WITH, "baseline", "each is a comparison of the screen; give one of them", NULL},
	{"window", NOT_WITH, "input", "without -d, a printed recording is one interval", one_piece},
};

void options_defaults(struct options *o)
{
	*o = (struct options){
		.delay_ns = second_ns,
		.window = WINDOW_SLIDING,
		.sliding_ns = 5 * second_ns,
		.fdr = 0.05,
		.min_change = 0.01,
		.every_ns = 5 * second_ns,
		.history_bytes = 64 << 20,
		.format = &batch_formats[0],
	};
	o->live.freq = EVENT_RATE_DEFAULT;
	o->live.events_n = event_defaults(o->live.events);
}

/* Returns true for a file or directory, which (unlike a pipe) can be read twice.  Also returns true for a path that
 * does not exist, because opening it gives a better error message. */
static bool is_kept(const char *path)
{
	struct stat st;
	int rc = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);
	return rc < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

/* Sets defaults that depend on several options; to be called after all options were parsed. */
static void settle(struct options *o, const struct option_line *line)
{
	bool asked = o->batch || option_given(line, "format") || o->report.dims_n;
	if (!line->out_is_tty && !o->batch && !o->iterations && !option_given(line, "format") && !o->input &&
	    !o->command)
		o->iterations = 1; /* `cyctop | less` prints one refresh; -b, -n or --format print more */
	if (o->format->snapshot && !o->iterations && !o->command)
		o->iterations = SNAPSHOT_INTERVALS;
	if (o->format->document && !o->command)
		o->iterations = 1;
	o->batch_by = o->batch			     ? "with -b"
		      : option_given(line, "format") ? "with --format"
		      : asked			     ? "with --sort"
						     : "where standard output is no terminal";
	o->batch = asked || !line->out_is_tty;
	o->whole_run = o->batch && o->command && !o->iterations && !option_given(line, "delay");
	if (o->batch && !option_given(line, "window"))
		o->window = o->whole_run ? WINDOW_TOTAL
					 /* programs that read the output can add up intervals, but not sliding windows,
					  * which overlap */
					 : WINDOW_INTERVAL;
	/* a pipe is shown as it fills, in real time; other recordings are read as fast as possible */
	if (!option_given(line, "speed"))
		o->speed = !o->batch && o->input && !is_kept(o->input) ? 1 : 0;
	if (!o->batch && !option_given(line, "window") && o->input && o->speed == 0)
		o->window = WINDOW_TOTAL;
	o->delay_given = option_given(line, "delay");
}

static unsigned run_of(const struct options *o)
{
	return (unsigned)(o->input  ? RUN_FILE
			  : o->demo ? RUN_DEMO
				    : RUN_LIVE) |
	       (unsigned)(o->batch ? RUN_BATCH : RUN_SCREEN);
}

/* Refuses a word after the options; the error suggests what the user may have meant. */
static int refuse_operand(struct options *o, const char *word, struct error *err)
{
	char advice[200] = "";
	struct stat st;
	if (strspn(word, "0123456789,") == strlen(word) && *word)
		snprintf(advice, sizeof(advice), ": -p %.60s shows that process alone", word);
	else if (stat(word, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 0111)
		snprintf(advice, sizeof(advice), ": cyctop -- %.60s runs and shows it", word);
	else if (stat(word, &st) == 0 && S_ISREG(st.st_mode))
		snprintf(advice, sizeof(advice), ": -i %.60s shows a recording", word);
	else
		option_unknown(o, WORD_COMMAND, word, "? cyctop takes options only; --help lists them");
	return error_set(err, EINVAL, "unknown word '%.60s'%s", word, advice);
}

static bool traces(const struct options *o)
{
	if (o->live.off_cpu)
		return true;
	for (size_t e = 0; e < o->live.events_n; e++)
		if (o->live.events[e].type == ABI_TYPE_TRACEPOINT)
			return true;
	return false;
}

/* Checks that a tracepoint is measured if --fields names fields.  A recording passes: its events are not known yet. */
static int check_fields(struct options *o, struct error *err)
{
	if (!o->fields.n || o->input || (!o->demo && traces(o)))
		return 0;
	return o->sort ? option_no_keys(o, o->sort, err)
		       : error_set(err, EINVAL, "--fields: no event of -e is a tracepoint, which has fields");
}

/* Checks that the column of -s can exist.  The events of a recording or a script (--demo) are not known yet, so any
 * event's column is accepted with them. */
static int check_order(struct options *o, struct error *err)
{
	if (!o->order_by_event || o->input || o->demo || options_name_role(o->output.sort) ||
	    may_name_event(o, o->output.sort))
		return 0;
	error_set(err, EINVAL, "no column '%.40s' to sort by", o->output.sort);
	return option_unknown(o, WORD_COLUMN, o->output.sort, "");
}

static int check(struct options *o, const struct option_line *line, struct error *err)
{
	if (line->set.operand && strcmp(line->argv[line->first - 1], "--") != 0)
		return refuse_operand(o, line->argv[line->first], err);
	o->command = line->set.operand ? line->argv + line->first : NULL;
	settle(o, line);
	int rc = o->input || o->demo ? 0 : option_metric_events(o, err);
	if (rc == 0)
		rc = option_rules_check(rules, ARRAY_LEN(rules), line, o, err);
	if (rc == 0)
		rc = option_runs_check(line, run_of(o), o->batch_by, err);
	if (rc == 0 && o->format->snapshot && o->iterations > LIMIT_SNAPSHOT_INTERVALS)
		rc = error_set(err, EINVAL, "-n: a snapshot has at most %d refreshes; a larger -d makes them longer",
			       LIMIT_SNAPSHOT_INTERVALS);
	if (rc == 0)
		rc = check_fields(o, err);
	if (rc == 0)
		rc = check_order(o, err);
	if (rc == 0 && o->format->binary && line->out_is_tty)
		rc = error_set(err, EINVAL, "--format %s is not for a terminal: write it to a file, > FILE",
			       o->format->name);
	return rc;
}

const struct command show_command = {
	.name = "",
	.rows = options_rows,
	.check = check,
	.usage = "Usage: cyctop [OPTIONS]\n"
		 "       cyctop [OPTIONS] -- COMMAND...\n"
		 "       cyctop record [OPTIONS] [COMMAND...]\n"
		 "       cyctop dump [--json] FILE\n"
		 "       cyctop diff [OPTIONS] BEFORE AFTER\n"
		 "       cyctop compare [OPTIONS] -- COMMAND... --- COMMAND...\n"
		 "       cyctop list [--json] [PATTERN]\n"
		 "       cyctop doctor [--json]\n"
		 "Shows where this machine's CPU cycles go and what they achieve: hot functions and\n"
		 "tasks with instructions per cycle and cache-miss ratios, live; or records it.\n\n",
	.more = "\nOn the screen, h explains the keys and columns.  Exit status: 0 all went well,\n"
		"1 something failed, 2 the command line was wrong; with COMMAND, that of COMMAND.\n",
};
