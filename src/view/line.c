#include "view/internal.h"

struct line line_start(struct grid *g, int row, int end, int gap)
{
	return (struct line){.g = g, .row = row, .end = end, .gap = gap};
}

bool line_item(struct line *l, const char *label, enum style style, const char *value, int width)
{
	int label_w = text_width(label), value_w = text_width(value);
	int blank = label_w && value_w;
	int x = l->any ? l->x + l->gap : l->x;
	if (l->full || x + label_w + blank + value_w > l->end) {
		l->full = true;
		return false;
	}
	grid_put(l->g, l->row, x, label_w, STYLE_DIM, label);
	x += label_w + blank;
	grid_put(l->g, l->row, x, value_w, style, value);
	l->x = x + (value_w > width ? value_w : width);
	l->any = true;
	return true;
}

void put_clipped(struct grid *g, int row, int x, int width, enum style style, const char *text)
{
	if (text_width(text) <= width) {
		grid_put(g, row, x, width, style, text);
		return;
	}
	int used = grid_put(g, row, x, width - 1, style, text);
	if (width > 0)
		grid_put(g, row, x + used, 1, style, "…");
}

int put_name(struct grid *g, int row, int width, enum style style, const char *name)
{
	char buf[512];
	name = text_shorten(name, width, buf, sizeof(buf));
	int used = text_width(name);
	put_clipped(g, row, 0, width, style, name);
	return used < width ? used : width;
}

void put_right(struct grid *g, int row, int x, int width, enum style style, const char *text)
{
	int w = text_width(text);
	int indent = w < width ? width - w : 0;
	put_clipped(g, row, x + indent, width - indent, style, text);
}

void fill(struct grid *g, int row, int x, int width, enum style style)
{
	for (int i = 0; i < width; i++)
		grid_put(g, row, x + i, 1, style, " ");
}
