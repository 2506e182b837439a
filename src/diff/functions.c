/* Finds what became of functions: whether a file's symbol table still has the function, and which parts and clones of
 * it. */
#include "base/alloc.h"
#include "base/index.h"
#include "base/strbuf.h"
#include "diff/meaning.h"
#include "diff/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function that has rows in the result; its names are borrowed from a row. */
struct entry {
	const char *dso, *symbol;
	bool read[DIFF_SIDES], part[DIFF_SIDES]; /* a file of the DSO was read; only a part of one was */
	struct diff_function function;
};

struct diff_functions {
	struct entry *entries; /* [n]; never reallocated, because rows point into it */
	uint32_t n;
	struct index by_name;
	struct strbuf dso, symbol; /* memory for the normalised names (meaning.h) to look up */
};

struct wanted {
	const struct diff_functions *f;
	const char *dso, *symbol;
};

static bool is_wanted(const void *ctx, uint32_t at)
{
	const struct wanted *w = ctx;
	const struct entry *e = &w->f->entries[at];
	return strcmp(e->symbol, w->symbol) == 0 && strcmp(e->dso, w->dso) == 0;
}

static uint64_t hash_of(const struct diff_functions *f, const char *dso, const char *symbol)
{
	return index_hash(&f->by_name, index_hash_bytes(&f->by_name, symbol, strlen(symbol)) ^
					       index_hash_bytes(&f->by_name, dso, strlen(dso)));
}

const char *diff_row_name(const struct diff *d, const struct diff_row *row, enum dimension_id dim)
{
	for (size_t i = 0; i < d->dims_n; i++)
		if (d->dims[i] == dim && row->names[i].kind == KEY_TEXT)
			return row->names[i].text;
	return NULL;
}

static void add_row(struct diff_functions *f, const struct diff *d, struct diff_row *row)
{
	const char *dso = diff_row_name(d, row, DIM_DSO), *symbol = diff_row_name(d, row, DIM_SYMBOL);
	if (!dso || !symbol || symbol[0] == '[') /* a placeholder, such as "[no symbol]" */
		return;
	uint64_t hash = hash_of(f, dso, symbol);
	uint32_t at = index_find(&f->by_name, hash, is_wanted, &(struct wanted){f, dso, symbol});
	if (at == INDEX_NONE) {
		at = f->n++;
		f->entries[at] = (struct entry){.dso = dso, .symbol = symbol};
		index_add(&f->by_name, hash, at);
	}
	row->function = &f->entries[at].function;
}

static struct diff_functions *functions_of(struct diff *d)
{
	if (d->functions)
		return d->functions;
	struct diff_functions *f = mem_calloc(1, sizeof(*f));
	f->entries = mem_calloc(d->n + 1, sizeof(*f->entries));
	index_init(&f->by_name);
	for (size_t i = 0; i < d->n; i++)
		add_row(f, d, &d->rows[i]);
	return d->functions = f;
}

void functions_destroy(struct diff_functions *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->n; i++)
		for (enum diff_side side = 0; side < DIFF_SIDES; side++)
			for (size_t k = 0; k < f->entries[i].function.pieces_n[side]; k++)
				free(f->entries[i].function.pieces[side][k]);
	free(f->entries);
	index_deinit(&f->by_name);
	strbuf_deinit(&f->dso);
	strbuf_deinit(&f->symbol);
	free(f);
}

static const char *meaning_of(struct strbuf *b, enum dimension_id dim, const char *value)
{
	b->n = 0;
	strbuf_add(b, "");
	meaning_add(b, dim, value);
	return b->data;
}

bool diff_add_file(struct diff *d, enum diff_side side, const char *path, bool whole)
{
	struct diff_functions *f = functions_of(d);
	const char *dso = meaning_of(&f->dso, DIM_DSO, path);
	bool any = false;
	for (uint32_t i = 0; i < f->n; i++) {
		struct entry *e = &f->entries[i];
		if (strcmp(e->dso, dso) != 0)
			continue;
		any = true;
		e->read[side] = true;
		e->part[side] |= !whole;
		e->function.known[side] = !e->part[side];
	}
	return any;
}

static bool same_piece(const char *a, const char *b)
{
	struct strbuf x = {0}, y = {0};
	meaning_add_pieces(&x, a);
	meaning_add_pieces(&y, b);
	bool same = strcmp(x.data, y.data) == 0;
	strbuf_deinit(&x);
	strbuf_deinit(&y);
	return same;
}

static bool has_piece(const struct diff_function *f, enum diff_side side, const char *name)
{
	bool has = false;
	for (size_t i = 0; i < f->pieces_n[side] && !has; i++)
		has = same_piece(f->pieces[side][i], name);
	return has;
}

void diff_add_function(struct diff *d, enum diff_side side, const char *path, const char *name)
{
	struct diff_functions *f = functions_of(d);
	const char *dso = meaning_of(&f->dso, DIM_DSO, path), *symbol = meaning_of(&f->symbol, DIM_SYMBOL, name);
	uint32_t at = index_find(&f->by_name, hash_of(f, dso, symbol), is_wanted, &(struct wanted){f, dso, symbol});
	if (at == INDEX_NONE)
		return;
	struct diff_function *to = &f->entries[at].function;
	size_t n = to->pieces_n[side], i = n;
	if (n == DIFF_PIECES_MAX || has_piece(to, side, name))
		return;
	for (; i && strcmp(to->pieces[side][i - 1], name) > 0; i--) /* keeps the pieces sorted by name */
		to->pieces[side][i] = to->pieces[side][i - 1];
	to->pieces[side][i] = mem_strdup(name);
	to->pieces_n[side]++;
}

