/* Compares two files of counted calls, and prints the comparison. */
#include "app/calls.h"
#include "app/diff.h"
#include "app/message.h"
#include "base/strbuf.h"
#include "os/write.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* ---- checking whether --fail-if is exceeded ---------------------------------------------------------- */

/* Returns the index of the number that a bound is for.  -errno: there is none, and *err lists all numbers. */
static int find_number(const struct calls_compared *c, const struct diff_bound *b, struct error *err)
{
	struct strbuf known = {0};
	for (size_t i = 0; i < c->numbers_n; i++) {
		if (strcmp(c->numbers[i].id, b->value) == 0) {
			strbuf_deinit(&known);
			return (int)i;
		}
		strbuf_addf(&known, "%s%s", i ? ", " : "", c->numbers[i].id);
	}
	int rc = error_set(err, ENOENT, "--fail-if: '%.40s' is not compared here; there are %.200s", b->value,
			   known.data);
	strbuf_deinit(&known);
	return rc;
}

/* Returns 0, EXIT_EXCEEDED, or EXIT_USAGE if the bound is for an unknown number. */
static int check_bound(const struct calls_compared *c, const struct diff_bound *b)
{
	struct error err;
	size_t found = 0, exceeded = 0;
	int number = find_number(c, b, &err);
	if (number < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < c->changes.n; i++) {
		const struct calls_change *row = &c->changes.data[i];
		double before = row->known[DIFF_BEFORE] ? row->v[DIFF_BEFORE][number] : 0;
		double after = row->known[DIFF_AFTER] ? row->v[DIFF_AFTER][number] : 0;
		const struct compare_change change = {.real = before != after,
						      .change = before > 0 ? after / before : INFINITY};
		if (*b->pattern && fnmatch(b->pattern, row->symbol, 0) != 0)
			continue;
		found++;
		if (isnan(before) || isnan(after) || !diff_bound_exceeded(b, &change))
			continue;
		exceeded++;
		diff_tell_exceeded(b, row->symbol, &change);
	}
	if (!found)
		message("--fail-if: no row has a name like '%s'", b->pattern);
	return exceeded ? EXIT_EXCEEDED : 0;
}

/* ---- comparing the two files ------------------------------------------------------------------------ */

static int check(const struct diff_options *o, struct error *err)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		int is = diff_is_calls(o->paths[side][0], err);
		if (is < 0)
			return is;
		if (!is)
			return error_set(err, EINVAL,
					 "%.150s has counted calls, and %.150s has not: only likes are compared",
					 o->paths[!side][0], o->paths[side][0]);
	}
	if (o->paths_n[DIFF_BEFORE] > 1 || o->paths_n[DIFF_AFTER] > 1)
		return error_set(err, EINVAL, "of counted calls, one file is compared with one");
	if (o->of_recordings)
		return error_set(err, EINVAL,
				 "--%s is about recordings; files of counted calls are compared as they are",
				 o->of_recordings);
	for (size_t i = 0; i < o->dims_n; i++)
		if (o->dims[i] != DIM_DSO && o->dims[i] != DIM_SYMBOL)
			return error_set(err, EINVAL, "--sort: counted calls are by dso and symbol alone");
	return 0;
}

static int print(const struct diff_options *o, const struct calls_compared *c, int quit_fd)
{
	size_t n = o->top && o->top < c->changes.n ? o->top : c->changes.n;
	const struct calls_diff_output output = {
		.files = {o->paths[DIFF_BEFORE][0], o->paths[DIFF_AFTER][0]},
		.sides = {&c->sides[DIFF_BEFORE], &c->sides[DIFF_AFTER]},
		.numbers = c->numbers,
		.numbers_n = c->numbers_n,
		.rows = c->changes.data,
		.n = n,
		.more = c->changes.n - n,
	};
	struct os_writer to;
	FILE *out = diff_output_open(quit_fd, &to);
	o->common.format->calls_diff(out, &output);
	int status = diff_output_close(out, &to);
	if (!c->changes.n && diff_table_rows(c->rows))
		message("--filter: no row has '%s' in its names", o->common.filter);
	return status;
}

int diff_calls(const struct diff_options *o, int quit_fd, struct error *err)
{
	struct calls_compared c = {.dims = o->dims, .dims_n = o->dims_n, .filter = o->common.filter};
	int rc = check(o, err), status = 0;
	for (enum diff_side side = 0; side < DIFF_SIDES && rc == 0; side++)
		rc = calls_load(o->paths[side][0], &c.sides[side], err);
	if (rc == 0) {
		calls_compare(&c);
		rc = print(o, &c, quit_fd);
		for (size_t i = 0; rc == 0 && i < o->bounds_n; i++) {
			int one = check_bound(&c, &o->bounds[i]);
			status = one > status ? one : status;
		}
	}
	calls_compared_deinit(&c);
	return rc ? rc : status;
}
