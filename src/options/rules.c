#include "options/rows.h"

#include <errno.h>
#include <string.h>

/* For each kind of run, two parts of the error for an option that has no effect there: where ("with -i") and why. */
static const struct {
	unsigned run;
	const char *where; /* NULL: the parameter batch_by of option_runs_check() */
	const char *why;
} run_rows[] = {
	{RUN_LIVE, "without -i", "it needs a recording"},
	{RUN_FILE, "with -i", "a recording is shown as it was measured"},
	{RUN_DEMO, "with --demo", "a made-up machine is not measured and has no files"},
	{RUN_SCREEN, "on a terminal", "it changes printed tables; add -b to print them"},
	{RUN_BATCH, NULL, "it changes the screen, but here tables are printed"},
	{RUN_COPY, "with -i", "a recording is copied as it is; only -o and -z go with -i"},
};

int option_runs_check(const struct option_line *line, unsigned run, const char *batch_by, struct error *err)
{
	for (size_t i = 0; i < line->n; i++) {
		unsigned missing = line->set.given >> i & 1 ? run & ~line->rows[i].runs : 0;
		for (size_t k = 0; missing && k < ARRAY_LEN(run_rows); k++) {
			char name[40];
			if (!(missing & run_rows[k].run))
				continue;
			option_spell(&line->rows[i], line->set.by_name >> i & 1, name);
			return error_set(err, EINVAL, "%s %s: %s", name,
					 run_rows[k].where ? run_rows[k].where : batch_by, run_rows[k].why);
		}
	}
	return 0;
}

static bool spell(const struct option_line *line, const char *name, char buf[static 40])
{
	snprintf(buf, 40, "%s", name);
	for (size_t i = 0; i < line->n; i++)
		if (strcmp(line->rows[i].name, name) == 0) {
			option_spell(&line->rows[i], line->set.by_name >> i & 1, buf);
			return line->set.given >> i & 1;
		}
	return strcmp(name, OPERANDS) == 0 && line->set.operand;
}

int option_rules_check(const struct option_rule *rules, size_t n, const struct option_line *line,
		       const struct options *o, struct error *err)
{
	for (const struct option_rule *r = rules; r < rules + n; r++) {
		char option[40], other[40];
		bool has = spell(line, r->option, option);
		bool has_other = spell(line, r->other, other);
		if (has && has_other == (r->relation == NOT_WITH) && (!r->when || r->when(o)))
			return error_set(err, EINVAL, "%s %s %s: %s", option,
					 r->relation == NOT_WITH ? "with" : "without", other, r->why);
	}
	return 0;
}
