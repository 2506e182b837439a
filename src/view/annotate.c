/* The instructions of a function on the whole screen, with the samples of the window or stretch beside them. */
#include "view/columns.h"
#include "view/screen.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the pivot whose addresses are in one instruction: `n` of annotation.rows from `first` on. */
struct spot {
	size_t instruction, first, n;
	const struct row *heaviest; /* by annotation.event */
	double weight;		    /* of that event */
};
struct sampled {
	size_t instruction;
	const struct row *row;
};
struct annotation {
	const struct view_input *in;
	const struct code_listing *l; /* NULL: there is no code, or not yet */
	VEC(struct sampled) rows;     /* by instruction */
	VEC(struct spot) spots;	      /* likewise */
	double all[EVENTS_MAX];	      /* weight of each event at all addresses */
	uint64_t samples, before;     /* of `event`: with addresses, and from before there were any */
	size_t event;		      /* by which instructions are hot */
};

/* ---- the samples ------------------------------------------------------------------------------------ */

static int by_instruction(const void *va, const void *vb)
{
	const struct sampled *a = va, *b = vb;
	if (a->instruction != b->instruction)
		return a->instruction < b->instruction ? -1 : 1;
	return a->row->id < b->row->id ? -1 : a->row->id > b->row->id;
}

/* Returns the primary event or, without samples of that one, the first event that has some; else the primary one. */
static size_t event_of(const struct annotation *a)
{
	size_t primary = primary_event(a->in);
	for (size_t e = 0; e < a->in->snap->events_n && !(a->all[primary] > 0); e++)
		if (a->all[e] > 0)
			return e;
	return primary;
}

static void find_spots(struct annotation *a)
{
	if (a->rows.n)
		qsort(a->rows.data, a->rows.n, sizeof(*a->rows.data), by_instruction);
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct sampled *s = &a->rows.data[i];
		if (!a->spots.n || a->spots.data[a->spots.n - 1].instruction != s->instruction)
			vec_push(&a->spots) =
				(struct spot){.instruction = s->instruction, .first = i, .heaviest = s->row};
		struct spot *spot = &a->spots.data[a->spots.n - 1];
		if (s->row->sums[a->event].weight > spot->heaviest->sums[a->event].weight)
			spot->heaviest = s->row;
		spot->n++;
		spot->weight += s->row->sums[a->event].weight;
	}
}

static void annotation_init(struct annotation *a, const struct view_input *in, const struct view *v)
{
	const struct pivot *p = in->snap ? snapshot_pivot(in->snap, &v->pivot) : NULL;
	*a = (struct annotation){.in = in, .l = in->code.listing};
	for (size_t i = 0; p && i < p->n; i++)
		for (size_t e = 0; e < in->snap->events_n && catalog_ctx_addr(in->cat, p->rows[i].ctx); e++)
			a->all[e] += p->rows[i].sums[e].weight;
	a->event = in->snap ? event_of(a) : 0;
	for (size_t i = 0; p && i < p->n; i++) {
		const struct row *row = &p->rows[i];
		uint64_t addr = catalog_ctx_addr(in->cat, row->ctx);
		*(addr ? &a->samples : &a->before) += row->sums[a->event].samples;
		size_t at = addr && a->l ? instructions_at(a->l->in, addr) : SIZE_MAX;
		if (a->l && at < a->l->in->n)
			vec_push(&a->rows) = (struct sampled){at, row};
	}
	find_spots(a);
}

static void annotation_deinit(struct annotation *a)
{
	vec_free(&a->rows);
	vec_free(&a->spots);
}

/* Returns what is known of an instruction; NULL: it has no samples. */
static const struct spot *spot_at(const struct annotation *a, size_t instruction)
{
	size_t low = 0, high = a->spots.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (a->spots.data[mid].instruction < instruction)
			low = mid + 1;
		else
			high = mid;
	}
	return low < a->spots.n && a->spots.data[low].instruction == instruction ? &a->spots.data[low] : NULL;
}

/* Returns the instruction that is the next cooler one than `than`; NULL: the hottest.  NULL: there is none. */
static const struct spot *next_hottest(const struct annotation *a, const struct spot *than)
{
	const struct spot *best = NULL;
	for (size_t i = 0; i < a->spots.n; i++) {
		const struct spot *s = &a->spots.data[i];
		bool after = !than || s->weight < than->weight || (!(s->weight > than->weight) && s > than);
		if (s->weight > 0 && after && (!best || s->weight > best->weight))
			best = s;
	}
	return best;
}

