/* Where names come from: the panel of the key y. */
#include "view/internal.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct dso_info *dso_of(const struct view_input *in, const struct sym_info *s)
{
	return s->dso < in->cat->dsos_n ? &in->cat->dsos[s->dso] : NULL;
}

static void add_origin(const struct view_input *in, const struct sym_info *s, struct strbuf *b)
{
	strbuf_add(b, in->origin ? in->origin(s->origin) : "its symbol table");
}

/* The file names were read from belongs to these alone: what came from the program
 * itself came from there, whatever else was read. */
static bool came_from_file(enum sym_origin origin)
{
	switch (origin) {
	case ORIGIN_DEBUG_FILE:
	case ORIGIN_VMLINUX:
	case ORIGIN_MODULE:
	case ORIGIN_PERF_MAP:
	case ORIGIN_JITDUMP:
		return true;
	default:
		return false;
	}
}

/* Would a debug file tell more, and is there one to look for? */
static void add_remedy(const struct view_input *in, const struct sym_info *s, struct strbuf *b)
{
	const struct dso_info *dso = dso_of(in, s);
	bool partial = s->origin == ORIGIN_DYNSYM || s->origin == ORIGIN_MINIDEBUG;
	if (!in->fetch.possible || !dso || dso->kernel || dso->path[0] != '/')
		return;
	if (s->state == SYM_GROUP || s->state == SYM_UNRESOLVED)
		strbuf_add(b, " The key F asks a debuginfod server for its names.");
	else if (partial)
		strbuf_add(b, " The key F asks a debuginfod server for all of them.");
}

static void add_named(const struct view_input *in, const struct sym_info *s, const char *name, struct strbuf *b)
{
	const struct dso_info *dso = dso_of(in, s);
	if (s->origin == ORIGIN_NONE) {
		strbuf_addf(b, "Nothing is known of where the name %s comes from.\n", name);
		return;
	}
	strbuf_addf(b, "%s is named by ", name);
	add_origin(in, s, b);
	if (dso && dso->file && came_from_file(s->origin))
		strbuf_addf(b, ": %s", dso->file);
	else
		strbuf_add(b, ".");
	add_remedy(in, s, b);
	strbuf_add(b, "\n");
}

static void add_nameless(const struct view_input *in, const struct sym_info *s, struct strbuf *b)
{
	const struct dso_info *dso = dso_of(in, s);
	const char *dso_name = dso ? dso->name : "its file";
	switch (s->state) {
	case SYM_PENDING:
		strbuf_addf(b,
			    "The symbols of %s are just being read. What is sampled there meanwhile is counted here, "
			    "and joins its functions then.\n",
			    dso_name);
		return;
	case SYM_GROUP:
		strbuf_addf(b, "%s is a function without a name. It is known by ", s->name);
		add_origin(in, s, b);
		strbuf_add(b, ".");
		break;
	case SYM_NO_DSO:
		strbuf_addf(b, "It has no name: %s.",
			    dso && dso->why ? dso->why : "the address belongs to no known mapping");
		break;
	default:
		if (dso && dso->why)
			strbuf_addf(b, "It has no name: %s.", dso->why);
		else
			strbuf_addf(b,
				    "It has no name: no symbol of %s, and no function its unwind tables know, "
				    "covers the address.",
				    dso_name);
		break;
	}
	if (s->state == SYM_GROUP && dso && dso->why)
		strbuf_addf(b, " Why: %s.", dso->why);
	add_remedy(in, s, b);
	strbuf_add(b, "\n");
}

void why_add(const struct view_input *in, uint32_t sym, struct strbuf *b)
{
	enum { NAME_CELLS = 60 };
	char buf[1024];
	if (sym >= in->cat->syms_n) {
		strbuf_add(b, "It is not known which function this is.\n");
		return;
	}
	const struct sym_info *s = &in->cat->syms[sym];
	const struct dso_info *dso = dso_of(in, s);
	const char *name = view_symbol_name(in, sym);
	const char *brief = text_shorten(name, NAME_CELLS, buf, sizeof(buf));
	if (s->state == SYM_NAMED)
		add_named(in, s, brief, b);
	else
		add_nameless(in, s, b);
	if (dso && dso->path && strcmp(dso->path, dso->name) != 0)
		strbuf_addf(b, "File: %s%s\n", dso->path,
			    dso->deleted ? " (deleted or replaced since it was started)" : "");
	if (s->state != SYM_NAMED)
		return;
	struct view_input other = *in;
	other.raw_names = !in->raw_names;
	const char *counterpart = view_symbol_name(&other, sym);
	if (brief != name)
		strbuf_addf(b, "Whole name: %s\n", name);
	if (strcmp(counterpart, name) != 0)
		strbuf_addf(b, "%s: %s\n", in->raw_names ? "As people write it" : "Raw name", counterpart);
}

