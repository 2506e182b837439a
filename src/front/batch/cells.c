#include "front/batch/cells.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cells_init(struct cells *t, size_t columns)
{
	*t = (struct cells){.columns = columns, .left = mem_calloc(columns, sizeof(*t->left))};
}

void cells_add_marked(struct cells *t, const char *s, const char *mark)
{
	clean_add(&t->text, s, CLEAN_LINE);
	strbuf_add(&t->text, mark);
	strbuf_add_bytes(&t->text, "", 1);
}

void cells_add(struct cells *t, const char *s)
{
	cells_add_marked(t, s, "");
}

void cells_add_blanks(struct cells *t, size_t n)
{
	while (n--)
		cells_add(t, "");
}

void cells_init_heads(struct cells *t, const char *const *heads, size_t n)
{
	cells_init(t, n);
	for (size_t i = 0; i < n; i++) {
		t->left[i] = *heads[i] == '<';
		cells_add(t, heads[i] + t->left[i]);
	}
}

void cells_add_number(struct cells *t, double v, int decimals)
{
	char buf[NUMBER] = "-";
	if (!isnan(v))
		fmt_fixed(buf, sizeof(buf), v, decimals);
	cells_add(t, buf);
}

void cells_add_count(struct cells *t, double v)
{
	char buf[NUMBER];
	fmt_grouped(buf, sizeof(buf), round(v));
	cells_add(t, buf);
}

void cells_write(struct cells *t, FILE *out)
{
	size_t *widths = mem_calloc(t->columns, sizeof(*widths)), c = 0;
	const char *end = t->text.data + t->text.n;
	for (const char *s = t->text.data; s < end; s += strlen(s) + 1, c = (c + 1) % t->columns) {
		size_t n = clean_length(s);
		widths[c] = n > widths[c] && n <= WIDEST ? n : widths[c];
	}
	struct strbuf line = {0};
	bool any = false; /* the line already has a cell */
	for (const char *s = t->text.data; s < end; s += strlen(s) + 1) {
		size_t n = clean_length(s);
		int pad = widths[c] > n ? (int)(widths[c] - n) : 0;
		bool shown = !t->shown || t->shown[c], left = t->left[c];
		if (shown)
			strbuf_addf(&line, "%s%*s%s%*s", any ? "  " : "", left ? 0 : pad, "", s, left ? pad : 0, "");
		any |= shown;
		if (++c < t->columns)
			continue;
		c = 0;
		any = false;
		while (line.n && line.data[line.n - 1] == ' ')
			line.n--;
		strbuf_add_bytes(&line, "\n", 1);
		fwrite(line.data, 1, line.n, out);
		line.n = 0;
	}
	strbuf_deinit(&line);
	strbuf_deinit(&t->text);
	free(t->left);
	free(widths);
}

void format_factor(char buf[static NUMBER], double factor)
{
	char digits[NUMBER - 2];
	double percent = 100 * (factor - 1);
	fmt_fixed(digits, sizeof(digits), fabs(percent), fabs(percent) < 1000 ? 1 : 0);
	snprintf(buf, NUMBER, "%c%s%%", percent < 0 ? '-' : '+', digits);
}

void cells_add_interval(struct cells *t, const struct compare_change *c)
{
	char low[NUMBER], high[NUMBER], text[96] = "";
	format_factor(low, c->low);
	if (isfinite(c->high))
		format_factor(high, c->high);
	if (c->real && isfinite(c->high))
		snprintf(text, sizeof(text), "%s to %s", low, high);
	else if (c->real)
		snprintf(text, sizeof(text), "at least %s", low);
	else if (c->state == CHANGE_NONE)
		snprintf(text, sizeof(text), "-");
	else if (!c->tested)
		snprintf(text, sizeof(text), "too few %s to tell",
			 c->state == CHANGE_FEW_INTERVALS ? "intervals" : "samples");
	else if (c->state == CHANGE_VANISHED && isfinite(c->high)) {
		format_factor(high, c->high);
		snprintf(text, sizeof(text), "may be chance (%s at most)", high);
	} else if (c->state == CHANGE_NEW) {
		snprintf(text, sizeof(text), "may be chance (%s at least)", low);
	} else if (isfinite(c->smallest)) {
		format_factor(high, c->smallest);
		snprintf(text, sizeof(text), "no change found (< %s)", high + 1);
	} else
		snprintf(text, sizeof(text), "no change found");
	cells_add(t, text);
}

static bool add_fate(struct strbuf *b, const struct diff_row *row, const char *const sides[DIFF_SIDES])
{
	strbuf_add(b, "");
	return diff_fate_add(row, sides, b);
}

bool rows_have_fates(const struct diff_row *const *rows, size_t n)
{
	static const char *const sides[DIFF_SIDES] = {"", ""};
	struct strbuf b = {0};
	bool any = false;
	for (size_t i = 0; i < n && !any; i++)
		any = add_fate(&b, rows[i], sides);
	strbuf_deinit(&b);
	return any;
}

void cells_add_fate(struct cells *t, const struct diff_row *row, const char *const sides[DIFF_SIDES])
{
	struct strbuf b = {0};
	add_fate(&b, row, sides);
	cells_add(t, b.data);
	strbuf_deinit(&b);
}

void put_line(FILE *out, const char *s)
{
	struct strbuf b = {0};
	clean_add(&b, s, CLEAN_LINE);
	fputs(b.n ? b.data : "", out);
	strbuf_deinit(&b);
}

void put_notes(FILE *out, const struct diff_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		fputs("Note: ", out);
		put_line(out, notes->text[i]);
		fputs(".\n", out);
	}
}
