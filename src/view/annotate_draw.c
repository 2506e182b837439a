/* Draws the instructions of a function; beside each instruction stands its share of the samples in the time shown. */
#include "view/annotate.h"
#include "view/columns.h"

#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Scrolls only as far as the selected line needs; after a jump, or if lines were added, puts it in the middle. */
static void scroll(struct view *v, size_t line, size_t lines_n, int rows)
{
	size_t room = rows > 0 ? (size_t)rows : 1;
	bool grown = v->sheet_version != lines_n; /* source lines were added */
	v->sheet_version = lines_n;
	if (v->reveal || grown || !v->selected)
		v->top = line > room / 2 ? line - room / 2 : 0;
	else if (line < v->top)
		v->top = line;
	else if (line >= v->top + room)
		v->top = line - room + 1;
	if (v->top + room > lines_n)
		v->top = lines_n > room ? lines_n - room : 0;
	v->reveal = false;
}

/* ---- drawing the columns and lines of the listing ----------------------------------------------------- */

/* Widths in cells of columns, with a blank behind.  TEXT: the least width for the text of an instruction. */
enum { SHARE = 8, CHANGE = 8, RATIO = 7, TEXT = 26 };

struct annotated_columns {
	size_t events[EVENTS_MAX], events_n;
	const struct metric *ratios[2]; /* [ratios_n]: IPC, and the fraction of branches mispredicted, if known */
	size_t ratios_n;
	bool changes; /* there is a column with the change of each share of `event` */
	/* there is a column of mean costs that the CPU measured; of branches: the cycles of the basic block before */
	bool costs;
	char headings[EVENTS_MAX][COLUMN_TITLE_MAX];
	/* First cell of each column; -1: not shown (arrows: no room; mark: only one build; bytes: not wanted). */
	int arrows, mark, address, bytes, text;
};

static void choose_ratios(const struct annotation *a, struct annotated_columns *ret)
{
	static const char *const ids[ARRAY_LEN(ret->ratios)] = {"ipc", "mispredict%"};
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		const struct metric *m = metric_shown(a->in, ids[i]);
		if (m)
			ret->ratios[ret->ratios_n++] = m;
	}
	for (size_t i = 0; i < a->rows.n; i++)
		ret->costs |= a->rows.data[i].row->costs.n > 0;
}

/* Returns the number of hex digits of the largest address in all builds that are shown. */
static int address_digits(const struct annotation *a)
{
	const struct instructions *in[] = {a->l->in, a->in->code.pairs ? a->in->code.before->in : a->l->in};
	char address[24];
	int most = 0;
	for (size_t i = 0; i < ARRAY_LEN(in); i++) {
		int digits = in[i]->n ? snprintf(address, sizeof(address), "%" PRIx64, in[i]->v[in[i]->n - 1].addr) : 0;
		most = digits > most ? digits : most;
	}
	return most;
}

static void choose_columns(const struct annotation *a, const struct view *v, int cols, struct annotated_columns *ret)
{
	enum { LEAST_BYTES = 3, MOST_BYTES = 8, MOST = SHARE - 2, MARK = 2 };
	const struct code_listing *l = a->l;
	*ret = (struct annotated_columns){.arrows = -1, .mark = -1, .bytes = -1};
	choose_ratios(a, ret);
	ret->changes = a->changes != NULL;
	int ratios = (int)(ret->ratios_n + ret->costs) * RATIO + ret->changes * CHANGE;
	event_headings(a->in->info, MOST, MOST, ret->headings);
	int digits = address_digits(a), mark = a->in->code.pairs ? MARK : 0;
	int room = cols - TEXT - digits - 2 - ratios - mark;
	for (size_t e = 0; e < a->in->snap->events_n; e++) {
		bool wanted = a->all[e] > 0 || e == a->event;
		if (!wanted || (room < SHARE && e != a->event))
			continue;
		ret->events[ret->events_n++] = e;
		room -= SHARE;
	}
	int x = (int)ret->events_n * SHARE + ratios, arrows = (int)l->arrows.width;
	if (arrows && room >= arrows + 1) {
		ret->arrows = x;
		x += arrows + 1;
		room -= arrows + 1;
	}
	ret->mark = mark ? x : -1;
	ret->address = x += mark;
	x += digits + 2;
	int bytes = room / 3 < MOST_BYTES ? room / 3 : MOST_BYTES; /* the rest of an instruction is cut off */
	if ((v->bytes || l->in->why) && bytes >= LEAST_BYTES) {
		ret->bytes = x;
		x += 3 * bytes + 1;
	}
	ret->text = x;
}

