/* The key that has names fetched, and what is said of it meanwhile. */
#include "view/internal.h"

#include "base/fmt.h"

#include <stdio.h>
#include <string.h>

/* Without the name where there is no room for all. */
static void text(const struct view_input *in, int cols, char *buf, size_t cap)
{
	char done[16], total[16];
	const char *dots = in->ascii ? "..." : "…";
	if (!in->fetch.total) {
		snprintf(buf, cap, "asking for %.40s%s", in->fetch.name, dots);
		return;
	}
	fmt_si(done, sizeof(done), (double)in->fetch.done);
	fmt_si(total, sizeof(total), (double)in->fetch.total);
	snprintf(buf, cap, "fetching %.40s: %sB of %sB", in->fetch.name, done, total);
	if (text_width(buf) > cols)
		snprintf(buf, cap, "%sB of %sB", done, total);
}

int fetch_width(const struct view_input *in, int cols)
{
	char buf[128];
	if (!in->fetch.running)
		return 0;
	text(in, cols, buf, sizeof(buf));
	int width = text_width(buf) + 3;
	return width < cols ? width : cols;
}

void draw_fetch(const struct view_input *in, struct grid *g, int row)
{
	char buf[128];
	int width = fetch_width(in, g->cols);
	if (!width)
		return;
	text(in, g->cols, buf, sizeof(buf));
	put_right(g, row, g->cols - width, width, STYLE_STRONG, buf);
}

const struct sym_info *selected_symbol(const struct view_state *st, const struct view_input *in)
{
	struct pane_state ps = st->panes[st->focus];
	uint32_t sym = CATALOG_NONE;
	if (!in->snap || st->focus == PANE_CPUS)
		return NULL;
	struct sheet *sheet = pane_sheet(st, in, st->focus);
	pane_follow(&ps, sheet, 1 << 20);
	const struct row *row = sheet->n ? sheet->rows[ps.cursor] : NULL;
	if (row && !row->idle)
		sym = st->focus == PANE_TASKS ? row->top_sym : row->sym;
	sheet_destroy(sheet);
	return sym < in->cat->syms_n ? &in->cat->syms[sym] : NULL;
}

unsigned act_fetch(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	(void)g, (void)ev;
	st->fetch_dso = CATALOG_NONE;
	if (in->fetch.running)
		return REACT_FETCH | REACT_REDRAW;
	const struct sym_info *s = selected_symbol(st, in);
	if (!s) {
		state_say(st, "There is no function here whose names could be fetched.");
		return REACT_REDRAW;
	}
	st->fetch_dso = s->dso;
	return REACT_FETCH | REACT_REDRAW;
}
