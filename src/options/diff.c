#include "options/rows.h"

#include <errno.h>
#include <string.h>

static struct diff_options *of(struct options *o)
{
	return (struct diff_options *)o; /* `common` is the first member */
}

static int set_sort(struct options *o, const char *arg, struct error *err)
{
	struct pivot_query keys = {.dims_n = 0};
	struct error why;
	if (pivot_dims_parse(arg, NULL, &keys, &why) < 0) {
		error_set(err, EINVAL, "--sort: %s", why.text);
		return option_unknown(o, WORD_KEY, arg, "");
	}
	if (pivot_has(&keys, DIM_CHAIN))
		return error_set(err, EINVAL, "--sort: call chains are not compared; --sort symbol compares functions");
	memcpy(of(o)->dims, keys.dims, sizeof(of(o)->dims));
	of(o)->dims_n = keys.dims_n;
	return 0;
}

static int set_event(struct options *o, const char *arg, struct error *err)
{
	return option_event_name("--event", arg, &of(o)->event, err);
}

static int set_unit(struct options *o, const char *arg, struct error *err)
{
	for (enum diff_unit unit = 0; unit < DIFF_UNIT_EVENT; unit++)
		if (strcmp(diff_unit_names[unit], arg) == 0) {
			of(o)->unit = unit;
			return 0;
		}
	return error_set(err, EINVAL, "--unit takes reference, share, rate or instructions, not '%.40s'", arg);
}

static void list_units(struct strbuf *ret)
{
	for (enum diff_unit unit = 0; unit < DIFF_UNIT_EVENT; unit++)
		strbuf_addf(ret, "%s%s", unit ? ", " : "", diff_unit_names[unit]);
}

static void list_formats(struct strbuf *ret)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (!batch_formats[i].snapshot && !batch_formats[i].chains && !batch_formats[i].document)
			strbuf_addf(ret, "%s%s", ret->n && i ? ", " : "", batch_formats[i].name);
}

/* Sets the format.  Refuses formats that cannot show a comparison. */
static int set_format(struct options *o, const char *arg, struct error *err)
{
	const struct batch_format *format = batch_format_find(arg);
	if (!format)
		return option_refuse(o, "--format", arg, list_formats, WORD_FORMAT, err);
	if (format->snapshot || format->chains)
		return error_set(err, EINVAL, "--format %s is of what is measured; a comparison is printed", arg);
	return options_row("format")->set(o, arg, err);
}

static int set_rows(struct options *o, const char *arg, struct error *err)
{
	uint64_t n;
	int rc = option_whole("-n", arg, 0, 1e9, &n, err);
	of(o)->top = rc == 0 ? (size_t)n : 0;
	of(o)->top_given = true;
	return rc;
}

static int add_bound(struct options *o, const char *arg, struct error *err)
{
	struct diff_options *d = of(o);
	if (d->bounds_n == DIFF_BOUNDS_MAX)
		return error_set(err, E2BIG, "--fail-if is given more than %d times", DIFF_BOUNDS_MAX);
	int rc = diff_bound_parse(arg, &d->bounds[d->bounds_n], err);
	d->bounds_n += rc == 0;
	return rc;
}

static const struct option_row own_rows[] = {
	{0, "sort", "KEYS", "compare the rows of one or some of these keys (dso,symbol)", set_sort, RUN_DIFF, NULL},
	{0, "event", "NAME", "the event to compare; without it the first one that both have", set_event, RUN_DIFF,
	 NULL},
	{0, "unit", "UNIT", "what rows are measured by", set_unit, RUN_DIFF, list_units},
	{0, "per", "EVENT", "measure rows by that event of all: cycles per request, if a request is an event",
	 option_per, RUN_DIFF, NULL},
	{0, "fdr", "PERCENT", "of the rows that are called real, so many may be chance (5)", option_fdr, RUN_DIFF,
	 NULL},
	{0, "min-change", "PERCENT", "a smaller change is never called real (1)", option_min_change, RUN_DIFF, NULL},
	{0, "fail-if", "BOUND", "exit with 3 if a real change is beyond it: 'cycles > +3%', 'ipc of parse* < -5%'",
	 add_bound, RUN_DIFF, NULL},
	{'n', "rows", "ROWS", "print only the first ROWS rows (text: 40); 0: all", set_rows, RUN_DIFF, NULL},
};
static const char *const shared[] = {
	"pid",	  "tid",   "cpu",     "comm",	  "filter",	 "hide-kernel", "hide-user",
	"format", "symfs", "vmlinux", "kallsyms", "no-demangle", "raw-weights", "help",
};
static const struct option_rule rules[] = {
	{"pid", NOT_WITH, "tid", "each says whom it is about; give one of them", NULL},
	{"hide-kernel", NOT_WITH, "hide-user", "nothing would be left to compare", NULL},
	{"unit", NOT_WITH, "per", "each says what rows are measured by; give one of them", NULL},
};

