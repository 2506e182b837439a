#include "app/export.h"

#include "base/alloc.h"

#include <stdio.h>

void export_formats_init(struct export_formats *f)
{
	f->n = 0;
	for (size_t i = 0; i < batch_formats_n && f->n < EXPORT_FORMATS_MAX; i++) {
		const struct batch_format *format = &batch_formats[i];
		if (!format->extension)
			continue;
		f->v[f->n] = format;
		f->shown[f->n++] = (struct view_format){
			.name = format->name,
			.help = format->chains ? format->help : "all rows of the focused pane, in its order",
			.why = format->why,
			.chains = format->chains != NULL,
		};
	}
}

/* Prints the table of a pane with the pane's order and filter, or its call chains. */
static void print(FILE *out, const struct view_state *st, const struct view_input *in,
		  const struct batch_format *format)
{
	const struct view *v = view_export_pane(st);
	struct batch_config config = {.tables = 1, .show_error = true};
	if (format->chains) {
		format->chains(out, in, &in->snap->pivots[0], &config);
		return;
	}
	config.sort = v->sort[0] ? v->sort : NULL;
	config.reverse = v->reverse;
	config.filter = v->filter[0] ? v->filter : NULL;
	if (format->begin)
		format->begin(out, in, &config);
	format->refresh(out, in, &config);
}

char *export_contents(struct app *app, const struct view_state *st, const struct view_input *in,
		      const struct batch_format *format, size_t *n)
{
	const struct pivot_query pivot = format->chains ? view_export_chains(st) : view_export_pane(st)->pivot;
	struct query query = st->query;
	struct view_input own = *in;
	char *text = NULL;
	query.pivots = &pivot;
	query.pivots_n = 1;
	struct snapshot *snap = session_snapshot(app->session, &query);
	own.snap = snap;
	own.snap_id = 0; /* views must make new sheets: their cached ones are of another snapshot */
	own.comparison = NULL;
	own.raw_names = st->raw_names;
	if (snap->pivots[0].n) {
		FILE *out = open_memstream(&text, n);
		if (!out)
			mem_exhausted();
		print(out, st, &own, format);
		if (fclose(out) != 0)
			mem_exhausted();
	}
	snapshot_destroy(snap);
	return text;
}
