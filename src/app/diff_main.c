#include "app/diff.h"
#include "app/commands.h"
#include "app/message.h"
#include "os/signals.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "os/privileges.h"
#include "os/write.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run of `cyctop diff`. */
struct diff_run {
	const struct diff_options *options;
	struct files_compared of;
	int quit_fd; /* see signals_open() */
};

static int load_file(void *ctx, const char *path, struct side *ret, struct error *err)
{
	const struct diff_run *c = ctx;
	return diff_load(c->options, path, c->quit_fd, ret, err);
}

static int compare(struct diff_run *c, struct error *err)
{
	const struct diff_options *o = c->options;
	const struct files_config config = {
		.paths = {o->paths[DIFF_BEFORE], o->paths[DIFF_AFTER]},
		.paths_n = {o->paths_n[DIFF_BEFORE], o->paths_n[DIFF_AFTER]},
		.load = load_file,
		.ctx = c,
		.event = o->event,
		.per = o->common.per,
		.unit = o->unit,
		.fdr = o->common.fdr,
		.min_change = o->common.min_change,
		.raw_names = o->common.raw_names,
	};
	return files_compare(&config, &c->of, err);
}

static bool has_text(const char *parts, const char *name)
{
	return text_matches(name, parts);
}

void diff_tell_notes(const struct batch_format *format, const struct diff_notes *notes)
{
	for (size_t i = 0; format->one_table && i < notes->n; i++)
		message("%s", notes->text[i]);
}

FILE *diff_output_open(int quit_fd, struct os_writer *ret)
{
	*ret = (struct os_writer){.fd = STDOUT_FILENO, .stop_fd = quit_fd, .patience_ms = OS_PATIENCE_MS};
	return os_writer_stream(ret);
}

int diff_output_close(FILE *out, const struct os_writer *to)
{
	fclose(out);
	if (!to->failed || to->failed == EPIPE) /* EPIPE: the reader that closed the pipe has read enough */
		return 0;
	message_unwritten(to->failed);
	return EXIT_FAILED;
}

static int print(const struct diff_run *c)
{
	const struct diff_options *o = c->options;
	const struct diff_row **rows = mem_calloc(c->of.diff->n + 1, sizeof(const struct diff_row *));
	size_t all = 0, n = 0;
	for (size_t i = 0; i < c->of.diff->n; i++) {
		if (o->common.filter && !diff_row_matches(c->of.diff, &c->of.diff->rows[i], o->common.filter, has_text))
			continue;
		if (!o->top || all < o->top)
			rows[n++] = &c->of.diff->rows[i];
		all++;
	}
	const struct diff_output output = {
		.diff = c->of.diff,
		.about = c->of.about,
		.event = c->of.event,
		.per = o->common.per,
		.notes = &c->of.notes,
		.fdr = o->common.fdr,
		.min_change = o->common.min_change,
		.rows = rows,
		.rows_n = n,
		.more = all - n,
	};
	struct os_writer to;
	FILE *out = diff_output_open(c->quit_fd, &to);
	o->common.format->diff(out, &output);
	int status = diff_output_close(out, &to);
	if (!n && c->of.diff->n)
		message("--filter: no row has '%s' in its names", o->common.filter);
	free(rows);
	diff_tell_notes(o->common.format, &c->of.notes);
	return status;
}

/* ---- checking whether --fail-if is exceeded -------------------------------------------------------- */

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

void diff_tell_exceeded(const struct diff_bound *b, const char *name, const struct compare_change *c)
{
	if (isfinite(c->change))
		message("%s of %.200s: %+.1f%%, beyond %+g%%", b->value, name, 100 * (c->change - 1), 100 * b->bound);
	else
		message("%s of %.200s: new, beyond %+g%%", b->value, name, 100 * b->bound);
}

/* Returns 0, EXIT_EXCEEDED if a row exceeds the bound, or EXIT_USAGE. */
static int check_bound(const struct diff_run *c, const struct diff_bound *b)
{
	const struct diff *d = c->of.diff;
	size_t on, rows = 0, exceeded = 0, found = 0;
	struct error err;
	if (diff_bound_find(b, d, &c->of.about[DIFF_BEFORE].events[c->of.event[DIFF_BEFORE]], &on, &err) < 0) {
		message("%s", err.text);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *row = &d->rows[i];
		const struct compare_change *change =
			on == DIFF_ON_EVENT ? &row->value.change : &row->metrics[on].change;
		if (!diff_bound_is_on(b, d, row))
			continue;
		rows++;
		found += change->tested && change->smallest <= 1 + fabs(b->bound);
		if (!diff_bound_exceeded(b, change))
			continue;
		exceeded++;
		struct strbuf name = {0};
		name_row(d, row, &name);
		diff_tell_exceeded(b, name.data, change);
		strbuf_deinit(&name);
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

/* ---- the command cyctop diff ----------------------------------------------------------------------- */

int diff_main(int argc, char **argv)
{
	struct diff_options o;
	struct diff_run c = {.options = &o};
	struct error err = {0};
	privileges_drop(PRIVILEGES_READ);
	setlocale(LC_CTYPE, ""); /* no other category: numbers keep their decimal point */
	int ended = message_options(COMMAND_DIFF, argc, argv, &o.common);
	if (ended >= 0)
		return ended;
	int status = EXIT_FAILED, signals = signals_open(&c.quit_fd, &err);
	int rc = signals < 0 ? signals : 0;
	if (rc == 0) {
		signals_watch(c.quit_fd, message_give_up);
		rc = diff_is_calls(o.paths[DIFF_BEFORE][0], &err);
		if (rc == 0)
			rc = diff_is_calls(o.paths[DIFF_AFTER][0], &err);
	}
	bool calls = rc > 0;
	if (rc >= 0)
		rc = calls ? diff_calls(&o, c.quit_fd, &err) : compare(&c, &err);
	if (rc < 0)
		message("%s", err.text);
	else
		status = calls ? rc : print(&c);
	if (status == 0 && !calls)
		status = check_bounds(&c);
	signals_close(signals, c.quit_fd);
	files_compared_deinit(&c.of);
	return status;
}
