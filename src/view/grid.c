#include "base/unicode.h"
#include "view/internal.h"

#include "base/alloc.h"

#include <stdlib.h>

struct grid *grid_create(int rows, int cols)
{
	struct grid *g = mem_calloc(1, sizeof(*g));
	g->rows = rows < 1 ? 1 : rows > 1000 ? 1000 : rows;
	g->cols = cols < 1 ? 1 : cols > 2000 ? 2000 : cols;
	g->cells = mem_calloc((size_t)g->rows * (size_t)g->cols, sizeof(*g->cells));
	grid_clear(g);
	return g;
}

void grid_destroy(struct grid *g)
{
	if (!g)
		return;
	free(g->cells);
	free(g);
}

void grid_clear(struct grid *g)
{
	for (size_t i = 0; i < (size_t)g->rows * (size_t)g->cols; i++)
		g->cells[i] = (struct glyph){.ch = ' ', .style = STYLE_NORMAL};
}

/* Writes a character; if it overwrites one half of a wide character, the other half becomes a blank. */
static void put_cell(struct glyph *line, int cols, int col, uint32_t ch, enum style style)
{
	if (line[col].ch == 0 && col > 0 && ch != 0)
		line[col - 1].ch = ' ';
	if (col + 1 < cols && line[col + 1].ch == 0)
		line[col + 1].ch = ' ';
	line[col] = (struct glyph){.ch = ch, .style = (uint8_t)style};
}

int grid_put(struct grid *g, int row, int col, int width, enum style style, const char *text)
{
	if (row < 0 || row >= g->rows || col < 0 || col >= g->cols || width <= 0 || !text)
		return 0;
	struct glyph *line = &g->cells[(size_t)row * (size_t)g->cols];
	int end = width < g->cols - col ? col + width : g->cols;
	int at = col;
	while (*text) {
		uint32_t ch = text_next(&text);
		int w = unicode_width(ch);
		if (at + w > end)
			break;
		put_cell(line, g->cols, at, ch, style);
		if (w == 2)
			put_cell(line, g->cols, at + 1, 0, style);
		at += w;
	}
	return at - col;
}