static enum style heat_of(const struct cell *share)
{
	static const struct {
		double share;
		enum style style;
	} steps[] = {{0.2, STYLE_HEAT4}, {0.05, STYLE_HEAT3}, {0.01, STYLE_HEAT2}};
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (share->v >= steps[i].share)
			return steps[i].style;
	return STYLE_NORMAL;
}

/* Returns the first cell behind the columns of shares and the column of changes. */
static int after_shares(const struct annotated_columns *c)
{
	return (int)c->events_n * SHARE + c->changes * CHANGE;
}

/* Draws by how many percentage points the share of an instruction changed; dim if it may be chance. */
static void draw_change(struct frame *f, const struct annotation *a, const struct annotated_columns *c, size_t at,
			int y, bool is_selected)
{
	static const double least = 0.0005; /* smaller changes would be rounded to 0.0 points */
	const struct code_change *change = &a->changes[at];
	enum style own = !change->real ? STYLE_DIM : change->change > 0 ? STYLE_WARN : STYLE_GOOD;
	const char *mark = f->st->ascii ? "*" : change->change > 0 ? "▲" : "▼";
	char number[32], text[48];
	fmt_fixed(number, sizeof(number), 100 * change->change, 1);
	snprintf(text, sizeof(text), "%s%s%s", change->change < 0 ? "" : "+", number, change->real ? mark : " ");
	if (change->known && (change->real || fabs(change->change) >= least))
		put_right(f->g, y, (int)c->events_n * SHARE, CHANGE - 1, is_selected ? STYLE_SELECTED : own, text);
}

/* Draws the shares and the ratios of an instruction. */
static void draw_numbers(struct frame *f, const struct annotation *a, const struct annotated_columns *c,
			 const struct spot *s, int y, enum style style)
{
	static const struct column percent = {.width = SHARE - 1, .right = true};
	char text[64];
	for (size_t i = 0; i < c->events_n; i++) {
		struct cell share = annotation_share(a, s, c->events[i]);
		bool heated = style == STYLE_NORMAL && c->events[i] == a->event;
		cell_format(&percent, &share, 0, text, sizeof(text));
		if (share.kind != CELL_ABSENT)
			put_right(f->g, y, (int)i * SHARE, SHARE - 1, heated ? heat_of(&share) : style, text);
	}
	for (size_t i = 0; i < c->ratios_n + c->costs; i++) {
		const struct metric *m = i < c->ratios_n ? c->ratios[i] : NULL;
		struct ratio r = m ? row_metric(a->in->snap, s->heaviest, m) : annotation_cost(a, s);
		const struct column col = {.width = RATIO - 1, .right = true, .metric = m, .estimate = !m};
		cell_format(&col, &(struct cell){.kind = CELL_RATIO, .r = r}, 0, text, sizeof(text));
		if (r.valid)
			put_right(f->g, y, after_shares(c) + (int)i * RATIO, RATIO - 1, style, text);
	}
}

static void draw_arrows(struct frame *f, const char *row, int y, int x, enum style style)
{
	static const struct {
		char from;
		const char *to;
	} lines[] = {{'|', "│"}, {'-', "─"}, {'+', "┼"}, {',', "╭"}, {'`', "╰"}, {'>', "▶"}, {'<', "◀"}};
	for (size_t i = 0; row[i]; i++) {
		char as_is[2] = {row[i], '\0'};
		const char *to = as_is;
		for (size_t k = 0; k < ARRAY_LEN(lines) && !f->st->ascii; k++)
			if (lines[k].from == row[i])
				to = lines[k].to;
		grid_put(f->g, y, x + (int)i, 1, style, to);
	}
}