size_t diff_option_rows(struct option_row ret[static OPTION_ROWS_MAX])
{
	memcpy(ret, own_rows, sizeof(own_rows));
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		struct option_row *row = &ret[ARRAY_LEN(own_rows) + i];
		*row = *options_row(shared[i]);
		if (strcmp(row->name, "format") != 0)
			continue;
		row->values = list_formats;
		row->set = set_format;
	}
	return ARRAY_LEN(own_rows) + ARRAY_LEN(shared);
}

/* Returns the name of an option on the command line that has no effect on files of cyctop calls; NULL: none. */
static const char *option_not_of_calls(const struct option_line *line)
{
	static const char *const of_calls[] = {"sort", "rows", "filter", "format", "fail-if"};
	for (size_t i = 0; i < line->n; i++) {
		bool has = !(line->set.given >> i & 1);
		for (size_t k = 0; k < ARRAY_LEN(of_calls); k++)
			has |= strcmp(line->rows[i].name, of_calls[k]) == 0;
		if (!has)
			return line->rows[i].name;
	}
	return NULL;
}

/* Takes the paths after the options: BEFORE AFTER, or BEFORE... -- AFTER... */
static int take_files(struct diff_options *o, const struct option_line *line, struct error *err)
{
	int behind = line->end + 1, argc = line->argc;
	int from[DIFF_SIDES] = {line->first, behind}, n[DIFF_SIDES] = {line->end - line->first, argc - behind};
	bool several = line->end < argc && n[DIFF_BEFORE];
	if (!several) { /* "--" then merely ends the options, as in other programs */
		int first = line->end == argc ? line->first : behind;
		if (argc - first != DIFF_SIDES)
			return error_set(err, EINVAL,
					 "diff takes two files, the one from before and the one from after, or several "
					 "of each: BEFORE... -- AFTER...; see cyctop diff --help");
		from[DIFF_BEFORE] = first;
		from[DIFF_AFTER] = first + 1;
		n[DIFF_BEFORE] = n[DIFF_AFTER] = 1;
	}
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		if (n[side] < 1 || n[side] > DIFF_FILES_MAX)
			return error_set(err, EINVAL, "diff takes 1 to %d files on each side of --", DIFF_FILES_MAX);
		o->paths[side] = &line->argv[from[side]];
		o->paths_n[side] = (size_t)n[side];
		for (int i = 0; i < n[side]; i++)
			if (several && o->paths[side][i][0] == '-' && o->paths[side][i][1])
				return error_set(err, EINVAL,
						 "%.40s stands behind --, where only files do: options of diff stand "
						 "before it, and a file of that name is ./%.40s",
						 o->paths[side][i], o->paths[side][i]);
			else if (strcmp(o->paths[side][i], "-") == 0)
				return error_set(err, EINVAL,
						 "diff reads a recording twice: store it in a file instead of -");
	}
	return 0;
}

enum { TEXT_ROWS = 40 };

static void start(struct options *o)
{
	*of(o) = (struct diff_options){.dims = {DIM_DSO, DIM_SYMBOL}, .dims_n = 2};
	options_defaults(o);
}

static int check(struct options *o, const struct option_line *line, struct error *err)
{
	int rc = option_rules_check(rules, ARRAY_LEN(rules), line, o, err);
	if (rc == 0)
		rc = take_files(of(o), line, err);
	if (!of(o)->top_given && o->format == &batch_formats[0])
		of(o)->top = TEXT_ROWS;
	if (o->per)
		of(o)->unit = DIFF_UNIT_EVENT;
	of(o)->of_recordings = option_not_of_calls(line);
	return rc;
}

const struct command diff_command = {
	.name = "diff",
	.rows = diff_option_rows,
	.start = start,
	.check = check,
	.operands = OPERANDS_UNTIL_DASHES,
	.usage = "Usage: cyctop diff [OPTIONS] BEFORE AFTER\n"
		 "       cyctop diff [OPTIONS] BEFORE... -- AFTER...\n"
		 "Compares two recordings (perf.data) or snapshots (of the key s, or --format snapshot)\n"
		 "row by row, and says which changes are real and which are noise.  Rows are the same if\n"
		 "their names mean the same: paths, build-ids and what compilers append to names do not\n"
		 "matter.  With several files on a side, what these differ by is part of the noise.\n"
		 "Two files of cyctop calls -o have exact counts, which are printed as they are.\n\n",
	.more = "\nA bound is VALUE [of PATTERN] > PERCENT%, or <: VALUE is the event or a ratio (ipc), PATTERN\n"
		"one of the shell for one of a row's names, as printed or as the screen shows it (hot.isra.0).\n"
		"Exit status: 0 all went well, 1 something failed or the sides cannot be compared, 2 the\n"
		"command line was wrong, 3 a bound of --fail-if was exceeded.\n",
};
