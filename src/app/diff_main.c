#include "app/diff.h"
#include "app/message.h"
#include "app/signals.h"
#include "base/alloc.h"
#include "os/privileges.h"
#include "os/write.h"

#include <errno.h>
#include <fnmatch.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run of `cyctop diff`. */
struct diff_run {
	const struct diff_options *options;
	struct diff_about about[DIFF_SIDES];
	struct diff_about *files; /* [files_n], of both sides */
	size_t files_n;
	struct diff_table *tables[DIFF_SIDES];
	struct function_files functions[DIFF_SIDES];
	size_t event[DIFF_SIDES];
	struct diff_notes notes;
	struct diff *diff;
	int quit_fd; /* signals_open() */
};

/* The files of a side. */
struct files {
	struct diff_about *about;
	struct diff_table **tables;
	struct function_files *functions; /* of all of them together */
	size_t n;
};

static void files_deinit(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		diff_table_destroy(f->tables[i]);
	free(f->about);
	free(f->tables);
}

static int load_files(const struct diff_options *o, enum diff_side side, int quit_fd, struct files *ret,
		      struct error *err)
{
	ret->about = mem_calloc(o->paths_n[side], sizeof(*ret->about));
	ret->tables = mem_calloc(o->paths_n[side], sizeof(struct diff_table *));
	for (; ret->n < o->paths_n[side]; ret->n++) {
		struct side file = {.table = NULL};
		int rc = diff_load(o, o->paths[side][ret->n], quit_fd, &file, err);
		if (rc < 0)
			return rc;
		ret->about[ret->n] = file.about;
		ret->tables[ret->n] = file.table;
		function_files_join(ret->functions, &file.files);
	}
	return 0;
}

/* No file may be there twice, not on one side either: it would not differ from itself. */
static int check_files(struct diff_run *c, const struct files *files, struct error *err)
{
	c->files_n = files[DIFF_BEFORE].n + files[DIFF_AFTER].n;
	c->files = mem_calloc(c->files_n, sizeof(*c->files));
	memcpy(c->files, files[DIFF_BEFORE].about, files[DIFF_BEFORE].n * sizeof(*c->files));
	memcpy(c->files + files[DIFF_BEFORE].n, files[DIFF_AFTER].about, files[DIFF_AFTER].n * sizeof(*c->files));
	return diff_check_twice(c->files, c->files_n, err);
}

static int join_files(struct diff_run *c, struct files *files, struct error *err)
{
	int rc = check_files(c, files, err);
	for (enum diff_side side = 0; side < DIFF_SIDES && rc == 0; side++) {
		struct files *f = &files[side];
		c->about[side] = f->about[0];
		if (f->n > 1) {
			rc = diff_join(f->about, f->tables, f->n, &c->about[side], &c->tables[side], err);
		} else {
			c->tables[side] = f->tables[0];
			f->n = 0;
		}
	}
	return rc;
}

static int load(struct diff_run *c, struct error *err)
{
	struct files files[DIFF_SIDES] = {{.functions = &c->functions[0]}, {.functions = &c->functions[1]}};
	int rc = 0;
	for (enum diff_side side = 0; side < DIFF_SIDES && rc == 0; side++)
		rc = load_files(c->options, side, c->quit_fd, &files[side], err);
	if (rc == 0)
		rc = join_files(c, files, err);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		files_deinit(&files[side]);
	return rc;
}

static int compare(struct diff_run *c, struct error *err)
{
	const struct diff_options *o = c->options;
	struct diff_config config = {
		.unit = o->unit,
		.fdr = o->fdr,
		.min_change = o->min_change,
		.rebuilt = side_was_rebuilt,
		.rebuilt_ctx = c->functions,
	};
	int rc = diff_find_event(c->about, o->event, c->event, err);
	if (rc == 0)
		rc = diff_check(c->about, c->event, &c->notes, err);
	if (rc == 0)
		rc = diff_check_unit(c->about, o->unit, err);
	if (rc == 0 && (o->unit == DIFF_UNIT_INSTRUCTIONS || o->unit == DIFF_UNIT_EVENT))
		rc = diff_find_event(c->about, o->per ? o->per : "instructions", config.per, err);
	if (rc < 0)
		return rc;
	memcpy(config.event, c->event, sizeof(config.event));
	diff_note_shared(c->files, c->files_n, &c->notes);
	c->diff = diff_create(c->tables[DIFF_BEFORE], c->tables[DIFF_AFTER], &config);
	diff_note_worth(c->diff, &c->notes);
	side_tell_functions(c->diff, c->functions, o->common.raw_names ? NULL : demangle);
	return 0;
}

static bool has_text(const char *parts, const char *name)
{
	return text_matches(name, parts);
}