size_t view_nameless(const struct table *table, const struct catalog *cat, struct nameless *ret, size_t max)
{
	static const double least = 0.01;
	double *shares = mem_calloc(cat->dsos_n + 1u, sizeof(*shares));
	size_t n = 0;
	for (size_t i = 0; i < table->n; i++) {
		const struct row *row = &table->rows[i];
		const struct sym_info *s = row->sym < cat->syms_n ? &cat->syms[row->sym] : NULL;
		if (s && row->share_valid && s->dso < cat->dsos_n &&
		    (s->state == SYM_UNRESOLVED || s->state == SYM_GROUP))
			shares[s->dso] += row->share;
	}
	for (; n < max; n++) {
		uint32_t top = 0;
		for (uint32_t d = 1; d < cat->dsos_n; d++)
			if (shares[d] > shares[top])
				top = d;
		if (!cat->dsos_n || shares[top] < least)
			break;
		ret[n] = (struct nameless){.dso = top, .share = shares[top]};
		shares[top] = 0;
	}
	free(shares);
	return n;
}

/* Of the focused pane's selected row. */
static void add_selected(const struct view_state *st, const struct view_input *in, struct strbuf *b)
{
	if (st->focus == PANE_CPUS || !in->snap) {
		strbuf_add(b, "A CPU is no function: Tab goes to tables whose rows have names.\n");
		return;
	}
	struct pane_state ps = st->panes[st->focus];
	struct sheet *sheet = pane_sheet(st, in, st->focus);
	pane_follow(&ps, sheet, 1 << 20);
	const struct row *row = sheet->n ? sheet->rows[ps.cursor] : NULL;
	if (!row) {
		strbuf_add(b, "There is no row here.\n");
	} else if (row->idle) {
		strbuf_add(b, "This is the time in which CPUs had nothing to do; it is no function.\n");
	} else if (st->focus == PANE_TASKS) {
		if (row->top_sym < in->cat->syms_n)
			strbuf_add(b, "Its hottest function: ");
		why_add(in, row->top_sym, b);
	} else
		why_add(in, row->sym, b);
	sheet_destroy(sheet);
}

/* Paragraphs wrapped into the rows there are; the last line shows that there is more. */
static void put_paragraphs(struct grid *g, int row, int rows, const char *text)
{
	enum { INDENT = 2 };
	char line[512];
	int first = row, end = row + rows;
	while (*text && row < end) {
		size_t all = strcspn(text, "\n");
		char paragraph[4096];
		snprintf(paragraph, sizeof(paragraph), "%.*s", (int)all, text);
		text += all + (text[all] == '\n');
		int indent = 0;
		for (const char *p = paragraph; *p && row < end; row++) {
			size_t n = text_wrap(p, g->cols - indent);
			snprintf(line, sizeof(line), "%.*s", (int)n, p);
			p += n;
			while (*p == ' ')
				p++;
			bool cut = row + 1 == end && (*p || *text);
			grid_put(g, row, indent, g->cols - indent - cut, row == first ? STYLE_STRONG : STYLE_NORMAL,
				 line);
			if (cut)
				grid_put(g, row, g->cols - 1, 1, STYLE_DIM, "…");
			indent = g->cols > 40 ? INDENT : 0;
		}
	}
}

void draw_why(const struct view_state *st, const struct view_input *in, struct grid *g, int row, int rows)
{
	struct strbuf b = {0};
	fill(g, row, 0, g->cols, STYLE_TITLE);
	grid_put(g, row, 0, g->cols, STYLE_TITLE, "Why this name?");
	if (g->cols >= 30)
		put_right(g, row, 0, g->cols, STYLE_TITLE, "y closes");
	for (int i = 1; i < rows; i++)
		fill(g, row + i, 0, g->cols, STYLE_NORMAL);
	add_selected(st, in, &b);
	put_paragraphs(g, row + 1, rows - 1, b.data);
	strbuf_deinit(&b);
}

unsigned act_why(struct view_state *st, const struct view_input *in, const struct grid *g, const struct input_event *ev)
{
	(void)ev;
	struct layout l;
	st->why ^= true;
	layout_for(st, in, g->rows, g->cols, &l);
	if (!st->why || l.why >= 0)
		return REACT_REDRAW;
	/* No room for a panel: a message, which goes away with the next key. */
	struct strbuf b = {0};
	add_selected(st, in, &b);
	state_say(st, "%.*s", (int)strcspn(b.data, "\n"), b.data);
	strbuf_deinit(&b);
	st->why = false;
	return REACT_REDRAW;
}

unsigned act_raw_names(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)g, (void)ev;
	if (!in->demangler) {
		state_say(st, "This build has no demangler (libiberty): names are raw as they are.");
		return REACT_REDRAW;
	}
	st->raw_names ^= true;
	state_say(st, st->raw_names ? "Names: raw, as the linker knows them." : "Names: as people write them.");
	return REACT_REDRAW;
}
