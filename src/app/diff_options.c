#include "app/diff.h"

#include "app/nearest.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

static struct diff_options *of(struct options *o)
{
	return (struct diff_options *)o; /* `common` is the first member */
}

static int set_sort(struct options *o, const char *arg, struct error *err)
{
	struct pivot_query keys = {.dims_n = 0};
	struct error why;
	char advice[160];
	if (pivot_dims_parse(arg, NULL, &keys, &why) < 0) {
		words_advice(arg, WORD_KEY, "", advice, sizeof(advice));
		return error_set(err, EINVAL, "--sort: %s%s", why.text, advice);
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

/* Sets the format; comparisons have formats of their own. */
static int set_format(struct options *o, const char *arg, struct error *err)
{
	const struct batch_format *format = batch_format_find(arg);
	if (!format)
		return words_refuse("--format", arg, list_formats, WORD_FORMAT, err);
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

enum { OPT_SORT = 512, OPT_EVENT, OPT_UNIT, OPT_PER, OPT_FDR, OPT_MIN_CHANGE, OPT_FAIL_IF };

static const struct option_row own_rows[] = {
	{OPT_SORT, "sort", "KEYS", "compare the rows of one or some of these keys (dso,symbol)", set_sort, RUN_DIFF,
	 NULL},
	{OPT_EVENT, "event", "NAME", "the event to compare; without it the first one that both have", set_event,
	 RUN_DIFF, NULL},
	{OPT_UNIT, "unit", "UNIT", "what rows are measured by", set_unit, RUN_DIFF, list_units},
	{OPT_PER, "per", "EVENT", "measure rows by that event of all: cycles per request, if a request is an event",
	 option_per, RUN_DIFF, NULL},
	{OPT_FDR, "fdr", "PERCENT", "of the rows that are called real, so many may be chance (5)", option_fdr, RUN_DIFF,
	 NULL},
	{OPT_MIN_CHANGE, "min-change", "PERCENT", "a smaller change is never called real (1)", option_min_change,
	 RUN_DIFF, NULL},
	{OPT_FAIL_IF, "fail-if", "BOUND",
	 "exit with 3 if a real change is beyond it: 'cycles > +3%', 'ipc of parse* < -5%'", add_bound, RUN_DIFF, NULL},
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

/* Returns the first option that was given but has no meaning for counted calls; NULL: there is none. */
static const char *find_others(const struct option_row *rows, size_t n, const struct option_set *set)
{
	static const char *const of_calls[] = {"sort", "rows", "filter", "format", "fail-if"};
	for (size_t i = 0; i < n; i++) {
		bool has = !(set->given >> i & 1);
		for (size_t k = 0; k < ARRAY_LEN(of_calls); k++)
			has |= strcmp(rows[i].name, of_calls[k]) == 0;
		if (!has)
			return rows[i].name;
	}
	return NULL;
}

/* Returns the index of "--", or argc. */
static int find_separator(int argc, char **argv)
{
	int i = 1;
	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i < argc ? i : argc;
}

/* Takes the paths BEFORE AFTER, or BEFORE... -- AFTER...; the options are parsed already. */
static int take_files(struct diff_options *o, int separator, int argc, char **argv, struct error *err)
{
	int from[DIFF_SIDES] = {optind, separator + 1}, n[DIFF_SIDES] = {separator - optind, argc - separator - 1};
	bool several = separator < argc && n[DIFF_BEFORE];
	if (!several) { /* "--" may just mean the end of the options */
		int first = separator == argc ? optind : separator + 1;
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
		o->paths[side] = &argv[from[side]];
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

int diff_options_parse(int argc, char **argv, struct diff_options *ret, struct error *err)
{
	enum { TEXT_ROWS = 40 };
	struct diff_options o = {.dims = {DIM_DSO, DIM_SYMBOL}, .dims_n = 2};
	struct option_row rows[OPTION_ROWS_MAX];
	struct option_set set;
	size_t n = diff_option_rows(rows);
	options_defaults(&o.common);
	int separator = find_separator(argc, argv);
	int rc = option_rows_parse(rows, n, COMMAND_DIFF, false, separator, argv, &o.common, &set, err);
	if (rc < 0)
		return rc;
	if (!o.common.help)
		rc = option_rules_check(rules, ARRAY_LEN(rules), rows, n, &set, &o.common, err);
	if (rc < 0)
		return rc;
	rc = o.common.help ? 0 : take_files(&o, separator, argc, argv, err);
	if (rc < 0)
		return rc;
	if (!o.top_given && o.common.format == &batch_formats[0])
		o.top = TEXT_ROWS;
	if (o.common.per)
		o.unit = DIFF_UNIT_EVENT;
	o.of_recordings = find_others(rows, n, &set);
	*ret = o;
	return 0;
}

void diff_options_help(FILE *out)
{
	struct option_row rows[OPTION_ROWS_MAX];
	fputs("Usage: cyctop diff [OPTIONS] BEFORE AFTER\n"
	      "       cyctop diff [OPTIONS] BEFORE... -- AFTER...\n"
	      "Compares two recordings (perf.data) or snapshots (of the key s, or --format snapshot)\n"
	      "row by row, and says which changes are real and which are noise.  Rows are the same if\n"
	      "their names mean the same: paths, build-ids and what compilers append to names do not\n"
	      "matter.  With several files on a side, what these differ by is part of the noise.\n"
	      "Two files of cyctop calls -o have exact counts, which are printed as they are.\n\n",
	      out);
	option_rows_help(out, rows, diff_option_rows(rows));
	fputs("\nA bound is VALUE [of PATTERN] > PERCENT%, or <: VALUE is the event or a ratio (ipc), PATTERN\n"
	      "one of the shell for one of a row's names, as printed or as the screen shows it (hot.isra.0).\n"
	      "Exit status: 0 all went well, 1 something failed or the sides cannot be compared, 2 the\n"
	      "command line was wrong, 3 a bound of --fail-if was exceeded.\n",
	      out);
}
