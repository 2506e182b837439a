/* The screen as a whole: its initial state, drawing, and which part of it gets a key. */
#include "view/screen.h"

#include <string.h>

void view_state_init(struct view_state *st, const struct view_input *in)
{
	static const enum dimension_id usual[] = {DIM_SYMBOL, DIM_PID, DIM_CPU};
	memset(st, 0, sizeof(*st));
	st->keys = &screen_keys;
	st->ask_explained = st->annotated = CATALOG_REF_NONE;
	st->query = (struct query){
		.window = WINDOW_SLIDING,
		.sliding_ns = 5000000000u,
		.hide_self = true,
		.metrics = in->metrics,
		.roles = in->roles,
	};
	st->fields = in->names->fields;
	st->delay_ns = in->delay_ns;
	st->panes = 2;
	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		table_turn(view_open(st, &table_view, st->views_n - 1), i == 0 && st->fields ? DIM_FIELD1 : usual[i]);
	focus_set(st, 1);
	if (in->info->scope != SCOPE_PROC)
		focus_set(st, 0);
}

void view_state_deinit(struct view_state *st)
{
	while (st->views_n)
		view_free(&st->views[--st->views_n]);
}

/* Copies those settings of the screen that affect names and values into `in`. */
static void state_to_input(const struct view_state *st, struct view_input *in)
{
	in->raw_names = st->raw_names;
	in->ascii = st->ascii;
	in->zoomed_task = zoomed_task(st, in);
}

/* ---- drawing the screen -------------------------------------------------------------------- */

/* Replaces each character beyond ASCII by a similar ASCII character. */
static void to_ascii(struct grid *g)
{
	static const struct {
		uint32_t from;
		char to;
	} map[] = {{0x2026, '~'}, {0x25b6, '>'}, {0x25bc, 'v'}, {0x25b2, '^'}, {0x2502, '|'},
		   {0xb7, '.'},	  {0xb1, '~'},	 {0x203a, '>'}, {0x2248, '*'}};
	for (size_t i = 0; i < (size_t)g->rows * (size_t)g->cols; i++) {
		struct glyph *c = &g->cells[i];
		if (c->ch != 0 && c->ch < 0x80)
			continue;
		char to = '?';
		for (size_t m = 0; m < ARRAY_LEN(map); m++) {
			if (c->ch == map[m].from)
				to = map[m].to;
		}
		c->ch = (unsigned char)to;
	}
}

void view_draw(struct view_state *st, const struct view_input *given, struct grid *g)
{
	struct view_input in = *given;
	struct frame f = {.st = st, .in = &in, .g = g};
	const struct layout *l = &f.layout;

	state_to_input(st, &in);
	grid_clear(g);
	layout_for(st, &in, g->rows, g->cols, &f.layout);
	draw_header(&f);
	draw_comparison(&f);
	for (int i = 0; i < st->views_n; i++) {
		struct view *v = &st->views[i];
		if (!l->views[i].rows)
			continue;
		if (v->ops->draw)
			v->ops->draw(&f, v, l->views[i]);
		else
			text_view_draw(&f, v, l->views[i]);
	}
	if (l->footer >= 0)
		draw_footer(st, &in, g, l->footer);
	int bottom = l->footer >= 0 ? l->footer - 1 : g->rows - 1;
	/* The line that is being typed is shown even on a screen without a footer. */
	if (l->footer < 0 && st->mode != MODE_NORMAL)
		draw_footer(st, &in, g, bottom);
	else if (l->trust >= 0 && bottom > l->trust)
		draw_message(st, &in, g, l->footer);
	if (st->ascii)
		to_ascii(g);
}

/* ---- handling a key ------------------------------------------------------------------------ */

unsigned view_key(struct view_state *st, const struct view_input *given, const struct grid *g,
		  const struct input_event *ev)
{
	struct view_input in = *given;
	struct press p = {.st = st, .in = &in, .g = g, .ev = ev, .footer_covered = g && message_in_footer(st, g->cols)};

	if (ev->key == KEY_CYC_RESIZE)
		return REACT_REDRAW;
	state_to_input(st, &in);
	st->message[0] = '\0';
	if (ev->key != 'F') /* any other key cancels a request that a second F would confirm */
		st->ask_explained = CATALOG_REF_NONE;
	st->notice_seen = true;
	if (st->mode != MODE_NORMAL)
		return input_key(&p);
	struct view *v = view_covering(st);
	if (!v)
		return normal_key(&p);
	if (v->whole)
		return text_screen_key(&p, v);
	if (v->ops->key)
		return v->ops->key(&p, v);
	view_close(st, v);
	return REACT_REDRAW;
}
