/* What is drawn in a grid. */
#ifndef TESTS_LIB_GRID_TEXT_H
#define TESTS_LIB_GRID_TEXT_H

#include "base/strbuf.h"
#include "base/unicode.h"

#include <cyctop/view.h>

/* The characters of the grid as lines of text; the caller frees them. */
static inline char *grid_text(const struct grid *g)
{
	struct strbuf b = {0};
	for (int r = 0; r < g->rows; r++) {
		const struct glyph *line = &g->cells[(size_t)r * (size_t)g->cols];
		int n = g->cols;
		while (n > 0 && line[n - 1].ch == ' ')
			n--;
		for (int c = 0; c < n; c++) {
			char utf8[4];
			if (line[c].ch != 0)
				strbuf_add_bytes(&b, utf8, unicode_encode(line[c].ch, utf8));
		}
		strbuf_add(&b, "\n");
	}
	return b.data;
}

#endif
