/* Draws views of text: a heading and wrapped paragraphs. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

/* The last row ends in "…" if there is more text. */
static void put_paragraphs(struct grid *g, struct rect where, const char *text)
{
	enum { INDENT = 2 };
	char line[512];
	int row = where.row, end = where.row + where.rows;
	while (*text && row < end) {
		size_t all = strcspn(text, "\n");
		char paragraph[4096];
		snprintf(paragraph, sizeof(paragraph), "%.*s", (int)all, text);
		text += all + (text[all] == '\n');
		int indent = 0;
		for (const char *p = paragraph; *p && row < end; row++) {
			size_t n = text_wrap(p, where.cols - indent);
			snprintf(line, sizeof(line), "%.*s", (int)n, p);
			p += n;
			while (*p == ' ')
				p++;
			bool cut = row + 1 == end && (*p || *text);
			grid_put(g, row, where.col + indent, where.cols - indent - cut,
				 row == where.row ? STYLE_STRONG : STYLE_NORMAL, line);
			if (cut)
				grid_put(g, row, where.col + where.cols - 1, 1, STYLE_DIM, "…");
			indent = where.cols > 40 ? INDENT : 0;
		}
	}
}

void text_view_draw(struct frame *f, const struct view *v, struct rect where)
{
	struct strbuf b = {0};
	char closes[32];
	fill(f->g, where.row, where.col, where.cols, STYLE_TITLE);
	grid_put(f->g, where.row, where.col, where.cols, STYLE_TITLE, v->ops->title);
	snprintf(closes, sizeof(closes), "%.16s closes", v->ops->open.names);
	if (where.cols >= 30)
		put_right(f->g, where.row, where.col, where.cols, STYLE_TITLE, closes);
	v->ops->text(f->st, f->in, &b);
	where.row++;
	where.rows--;
	if (b.data)
		put_paragraphs(f->g, where, b.data);
	strbuf_deinit(&b);
}
