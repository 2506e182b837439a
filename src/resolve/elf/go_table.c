#include "resolve/elf/go_table.h"

#include "base/load.h"

#include <string.h>

/* Offsets in the header. */
enum {
	QUANTUM_AT = 6, /* smallest length of an instruction */
	WORD_AT = 7,
	WORDS_AT = 8, /* numbers of `word` bytes each */
};

enum layout { GO_1_2, GO_1_16, GO_1_18, GO_1_20, LAYOUTS };
static const uint32_t magics[LAYOUTS] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};

/* Index of each number in the header; the first one is the number of functions. */
struct places {
	unsigned text, names, funcs; /* 0: the layout has none, and counts offsets from the start of the table */
};
static const struct places places[LAYOUTS] = {
	[GO_1_2] = {0},
	[GO_1_16] = {.names = 2, .funcs = 6},
	[GO_1_18] = {.text = 2, .names = 3, .funcs = 7},
	[GO_1_20] = {.text = 2, .names = 3, .funcs = 7},
};

static bool find_layout(const uint8_t *data, bool big, enum layout *ret)
{
	uint32_t magic = (uint32_t)load_number(data, 4, big);
	for (unsigned i = 0; i < LAYOUTS; i++)
		if (magic == magics[i]) {
			*ret = (enum layout)i;
			return true;
		}
	return false;
}

bool go_table_begins(const uint8_t *data, size_t n, bool big)
{
	enum layout layout;
	return n >= GO_TABLE_HEADER_MAX && data[4] == 0 && data[5] == 0 &&
	       (data[QUANTUM_AT] == 1 || data[QUANTUM_AT] == 2 || data[QUANTUM_AT] == 4) &&
	       (data[WORD_AT] == 4 || data[WORD_AT] == 8) && find_layout(data, big, &layout);
}

static uint64_t word_at(const struct go_table *t, unsigned index)
{
	return load_number(t->data + WORDS_AT + index * t->word, t->word, t->big);
}

bool go_table_open(struct go_table *t)
{
	enum layout layout;
	if (!go_table_begins(t->data, t->n, t->big) || !find_layout(t->data, t->big, &layout))
		return false;
	const struct places *p = &places[layout];
	t->word = t->data[WORD_AT];
	t->entry = p->text ? 4 : t->word;
	t->functions = word_at(t, 0);
	t->text_at = p->text ? WORDS_AT + p->text * t->word : 0;
	t->text = p->text ? word_at(t, p->text) : 0;
	t->names_at = p->names ? word_at(t, p->names) : 0;
	t->funcs_at = p->funcs ? word_at(t, p->funcs) : 0;
	t->index_at = p->funcs ? t->funcs_at : WORDS_AT + t->word;
	/* After the last entry is the end of the last function. */
	return t->functions && t->names_at < t->n && t->index_at < t->n && t->n - t->index_at > t->entry &&
	       t->functions <= (t->n - t->index_at - t->entry) / (2 * t->entry);
}

/* The address in entry `i`; that of entry t->functions is the end of the last function. */
static uint64_t addr_at(const struct go_table *t, uint64_t i)
{
	return t->text + load_number(t->data + t->index_at + i * 2 * t->entry, t->entry, t->big);
}

bool go_table_bounds(const struct go_table *t, uint64_t *start_ret, uint64_t *end_ret)
{
	*start_ret = addr_at(t, 0);
	*end_ret = addr_at(t, t->functions);
	return *start_ret < *end_ret;
}

/* The name of function `i`; NULL: it is damaged. */
static const char *name_at(const struct go_table *t, uint64_t i, size_t *n_ret)
{
	uint64_t func = load_number(t->data + t->index_at + (i * 2 + 1) * t->entry, t->entry, t->big);
	uint64_t room = t->n - t->funcs_at; /* from the start of all functions on */
	if (func > room || room - func < t->entry + 4)
		return NULL;
	/* a function begins with its address, or offset; then comes the offset of its name */
	uint64_t name = load_number(t->data + t->funcs_at + func + t->entry, 4, t->big);
	if (name >= t->n - t->names_at)
		return NULL;
	const char *text = (const char *)t->data + t->names_at + name;
	size_t most = (size_t)(t->n - t->names_at - name);
	*n_ret = strnlen(text, most);
	return *n_ret && *n_ret < most ? text : NULL;
}

bool go_table_read(const struct go_table *t, go_function_fn *fn, void *ctx)
{
	bool whole = true;
	for (uint64_t i = 0; i < t->functions; i++) {
		uint64_t start = addr_at(t, i), end = addr_at(t, i + 1);
		size_t n;
		const char *name = name_at(t, i, &n);
		if (name && start < end)
			fn(ctx, start, end - start, name, n);
		else
			whole = whole && name && start == end;
	}
	return whole;
}
