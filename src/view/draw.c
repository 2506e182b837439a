#include "view/internal.h"

#include <string.h>

/* What is not ASCII gets a likeness of it. */
static void to_ascii(struct grid *g)
{
	static const struct {
		uint32_t from;
		char to;
	} map[] = {{0x2026, '~'}, {0x25b6, '>'}, {0x25bc, 'v'}, {0x25b2, '^'}, {0x2502, '|'}, {0xb7, '.'}, {0xb1, '~'}};
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

void state_to_input(const struct view_state *st, struct view_input *in)
{
	in->by_thread = st->query.by_thread;
	in->raw_names = st->raw_names;
	in->ascii = st->ascii;
}

static void draw_empty_body(struct grid *g, const struct layout *l)
{
	if (l->boxes_n && l->boxes[0].rows > 0)
		put_clipped(g, l->boxes[0].first, 0, g->cols, STYLE_DIM, "Collecting the first samples.");
}

void view_draw(struct view_state *st, const struct view_input *given, struct grid *g)
{
	struct view_input in = *given;
	struct layout l;

	state_to_input(st, &in);
	grid_clear(g);
	layout_for(st, &in, g->rows, g->cols, &l);
	if (st->mode == MODE_HELP && g->rows > 2) {
		draw_help(st, &in, g);
	} else {
		if (l.title >= 0)
			draw_title(st, &in, g, l.title);
		if (l.events >= 0)
			draw_events(&in, g, l.events);
		if (l.summary >= 0)
			draw_summary(&in, g, l.summary);
		if (l.strip >= 0)
			draw_strip(&in, g, l.strip, l.strip_rows, st->ascii);
		draw_trust(&in, g, l.trust, st->frozen && l.title < 0);
		for (int i = 0; i < l.boxes_n && in.snap; i++)
			draw_pane(st, &in, g, &l.boxes[i], l.boxes_n == 1);
		if (!in.snap)
			draw_empty_body(g, &l);
		if (l.why >= 0)
			draw_why(st, &in, g, l.why, l.why_rows);
		if (l.footer >= 0)
			draw_footer(st, &in, g, l.footer);
		int bottom = l.footer >= 0 ? l.footer - 1 : g->rows - 1;
		/* What is typed must be seen even where there is no footer. */
		if (l.footer < 0 && st->mode != MODE_NORMAL && st->mode != MODE_HELP)
			draw_footer(st, &in, g, bottom);
		else if (bottom > l.trust)
			draw_message(st, &in, g, l.footer);
	}
	if (st->ascii)
		to_ascii(g);
}

void view_state_init(struct view_state *st, const struct view_input *in)
{
	memset(st, 0, sizeof(*st));
	st->query = (struct query){
		.window = WINDOW_SLIDING,
		.sliding_ns = 5000000000u,
		.only_task = CATALOG_NONE,
		.only_sym = CATALOG_NONE,
		.hide_self = true,
		.roles = in->roles,
	};
	st->focus = in->info->scope == SCOPE_PROC ? PANE_TASKS : PANE_SYMBOLS;
	st->delay_ns = in->delay_ns;
}