/* Draws the first bytes of an instruction, as far as there is room. */
static void draw_bytes(struct frame *f, const struct annotated_columns *c, const struct function_code *code,
		       const struct instruction *in, int y, enum style style)
{
	char text[8];
	for (size_t i = 0; c->bytes >= 0 && i < in->size && c->bytes + 3 * (int)i + 3 < c->text; i++) {
		size_t byte = in->addr - code->addr + i;
		snprintf(text, sizeof(text), "%02x", byte < code->n ? code->bytes[byte] : 0);
		grid_put(f->g, y, c->bytes + 3 * (int)i, 2, style, text);
	}
}

static void draw_instruction(struct frame *f, const struct annotation *a, const struct annotated_columns *c,
			     const struct code_line *line, int y, bool is_selected)
{
	const struct view_code *code = &a->in->code;
	const struct instruction *in = annotation_instruction(a, line);
	const struct spot *s = line->gone ? NULL : annotation_spot(a, line->instruction);
	enum style style = is_selected	? STYLE_SELECTED
			   : line->gone ? STYLE_DIM
					: STYLE_NORMAL,
		   dim = is_selected ? style : STYLE_DIM;
	char text[400];
	if (is_selected)
		fill(f->g, y, 0, f->g->cols, style);
	if (s)
		draw_numbers(f, a, c, s, y, style);
	if (c->changes)
		draw_change(f, a, c, line->pair, y, is_selected);
	if (c->arrows >= 0 && !line->gone)
		draw_arrows(f, a->l->arrows.rows[line->instruction], y, c->arrows, dim);
	if (c->mark >= 0) {
		const char mark[] = {code_pair_mark(&code->pairs->rows[line->pair]), '\0'};
		grid_put(f->g, y, c->mark, 1, style, mark);
	}
	snprintf(text, sizeof(text), "%" PRIx64, in->addr);
	put_right(f->g, y, c->address, c->bytes >= 0 ? c->bytes - c->address - 2 : c->text - c->address - 2, dim, text);
	draw_bytes(f, c, line->gone ? code->before->code : code->code, in, y, dim);
	size_t word = strcspn(in->text, " ");
	const char *rest = in->text[word] ? in->text + word + 1 : "";
	snprintf(text, sizeof(text), "%-6.*s %s", (int)word, in->text, rest);
	put_clipped(f->g, y, c->text, f->g->cols - c->text, style, text);
}

/* Draws the file and line of a source line, and its text without leading blanks. */
static void draw_source(struct frame *f, const struct annotation *a, const struct annotated_columns *c,
			const struct code_line *line, int y)
{
	const struct code_place *p = &a->l->places->v[line->instruction];
	const char *slash = strrchr(p->file, '/'), *code = line->text ? line->text : "";
	char text[400];
	code += strspn(code, " \t");
	snprintf(text, sizeof(text), "%.80s:%" PRIu32 "%s%.80s  %.200s", slash ? slash + 1 : p->file, p->line,
		 p->inlined ? " in " : "", p->inlined ? p->inlined : "", code);
	for (char *t = text; *t; t++)
		*t = *t == '\t' ? ' ' : *t;
	put_clipped(f->g, y, c->address, f->g->cols - c->address, STYLE_STRONG, text);
}

static void draw_headings(struct frame *f, const struct annotation *a, const struct annotated_columns *c, int y)
{
	char text[COLUMN_TITLE_MAX + 2];
	for (size_t i = 0; i < c->events_n; i++) {
		snprintf(text, sizeof(text), "%s%%", c->headings[c->events[i]]);
		put_right(f->g, y, (int)i * SHARE, SHARE - 1, c->events[i] == a->event ? STYLE_SORTED : STYLE_TITLE,
			  text);
	}
	if (c->changes)
		put_right(f->g, y, (int)c->events_n * SHARE, CHANGE - 1, STYLE_TITLE, "CHANGE ");
	for (size_t i = 0; i < c->ratios_n + c->costs; i++) {
		bool ipc = i < c->ratios_n && strcmp(c->ratios[i]->id, "ipc") == 0;
		const char *title = ipc			    ? "IPC"
				    : i < c->ratios_n	    ? "MISPR%"
				    : a->in->info->branches ? "CYCLES"
							    : "WEIGHT";
		put_right(f->g, y, after_shares(c) + (int)i * RATIO, RATIO - 1, STYLE_TITLE, title);
	}
	grid_put(f->g, y, c->text, f->g->cols - c->text, STYLE_TITLE, "INSTRUCTION");
}

