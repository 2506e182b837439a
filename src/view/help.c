/* The help, made from the tables of keys, columns and words.  A line of its text is a title, or
 * "  word<Tab>sentence". */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 16 }; /* width in cells of a word, beside which its sentence stands */

static void entry(struct strbuf *b, const char *word, const char *text)
{
	strbuf_addf(b, "  %s\t%s\n", word, text);
}

static bool has_heading(const struct columns *cols, const char *title)
{
	for (size_t i = 0; i < cols->n; i++)
		if (strcmp(cols->v[i].title, title) == 0)
			return true;
	return false;
}

/* Adds the headings of each table, but no heading twice. */
static void add_columns(struct strbuf *b)
{
	struct columns cols[8];
	for (size_t p = 0; p < view_tables_n && p < ARRAY_LEN(cols); p++) {
		bool last = p + 1 == view_tables_n;
		strbuf_addf(b, "\n%solumns of %s\n", p ? "More c" : "C",
			    last ? "other panes" : dimensions[view_tables[p].dims[0]].name);
		view_columns(NULL, &view_tables[p], &cols[p]);
		for (size_t i = 0; i < cols[p].n; i++) {
			bool said = false;
			for (size_t before = 0; before < p; before++)
				said |= has_heading(&cols[before], cols[p].v[i].title);
			if (!said)
				entry(b, cols[p].v[i].title, cols[p].v[i].help);
		}
	}
	entry(b, "NAME/s", role_info(ROLE_OTHER)->help);
}

static void add_panes(struct strbuf *b)
{
	strbuf_add(b, "\nThe panes: what a row is\n");
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++)
		entry(b, dimensions[d].name, dimensions[d].help);
}

static void add_words(struct strbuf *b)
{
	for (size_t i = 0; i < screen_words_n; i++) {
		if (!i || screen_words[i].section != screen_words[i - 1].section)
			strbuf_addf(b, "\n%s\n", word_sections[screen_words[i].section]);
		entry(b, screen_words[i].word, screen_words[i].help);
	}
}

static void help_add(struct strbuf *b, const struct keymap *keys)
{
	strbuf_add(b, "Keys\n");
	const struct binding *key;
	for (size_t i = 0; (key = binding_at(keys, i)); i++)
		entry(b, key->names, key->help);
	add_columns(b);
	add_panes(b);
	add_words(b);
}

char *help_text(const struct keymap *keys)
{
	struct strbuf b = {0};
	help_add(&b, keys);
	return b.data;
}

/* ---- explaining the selected row, its pane and the session ------------------------------- */

static const struct word *word_of_row(const struct view_input *in, const struct selection *sel)
{
	static const char *const of_states[] = {
		[SYM_NAMED] = NULL,
		[SYM_PENDING] = "reading symbols",
		[SYM_GROUP] = "[x.so+0x15a20]",
		[SYM_UNRESOLVED] = "[no symbol]",
		[SYM_NO_DSO] = "[unknown]",
		[SYM_FOLDED] = "[earlier code]",
	};
	const struct row *row = sel->row;
	if (row->idle)
		return word_of_name("(idle)");
	if (row->interrupts)
		return word_of_name("[interrupts]");
	if (dimensions[sel->dim].part == PART_TASK)
		return row->task < in->cat->tasks_n ? word_of_name(in->cat->tasks[row->task].comm) : NULL;
	struct key_value v = dimension_value(in->names, sel->dim, row_part(row, dimensions[sel->dim].part));
	const struct word *word = v.kind == KEY_TEXT ? word_of_name(v.text) : NULL;
	if (word || sel->dim != DIM_SYMBOL || row->sym >= in->cat->syms_n)
		return word;
	const char *of_state = of_states[in->cat->syms[row->sym].state];
	return of_state ? word_find(of_state) : NULL;
}