static int print(const struct diff_run *c)
{
	const struct diff_options *o = c->options;
	const struct diff_row **rows = mem_calloc(c->diff->n + 1, sizeof(const struct diff_row *));
	size_t all = 0, n = 0;
	for (size_t i = 0; i < c->diff->n; i++) {
		if (o->common.filter && !diff_row_matches(c->diff, &c->diff->rows[i], o->common.filter, has_text))
			continue;
		if (!o->top || all < o->top)
			rows[n++] = &c->diff->rows[i];
		all++;
	}
	const struct diff_output output = {
		.diff = c->diff,
		.about = c->about,
		.event = c->event,
		.per = o->per,
		.notes = &c->notes,
		.fdr = o->fdr,
		.min_change = o->min_change,
		.rows = rows,
		.rows_n = n,
		.more = all - n,
	};
	struct os_writer to = {.fd = STDOUT_FILENO, .stop_fd = c->quit_fd, .patience_ms = OS_PATIENCE_MS};
	FILE *out = os_writer_stream(&to);
	o->common.format->diff(out, &output);
	fclose(out);
	if (!n && c->diff->n)
		message("--filter: no row has '%s' in its names", o->common.filter);
	free(rows);
	bool has_notes = strcmp(o->common.format->name, "csv") != 0;
	for (size_t i = 0; !has_notes && i < c->notes.n; i++)
		message("%s", c->notes.text[i]);
	if (!to.failed || to.failed == EPIPE) /* a reader that went away has seen enough */
		return 0;
	message_unwritten(to.failed);
	return EXIT_FAILED;
}

/* ---- bounds ---------------------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, 0) == 0;
}

static void name_row(const struct diff *d, const struct diff_row *row, struct strbuf *ret)
{
	for (size_t i = 0; i < d->dims_n; i++) {
		const struct key_value *v = &row->names[i];
		if (v->kind == KEY_NUMBER)
			strbuf_addf(ret, "%s%s %llu", i ? ", " : "", dimensions[d->dims[i]].id,
				    (unsigned long long)v->number);
		else
			strbuf_addf(ret, "%s%s", i ? ", " : "", v->kind == KEY_TEXT ? v->text : "unknown");
	}
}

static void say_exceeded(const struct diff *d, const struct diff_row *row, const struct compare_change *c,
			 const char *value, double bound)
{
	struct strbuf name = {0};
	name_row(d, row, &name);
	if (isfinite(c->change))
		message("%s of %.200s: %+.1f%%, beyond %+g%%", value, name.data, 100 * (c->change - 1), 100 * bound);
	else
		message("%s of %.200s: new, beyond %+g%%", value, name.data, 100 * bound);
	strbuf_deinit(&name);
}

/* 0, EXIT_EXCEEDED, or EXIT_USAGE. */
static int check_bound(const struct diff_run *c, const struct diff_bound *b)
{
	const struct diff *d = c->diff;
	size_t on, rows = 0, exceeded = 0, found = 0;
	struct error err;
	if (diff_bound_find(b, d, &c->about[DIFF_BEFORE].events[c->event[DIFF_BEFORE]], &on, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *row = &d->rows[i];
		const struct compare_change *change =
			on == DIFF_ON_EVENT ? &row->value.change : &row->metrics[on].change;
		if (!diff_bound_is_on(b, d, row, matches))
			continue;
		rows++;
		found += change->tested && change->smallest <= 1 + fabs(b->bound);
		if (!diff_bound_exceeded(b, d, row, on, matches))
			continue;
		exceeded++;
		say_exceeded(d, row, change, b->value, b->bound);
	}
	if (exceeded)
		return EXIT_EXCEEDED;
	if (!rows)
		message("--fail-if: no row has a name like '%s'", b->pattern);
	else if (!found)
		message("--fail-if: no row has the samples to show a change of %s by %+g%%: record for longer",
			b->value, 100 * b->bound);
	return 0;
}

static int check_bounds(const struct diff_run *c)
{
	int status = 0;
	for (size_t i = 0; i < c->options->bounds_n; i++) {
		int one = check_bound(c, &c->options->bounds[i]);
		status = one > status ? one : status;
	}
	return status;
}

/* ---- the command ----------------------------------------------------------------------------------- */

int diff_main(int argc, char **argv)
{
	struct diff_options o;
	struct diff_run c = {.options = &o};
	struct error err = {0};
	privileges_drop(PRIVILEGES_READ);
	setlocale(LC_CTYPE, ""); /* no other category: numbers keep their decimal point */
	if (diff_options_parse(argc, argv, &o, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	if (o.common.help) {
		diff_options_help(stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
	}
	int status = EXIT_FAILED, signals = signals_open(&c.quit_fd);
	int rc = signals < 0 ? error_set(&err, -signals, "cannot receive signals: %s", strerror(-signals)) : 0;
	if (rc == 0) {
		signals_watch(c.quit_fd, screen_restore);
		rc = load(&c, &err);
	}
	if (rc == 0)
		rc = compare(&c, &err);
	if (rc < 0 || !c.diff)
		message("%s", err.text);
	else
		status = print(&c);
	if (status == 0)
		status = check_bounds(&c);
	if (signals >= 0) {
		close(signals);
		close(c.quit_fd);
	}
	diff_destroy(c.diff);
	free(c.files);
	for (enum diff_side side = 0; side < DIFF_SIDES; side++)
		diff_table_destroy(c.tables[side]), function_files_deinit(&c.functions[side]);
	return status;
}