static void draw_title(struct frame *f, const struct annotation *a, const struct view *v, int y)
{
	char title[512], window[80], samples[32], before[80] = "", against[80] = "", zooms[200];
	const struct catalog *cat = f->in->cat;
	bool known = catalog_sym_valid(cat, f->st->annotated);
	const struct sym_info *s = known ? &cat->syms[f->st->annotated.id] : NULL;
	const char *name = s ? view_symbol_name(f->in, f->st->annotated.id) : NULL;
	window_text(f->st, f->in, window, sizeof(window));
	zoom_text(f->st, f->in, v, zooms, sizeof(zooms));
	fmt_grouped(samples, sizeof(samples), (double)a->samples);
	if (a->before)
		snprintf(before, sizeof(before), ", and %" PRIu64 " from before A", a->before);
	if (a->changes && f->in->comparison->turns.on)
		snprintf(against, sizeof(against), ", turns B against A");
	else if (a->changes)
		snprintf(against, sizeof(against), ", against %s%s", f->in->comparison->before,
			 f->in->code.pairs ? ", another build" : "");
	snprintf(title, sizeof(title), " in %.60s   %s: %s samples%s%s   %.100s",
		 s && s->dso < cat->dsos_n ? cat->dsos[s->dso].name : "[unknown]", window, samples, before, against,
		 zooms);
	fill(f->g, y, 0, f->g->cols, STYLE_TITLE);
	int width = text_width(title), least = f->g->cols / 3;
	int x = put_name(f->g, y, f->g->cols - width > least ? f->g->cols - width : least, STYLE_TITLE,
			 name ? name : "[gone]");
	put_clipped(f->g, y, x, f->g->cols - x, STYLE_TITLE, title);
}

/* Draws the lines that there is room for, into rows [y, y + rows). */
static void draw_lines(struct frame *f, const struct annotation *a, struct view *v, int y, int rows)
{
	struct annotated_columns c;
	const struct code_listing *l = a->l;
	size_t line = annotation_selected_line(a, v);
	choose_columns(a, v, f->g->cols, &c);
	draw_headings(f, a, &c, y);
	scroll(v, line, l->lines_n, rows - 1);
	for (int i = 0; i < rows - 1 && v->top + (size_t)i < l->lines_n; i++) {
		const struct code_line *of = &l->lines[v->top + (size_t)i];
		if (of->source)
			draw_source(f, a, &c, of, y + 1 + i);
		else
			draw_instruction(f, a, &c, of, y + 1 + i, v->top + (size_t)i == line);
	}
}

/* Draws a sentence into rows [y, end). */
static void draw_sentence(struct frame *f, int y, int end, const char *text)
{
	struct text_window w = {.g = f->g, .row = y, .room = end - y};
	while (*text) {
		char line[512];
		size_t n = text_wrap(text, f->g->cols);
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		text_emit(&w, STYLE_NORMAL, 0, line, 0, "", 0);
		text += n + strspn(text + n, " ");
	}
}

void annotate_draw(struct frame *f, struct view *v, struct rect where)
{
	static const char
		usual[] = "Tab: hottest  Enter: follow  b: compare  x: bytes  /: find  [ ]: time  Esc: back",
		builds[] = "- before only  + now only  ~ other registers   Tab: hottest  B: no baseline  Esc: back";
	const char *keys = f->in->code.pairs ? builds : usual;
	struct annotation a;
	const char *why = f->in->code.why;
	int last = where.row + where.rows - 1;
	annotation_init(&a, f->in, v);
	annotation_compare(&a, v);
	draw_title(f, &a, v, where.row);
	if (a.l && a.l->in->n && f->in->snap)
		draw_lines(f, &a, v, where.row + 1, where.rows - 2);
	else
		draw_sentence(f, where.row + 2, last, why ? why : "The code of the function is read.");
	fill(f->g, last, 0, f->g->cols, STYLE_TITLE);
	const char *below = a.unchanged ? a.unchanged : a.l && why && !v->selected ? why : keys;
	put_clipped(f->g, last, 0, f->g->cols, STYLE_TITLE, f->st->message[0] ? f->st->message : below);
	annotation_deinit(&a);
}
