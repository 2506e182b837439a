#include "app/option_rows.h"

#include "base/alloc.h"
#include "base/strbuf.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int option_number(const char *what, const char *arg, double min, double max, double *ret, struct error *err)
{
	char *end;
	errno = 0;
	double v = strtod(arg, &end);
	if (end == arg || *end || errno || !isfinite(v) || v < min || v > max)
		return error_set(err, EINVAL, "%s takes a number from %g to %g, not '%.40s'", what, min, max, arg);
	*ret = v;
	return 0;
}

int option_whole(const char *what, const char *arg, double min, double max, uint64_t *ret, struct error *err)
{
	double v;
	int rc = option_number(what, arg, min, max, &v, err);
	if (rc == 0 && v != floor(v))
		rc = error_set(err, EINVAL, "%s takes a whole number, not '%.40s'", what, arg);
	if (rc == 0)
		*ret = (uint64_t)v;
	return rc;
}

static bool may_take(const struct option_row *row)
{
	return row->arg && row->arg[0] == '[';
}

static void build_getopt(const struct option_row *rows, size_t n, bool until_operand, struct strbuf *letters,
			 struct option *longs)
{
	strbuf_add(letters, until_operand ? "+:" : ":");
	for (size_t i = 0; i < n; i++) {
		const struct option_row *row = &rows[i];
		int takes = !row->arg ? no_argument : may_take(row) ? optional_argument : required_argument;
		longs[i] = (struct option){row->name, takes, NULL, row->key};
		if (row->key < 256)
			strbuf_addf(letters, "%c%s", row->key, !row->arg ? "" : may_take(row) ? "::" : ":");
	}
}

static size_t find_row(const struct option_row *rows, int key)
{
	size_t i = 0;
	while (rows[i].key != key)
		i++;
	return i;
}

static int parse(const struct option_row *rows, const char *letters, const struct option *longs, int argc, char **argv,
		 struct options *o, uint64_t *given, struct error *err)
{
	opterr = 0;
	optind = 1;
	for (int key; (key = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
		if (key == '?')
			return error_set(err, EINVAL, "unknown option '%s'; --help lists them", argv[optind - 1]);
		if (key == ':')
			return error_set(err, EINVAL, "the option '%s' needs a value", argv[optind - 1]);
		size_t i = find_row(rows, key);
		int rc = rows[i].set(o, optarg, err);
		if (rc < 0)
			return rc;
		*given |= 1ull << i;
	}
	return 0;
}

int option_rows_parse(const struct option_row *rows, size_t n, bool until_operand, int argc, char **argv,
		      struct options *o, uint64_t *given_ret, struct error *err)
{
	struct strbuf letters = {0};
	struct option *longs = mem_calloc(n + 1, sizeof(longs[0]));
	build_getopt(rows, n, until_operand, &letters, longs);
	*given_ret = 0;
	int rc = parse(rows, letters.data, longs, argc, argv, o, given_ret, err);
	strbuf_deinit(&letters);
	free(longs);
	return rc;
}

void option_rows_help(FILE *out, const struct option_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct option_row *row = &rows[i];
		char left[40], letter[8] = "   ";
		if (row->key < 256)
			snprintf(letter, sizeof(letter), "-%c,", row->key);
		snprintf(left, sizeof(left), "%s --%s%s%s", letter, row->name,
			 !row->arg	 ? ""
			 : may_take(row) ? "[="
					 : " ",
			 !row->arg ? "" : row->arg + may_take(row));
		fprintf(out, "  %-26s %s\n", left, row->help);
	}
}