/* The share of an event's samples in the function that are at an instruction. */
static struct cell share_cell(const struct annotation *a, const struct spot *s, size_t event)
{
	const struct column col = {.event = (uint32_t)event};
	struct cell share = cell_absent();
	double var = 0;
	for (size_t i = s->first; i < s->first + s->n; i++) {
		struct cell weight = weight_cell(a->in, &col, a->rows.data[i].row);
		if (weight.kind == CELL_ABSENT || !(weight.v > 0) || !(a->all[event] > 0))
			continue;
		share.kind = CELL_PERCENT;
		share.v += weight.v / a->all[event];
		var += weight.error * weight.error / a->all[event] / a->all[event];
	}
	share.error = sqrt(var);
	return share;
}

/* ---- which line is selected -------------------------------------------------------------------------- */

/* Returns the line of an instruction. */
static size_t line_of(const struct code_listing *l, size_t instruction)
{
	size_t low = 0, high = l->lines_n;
	while (low < high) { /* the instruction's own line is the last of its lines */
		size_t mid = low + (high - low) / 2;
		if (l->lines[mid].instruction <= instruction)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

/* Returns the selected instruction: that of v->selected, which is its address; 0: the hottest. */
static size_t selected(const struct annotation *a, const struct view *v)
{
	const struct spot *hottest = v->selected ? NULL : next_hottest(a, NULL);
	size_t at = hottest ? hottest->instruction : instructions_at(a->l->in, v->selected);
	return at < a->l->in->n ? at : 0;
}

static void select_instruction(const struct annotation *a, struct view *v, size_t at)
{
	v->selected = a->l->in->v[at].addr;
}

/* Selects the instruction of a line, or the first before or behind it. */
static void select_line(const struct annotation *a, struct view *v, size_t line)
{
	const struct code_listing *l = a->l;
	select_instruction(a, v, l->lines[line < l->lines_n ? line : l->lines_n - 1].instruction);
}

/* Scrolls as far as the selected line needs, or so that it is in the middle. */
static void scroll(struct view *v, size_t line, size_t lines_n, int rows)
{
	size_t room = rows > 0 ? (size_t)rows : 1;
	bool grown = v->sheet_version != lines_n; /* lines of the source have come */
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

/* ---- drawing ------------------------------------------------------------------------------------------ */

enum { SHARE = 8, RATIO = 7, TEXT = 26 }; /* cells of columns, with a blank, and the least for the instruction */

struct annotated_columns {
	size_t events[EVENTS_MAX], events_n;
	const struct metric
		*ratios[2]; /* [ratios_n]: IPC and what of branches was mispredicted, where they are known */
	size_t ratios_n;
	bool costs; /* the mean of what the CPU measured with samples: of branches the cycles of the block before */
	char headings[EVENTS_MAX][COLUMN_TITLE_MAX];
	int arrows, address, bytes, text; /* first cells; arrows -1: there is no room, bytes -1: not wanted */
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

static void choose_columns(const struct annotation *a, const struct view *v, int cols, struct annotated_columns *ret)
{
	enum { LEAST_BYTES = 3, MOST_BYTES = 8, MOST = SHARE - 2 };
	char address[24];
	const struct code_listing *l = a->l;
	*ret = (struct annotated_columns){.arrows = -1, .bytes = -1};
	choose_ratios(a, ret);
	int ratios = (int)(ret->ratios_n + ret->costs) * RATIO;
	event_headings(a->in->info, MOST, MOST, ret->headings);
	int digits = snprintf(address, sizeof(address), "%" PRIx64, l->in->v[l->in->n - 1].addr);
	int room = cols - TEXT - digits - 2 - ratios;
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
	ret->address = x;
	x += digits + 2;
	int bytes = room / 3 < MOST_BYTES ? room / 3 : MOST_BYTES; /* of longer instructions, only the first */
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

/* The mean of what the CPU measured with the samples of an instruction. */
static struct ratio mean_cost(const struct annotation *a, const struct spot *s)
{
	struct sample_costs all = {0};
	for (size_t i = s->first; i < s->first + s->n; i++) {
		const struct sample_costs *of = &a->rows.data[i].row->costs;
		all = (struct sample_costs){all.n + of->n, all.sum + of->sum, all.squares + of->squares};
	}
	return costs_mean(&all);
}

/* Draws the shares and the ratios of an instruction. */
static void draw_numbers(struct frame *f, const struct annotation *a, const struct annotated_columns *c,
			 const struct spot *s, int y, enum style style)
{
	static const struct column percent = {.width = SHARE - 1, .right = true};
	char text[64];
	for (size_t i = 0; i < c->events_n; i++) {
		struct cell share = share_cell(a, s, c->events[i]);
		bool heated = style == STYLE_NORMAL && c->events[i] == a->event;
		cell_format(&percent, &share, 0, text, sizeof(text));
		if (share.kind != CELL_ABSENT)
			put_right(f->g, y, (int)i * SHARE, SHARE - 1, heated ? heat_of(&share) : style, text);
	}
	for (size_t i = 0; i < c->ratios_n + c->costs; i++) {
		const struct metric *m = i < c->ratios_n ? c->ratios[i] : NULL;
		struct ratio r = m ? row_metric(a->in->snap, s->heaviest, m) : mean_cost(a, s);
		const struct column col = {.width = RATIO - 1, .right = true, .metric = m, .estimate = !m};
		cell_format(&col, &(struct cell){.kind = CELL_RATIO, .r = r}, 0, text, sizeof(text));
		if (r.valid)
			put_right(f->g, y, (int)(c->events_n * SHARE + i * RATIO), RATIO - 1, style, text);
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

static void draw_instruction(struct frame *f, const struct annotation *a, const struct annotated_columns *c, size_t at,
			     int y, bool is_selected)
{
	const struct instruction *in = &a->l->in->v[at];
	const struct spot *s = spot_at(a, at);
	const struct function_code *code = a->in->code.code;
	enum style style = is_selected ? STYLE_SELECTED : STYLE_NORMAL;
	char text[400];
	if (is_selected)
		fill(f->g, y, 0, f->g->cols, style);
	if (s)
		draw_numbers(f, a, c, s, y, style);
	if (c->arrows >= 0)
		draw_arrows(f, a->l->arrows.rows[at], y, c->arrows, is_selected ? style : STYLE_DIM);
	snprintf(text, sizeof(text), "%" PRIx64, in->addr);
	put_right(f->g, y, c->address, c->bytes >= 0 ? c->bytes - c->address - 2 : c->text - c->address - 2,
		  is_selected ? style : STYLE_DIM, text);
	for (size_t i = 0; c->bytes >= 0 && i < in->size && c->bytes + 3 * (int)i + 3 < c->text; i++) {
		size_t byte = in->addr - code->addr + i;
		snprintf(text, sizeof(text), "%02x", byte < code->n ? code->bytes[byte] : 0);
		grid_put(f->g, y, c->bytes + 3 * (int)i, 2, is_selected ? style : STYLE_DIM, text);
	}
	size_t word = strcspn(in->text, " ");
	const char *rest = in->text[word] ? in->text + word + 1 : "";
	snprintf(text, sizeof(text), "%-6.*s %s", (int)word, in->text, rest);
	put_clipped(f->g, y, c->text, f->g->cols - c->text, style, text);
}

/* Draws where a line of the source is, and its text without the blanks before it. */
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
	for (size_t i = 0; i < c->ratios_n + c->costs; i++) {
		bool ipc = i < c->ratios_n && strcmp(c->ratios[i]->id, "ipc") == 0;
		const char *title = ipc			    ? "IPC"
				    : i < c->ratios_n	    ? "MISPR%"
				    : a->in->info->branches ? "CYCLES"
							    : "WEIGHT";
		put_right(f->g, y, (int)(c->events_n * SHARE + i * RATIO), RATIO - 1, STYLE_TITLE, title);
	}
	grid_put(f->g, y, c->text, f->g->cols - c->text, STYLE_TITLE, "INSTRUCTION");
}

static void draw_title(struct frame *f, const struct annotation *a, const struct view *v, int y)
{
	char title[512], window[80], samples[32], before[80] = "", zooms[200];
	const struct catalog *cat = f->in->cat;
	bool known = catalog_sym_valid(cat, f->st->annotated);
	const struct sym_info *s = known ? &cat->syms[f->st->annotated.id] : NULL;
	const char *name = s ? view_symbol_name(f->in, f->st->annotated.id) : NULL;
	window_text(f->st, f->in, window, sizeof(window));
	zoom_text(f->st, f->in, v, zooms, sizeof(zooms));
	fmt_grouped(samples, sizeof(samples), (double)a->samples);
	if (a->before)
		snprintf(before, sizeof(before), ", and %" PRIu64 " from before A", a->before);
	snprintf(title, sizeof(title), " in %.60s   %s: %s samples%s   %.100s",
		 s && s->dso < cat->dsos_n ? cat->dsos[s->dso].name : "[unknown]", window, samples, before, zooms);
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
	size_t at = selected(a, v), line = line_of(l, at);
	choose_columns(a, v, f->g->cols, &c);
	draw_headings(f, a, &c, y);
	scroll(v, line, l->lines_n, rows - 1);
	for (int i = 0; i < rows - 1 && v->top + (size_t)i < l->lines_n; i++) {
		const struct code_line *of = &l->lines[v->top + (size_t)i];
		if (of->source)
			draw_source(f, a, &c, of, y + 1 + i);
		else
			draw_instruction(f, a, &c, of->instruction, y + 1 + i, v->top + (size_t)i == line);
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

static void annotate_draw(struct frame *f, struct view *v, struct rect where)
{
	static const char keys[] = "Tab: hottest   Enter: follow   b: bytes   /: search   [ ] { }: time   Esc: back";
	struct annotation a;
	const char *why = f->in->code.why;
	int last = where.row + where.rows - 1;
	annotation_init(&a, f->in, v);
	draw_title(f, &a, v, where.row);
	if (a.l && a.l->in->n && f->in->snap)
		draw_lines(f, &a, v, where.row + 1, where.rows - 2);
	else
		draw_sentence(f, where.row + 2, last, why ? why : "The code of the function is read.");
	fill(f->g, last, 0, f->g->cols, STYLE_TITLE);
	const char *below = a.l && why && !v->selected ? why : keys;
	put_clipped(f->g, last, 0, f->g->cols, STYLE_TITLE, f->st->message[0] ? f->st->message : below);
	annotation_deinit(&a);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* Selects where a jump or call within the function leads to. */
static void follow(const struct annotation *a, struct view *v)
{
	const struct instruction *in = &a->l->in->v[selected(a, v)];
	size_t to = in->target ? instructions_at(a->l->in, in->target) : a->l->in->n;
	if (to < a->l->in->n)
		select_instruction(a, v, to);
	v->reveal = true;
}

static void select_hottest(const struct annotation *a, struct view *v)
{
	const struct spot *next = next_hottest(a, v->selected ? spot_at(a, selected(a, v)) : NULL);
	if (!next || (!v->selected && next->instruction == selected(a, v)))
		next = next ? next_hottest(a, next) : next_hottest(a, NULL);
	if (next)
		select_instruction(a, v, next->instruction);
	v->reveal = true;
}

/* Moves by lines of the listing, over those of the source. */
static void move_by(const struct annotation *a, struct view *v, long by)
{
	const struct code_listing *l = a->l;
	long to = (long)line_of(l, selected(a, v)) + by, end = (long)l->lines_n - 1;
	to = to < 0 ? 0 : to > end ? end : to;
	if (by < 0 && to > 0 && l->lines[to].source)
		to--;
	select_line(a, v, (size_t)to);
}

/* Selects as the key says; false: it is none of these keys. */
static bool move(const struct annotation *a, struct view *v, const struct press *p)
{
	enum { WHEEL = 3, ABOVE = 2 }; /* rows above the lines */
	int page = p->g->rows > 4 ? p->g->rows - 4 : 1;
	const struct input_event *ev = p->ev;
	switch (ev->key) {
	case KEY_CYC_UP:
	case 'k':
		return move_by(a, v, -1), true;
	case KEY_CYC_DOWN:
	case 'j':
		return move_by(a, v, 1), true;
	case KEY_CYC_PGUP:
		return move_by(a, v, -page), true;
	case KEY_CYC_PGDN:
		return move_by(a, v, page), true;
	case KEY_CYC_HOME:
		return select_instruction(a, v, 0), true;
	case KEY_CYC_END:
	case 'G':
		return select_instruction(a, v, a->l->in->n - 1), true;
	case KEY_CYC_TAB:
		return select_hottest(a, v), true;
	case KEY_CYC_ENTER:
	case '\n':
	case '\r':
		return follow(a, v), true;
	case KEY_CYC_MOUSE:
		if (ev->wheel_up || ev->wheel_down)
			move_by(a, v, ev->wheel_up ? -WHEEL : WHEEL);
		else if (ev->row >= ABOVE && ev->row < p->g->rows - 1)
			select_line(a, v, v->top + (size_t)(ev->row - ABOVE));
		return true;
	default:
		return false;
	}
}

/* Finds in the texts of instructions and in the lines of the source above them. */
static bool annotate_find(const struct press *p, struct view *v, const struct match *wanted, int step, bool behind)
{
	struct annotation a;
	bool found = false;
	annotation_init(&a, p->in, v);
	size_t n = a.l && a.l->in->n ? a.l->lines_n : 0, from = n ? line_of(a.l, selected(&a, v)) : 0;
	for (size_t i = behind; i < n + behind && !found; i++) {
		const struct code_line *line = &a.l->lines[step > 0 ? (from + i) % n : (from + n - i) % n];
		const char *text = line->source ? line->text : a.l->in->v[line->instruction].text;
		found = text && match_has(wanted, text);
		if (found)
			select_instruction(&a, v, line->instruction);
	}
	annotation_deinit(&a);
	v->reveal = true;
	return found;
}

static unsigned annotate_key(const struct press *p, struct view *v)
{
	static const uint32_t of_time[] = {'[', ']', '{', '}', '0', 'i', ' ', 'm', KEY_CYC_CTRL_L, CTRL('l')};
	struct annotation a;
	if (is_search_key(p->ev->key))
		return normal_key(p);
	for (size_t i = 0; i < ARRAY_LEN(of_time); i++)
		if (p->ev->key == of_time[i])
			return normal_key(p);
	annotation_init(&a, p->in, v);
	bool moves = a.l && a.l->in->n, moved = moves && move(&a, v, p);
	annotation_deinit(&a);
	if (moved || p->ev->key == KEY_CYC_MOUSE)
		return REACT_REDRAW;
	if (p->ev->key == 'b') {
		v->bytes ^= true;
		return REACT_REDRAW;
	}
	view_close(p->st, v);
	p->st->annotated = CATALOG_REF_NONE;
	return REACT_ANNOTATE | REACT_REDRAW;
}

unsigned act_annotate(const struct press *p)
{
	struct view_state *st = p->st;
	struct selection sel = {.row = NULL};
	if (p->in->snap)
		selection_get(st, p->in, &sel);
	bool of_code = sel.row && dimensions[sel.dim].part == PART_CONTEXT;
	uint32_t sym = of_code ? catalog_sym_row(p->in->cat, sel.sym) : CATALOG_NONE;
	if (sym >= p->in->cat->syms_n || sel.row->idle) {
		state_say(st, "Select a function: A shows its instructions, with the samples of each.");
		return REACT_REDRAW;
	}
	struct view *v = view_open(st, &annotate_view, st->views_n - 1);
	if (!v)
		return views_full(st);
	st->annotated = catalog_sym_ref(p->in->cat, sym);
	table_turn(v, DIM_ADDRESS);
	zooms_apply(st);
	v->pivot.callees = false;
	v->pivot.filters[v->pivot.filters_n++] =
		(struct filter){DIM_SYMBOL, dimension_key(p->in->names, DIM_SYMBOL, sym)};
	if (!p->in->info->playable)
		return REACT_ANNOTATE | REACT_QUERY | REACT_REDRAW;
	st->play.seek = true; /* a recording is read again, now with addresses */
	st->play.to_ns = p->in->play_at_ns;
	return REACT_ANNOTATE | REACT_PLAY | REACT_REDRAW;
}

const struct view_ops annotate_view = {
	.place = PLACE_SCREEN,
	.has_pivot = true,
	.open = {.names = "A"},
	.title = "Annotated function",
	.draw = annotate_draw,
	.key = annotate_key,
	.find = annotate_find,
};