/* ---- finding a common substring of a function's mangled names -------------------------------- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Finds the last identifier of a demangled name, which the mangled name contains, too.  Returns its length; 0 for names
 * whose mangled form may lack it: operators, lambdas, constructors, and languages other than C++ and Rust. */
static size_t last_word(const char *symbol, size_t *at_ret)
{
	size_t end = strcspn(symbol, "("), at = end;
	if (strstr(symbol, "operator") || strcspn(symbol, "{'[$@.<") < end)
		return 0;
	while (at && is_word(symbol[at - 1]))
		at--;
	size_t n = end - at;
	bool scoped = at >= 2 && symbol[at - 1] == ':';
	if (!n || (at && !scoped) || (symbol[at] >= '0' && symbol[at] <= '9'))
		return 0;
	if (scoped && at - 2 >= n && strncmp(symbol + at - 2 - n, symbol + at, n) == 0)
		return 0;
	*at_ret = at;
	return n;
}

void diff_function_part(const char *symbol, bool pretty, char *buf, size_t cap)
{
	size_t at = 0, n = strlen(symbol);
	if (pretty)
		n = last_word(symbol, &at);
	else if (n && symbol[n - 1] == 'E') /* Rust: a hash may precede the final E of a mangled name */
		n--;
	snprintf(buf, cap, "%.*s", n < cap ? (int)n : 0, symbol + at);
}

/* ---- deciding and describing what became of a function ------------------------------------------------ */

const char *const diff_fate_names[] = {
	[FATE_UNKNOWN] = NULL,	[FATE_SAME] = "same", [FATE_SPLIT] = "split", [FATE_JOINED] = "joined",
	[FATE_OTHER] = "other", [FATE_GONE] = "gone", [FATE_CAME] = "came",   [FATE_UNSAMPLED] = "unsampled",
};

/* Returns true if `side` has parts or clones of the function that the other side does not have. */
static bool has_more(const struct diff_function *f, enum diff_side side)
{
	for (size_t i = 0; i < f->pieces_n[side]; i++)
		if (!has_piece(f, !side, f->pieces[side][i]))
			return true;
	return false;
}

static bool is_full(const struct diff_function *f)
{
	return f->pieces_n[DIFF_BEFORE] == DIFF_PIECES_MAX || f->pieces_n[DIFF_AFTER] == DIFF_PIECES_MAX;
}

enum diff_fate diff_fate(const struct diff_row *row)
{
	static const enum diff_fate lacks[] = {[DIFF_BEFORE] = FATE_CAME, [DIFF_AFTER] = FATE_GONE};
	const struct diff_function *f = row->function;
	for (enum diff_side side = 0; f && side < DIFF_SIDES; side++)
		if (row->at[side] == UINT32_MAX)
			return !f->known[side] ? FATE_UNKNOWN : f->pieces_n[side] ? FATE_UNSAMPLED : lacks[side];
	if (!f || !f->known[DIFF_BEFORE] || !f->known[DIFF_AFTER] || !f->pieces_n[DIFF_BEFORE] ||
	    !f->pieces_n[DIFF_AFTER] || is_full(f))
		return FATE_UNKNOWN;
	bool before = has_more(f, DIFF_BEFORE), after = has_more(f, DIFF_AFTER);
	return before && after ? FATE_OTHER : before ? FATE_JOINED : after ? FATE_SPLIT : FATE_SAME;
}

static void add_pieces(const struct diff_function *f, enum diff_side side, const char *name, struct strbuf *b)
{
	strbuf_addf(b, "%s: ", name);
	for (size_t i = 0; i < f->pieces_n[side]; i++)
		strbuf_addf(b, "%s%s", i ? ", " : "", f->pieces[side][i]);
	strbuf_add(b, "; ");
}

bool diff_fate_add(const struct diff_row *row, const char *const sides[DIFF_SIDES], struct strbuf *b)
{
	static const char *const ends[] = {
		[FATE_SPLIT] = "the compiler split or copied it",
		[FATE_JOINED] = "the compiler no longer splits or copies it",
		[FATE_OTHER] = "the compiler made other pieces or copies of it",
	};
	enum diff_fate fate = diff_fate(row);
	enum diff_side lacking = row->at[DIFF_AFTER] == UINT32_MAX ? DIFF_AFTER : DIFF_BEFORE;
	switch (fate) {
	case FATE_GONE:
		strbuf_addf(b,
			    "the %s file names no such function: it was inlined into its callers, renamed, removed, "
			    "or merged with an identical function",
			    sides[lacking]);
		return true;
	case FATE_CAME:
		strbuf_addf(b,
			    "the %s file names no such function: it was inlined into its callers there, had another "
			    "name, or was not written yet",
			    sides[lacking]);
		return true;
	case FATE_UNSAMPLED: /* common for rows with few samples: worth telling only if the change is real */
		if (!row->value.change.real)
			return false;
		strbuf_addf(b, "the %s file has it, but it was not sampled there", sides[lacking]);
		return true;
	case FATE_SPLIT:
	case FATE_JOINED:
	case FATE_OTHER:
		add_pieces(row->function, DIFF_BEFORE, sides[DIFF_BEFORE], b);
		add_pieces(row->function, DIFF_AFTER, sides[DIFF_AFTER], b);
		strbuf_add(b, ends[fate]);
		return true;
	default:
		return false;
	}
}
