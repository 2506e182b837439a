/* The key F: names from a debuginfod server, whose progress is in the footer, or from the process itself. */
#include "view/screen.h"

#include "base/fmt.h"

#include <stdio.h>
#include <string.h>

/* Writes the progress of the download; without the file's name if that does not fit. */
static void text(const struct view_input *in, int cols, char *buf, size_t cap)
{
	char done[16], total[16];
	const char *dots = in->ascii ? "..." : "…", *name = in->cat->dsos[in->fetch.dso].name;
	if (!in->fetch.total) {
		snprintf(buf, cap, "asking for %.40s%s", name, dots);
		return;
	}
	fmt_si(done, sizeof(done), (double)in->fetch.done);
	fmt_si(total, sizeof(total), (double)in->fetch.total);
	snprintf(buf, cap, "fetching %.40s: %sB of %sB", name, done, total);
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

unsigned act_fetch(const struct press *p)
{
	struct selection sel = {.dso = CATALOG_NONE};
	p->st->fetch_dso = CATALOG_NONE;
	if (p->in->fetch.running)
		return REACT_FETCH | REACT_REDRAW;
	if (p->in->snap)
		selection_get(p->st, p->in, &sel);
	unsigned reaction;
	if (ask_fetch(p, &sel, &reaction))
		return reaction;
	if (sel.dso == CATALOG_NONE) {
		state_say(p->st, "This row has no file whose names could be downloaded.");
		return REACT_REDRAW;
	}
	p->st->fetch_dso = sel.dso;
	return REACT_FETCH | REACT_REDRAW;
}