void help_add_here(struct strbuf *b, struct view_state *st, const struct view_input *in)
{
	const struct view *v = focused(st);
	struct selection sel;
	struct columns cols;
	if (!in->snap || v->ops->place != PLACE_PANE)
		return;
	strbuf_add(b, "Here\n");
	if (v->ops->takes) {
		entry(b, v->ops->title, "what the command after -- has printed, and how it ended; End follows its end");
		strbuf_add(b, "\n");
		return;
	}
	selection_get(st, in, &sel);
	const struct word *word = sel.row ? word_of_row(in, &sel) : NULL;
	if (word)
		entry(b, word->word, word->help);
	view_columns(in, &v->pivot, &cols);
	const struct column *sorted = table_sort_column(v, in, &cols);
	if (sorted)
		entry(b, sorted->title, sorted->help);
	char name[VIEW_NAME_CAP];
	strbuf_addf(b, "  %s\ta row is: %s\n\n", view_name(st, v, name), dimensions[table_dim(v)].help);
}

static const struct pivot *all_symbols(const struct snapshot *snap)
{
	for (size_t i = 0; i < snap->pivots_n; i++)
		if (snap->pivots[i].query.dims[0] == DIM_SYMBOL && !snap->pivots[i].query.filters_n)
			return &snap->pivots[i];
	return NULL;
}

/* Adds the DSOs with the most unnamed code, and why that code has no names. */
static void add_nameless(struct strbuf *b, const struct view_input *in)
{
	struct nameless most[3];
	char text[256];
	const struct pivot *symbols = in->snap ? all_symbols(in->snap) : NULL;
	size_t n = symbols ? view_nameless(symbols, in->cat, most, ARRAY_LEN(most)) : 0;
	for (size_t i = 0; i < n; i++) {
		const struct dso_info *dso = &in->cat->dsos[most[i].dso];
		snprintf(text, sizeof(text), "no name for %.0f%% of the %s: %s", most[i].share * 100, view_share_of(in),
			 dso->why ? dso->why : "no symbol table covers them");
		entry(b, dso->name, text);
	}
}

/* Adds which events and names are missing in this session, and why. */
static void help_add_session(struct strbuf *b, const struct view_input *in)
{
	size_t before = b->n;
	strbuf_add(b, "This session\n");
	size_t head = b->n;
	if (in->info->notice[0])
		entry(b, "notice", in->info->notice);
	char text[160];
	for (size_t e = 0; (e = view_missing_events(in->info, e, text, sizeof(text))) < in->info->events_n; e++)
		entry(b, text, in->info->events[e].why);
	for (unsigned i = 0; i < LIMITS_N; i++)
		if (limit_said(in, (enum limit)i, text, sizeof(text)))
			entry(b, "limit reached", text);
	add_nameless(b, in);
	if (b->n == head) {
		b->n = before;
		return;
	}
	strbuf_add(b, "\n");
}

/* ---- drawing the help --------------------------------------------------------------- */

/* Draws a line of the help.  A word that is too long for its column has a line of its own. */
static void emit_line(struct text_window *w, int cols, const char *line)
{
	char word[256];
	const char *p = strchr(line, '\t');
	if (!p) {
		text_emit(w, STYLE_STRONG, 0, line, 0, "", 0);
		return;
	}
	snprintf(word, sizeof(word), "%.*s", (int)(p - line - 2), line + 2);
	p++;
	int x = cols >= 3 * WORD ? WORD + 3 : 4;
	bool first = text_width(word) + 3 <= x;
	if (!first)
		text_emit(w, STYLE_KEY, 2, word, 0, "", 0);
	do {
		size_t take = text_wrap(p, cols - x > 4 ? cols - x : 4);
		text_emit(w, STYLE_KEY, 2, first ? word : "", x, p, take);
		first = false;
		p += take;
		while (*p == ' ')
			p++;
	} while (*p);
}

static void emit_all(struct text_window *w, int cols, const char *text)
{
	while (*text) {
		char line[1280];
		size_t n = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		emit_line(w, cols, line);
		text += n + (text[n] == '\n');
	}
}

static void help_draw(struct frame *f, struct view *v, struct rect where)
{
	struct strbuf b = {0};
	help_add_here(&b, f->st, f->in);
	help_add_session(&b, f->in);
	help_add(&b, f->st->keys);
	text_screen_draw(f, v, where, "cyctop help", b.data, emit_all);
	strbuf_deinit(&b);
}

const struct view_ops help_view = {
	.place = PLACE_SCREEN,
	.open = {.keys = {'h', '?', KEY_CYC_F1},
		 .names = "h ? F1",
		 .footer = "Help",
		 .help = "this help",
		 .opens = &help_view},
	.draw = help_draw,
	.key = text_screen_key,
};
