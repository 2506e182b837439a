#include "resolve/elf/go_table.h"

#include "base/load.h"

#include <string.h>

/* Offsets of header fields, in bytes. */
enum {
	QUANTUM_AT = 6, /* length of the shortest instruction */
	WORD_AT = 7,
	WORDS_AT = 8, /* the following fields, of `word` bytes each */
};

enum layout { GO_1_2, GO_1_16, GO_1_18, GO_1_20, LAYOUTS };
static const uint32_t magics[LAYOUTS] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};

/* For each layout, the index of some header fields among the word-sized fields at WORDS_AT; field 0 is the number of
 * functions. */
struct places {
	/* 0: the layout lacks the field; offsets then count from the start of the table */
	unsigned text, names, units, files, values, funcs;
};
static const struct places places[LAYOUTS] = {
	[GO_1_2] = {0},
	[GO_1_16] = {.names = 2, .units = 3, .files = 4, .values = 5, .funcs = 6},
	[GO_1_18] = {.text = 2, .names = 3, .units = 4, .files = 5, .values = 6, .funcs = 7},
	[GO_1_20] = {.text = 2, .names = 3, .units = 4, .files = 5, .values = 6, .funcs = 7},
};

/* Offsets of fields in a function's description (struct _func), from the end of its address, in bytes. */
enum {
	NAME = 0,
	FILE_VALUES = 16,
	LINE_VALUES = 20,
	TABLES = 24, /* number of further value tables */
	UNIT = 28,   /* index of the first source file of the function's package; since Go 1.16 */
	START = 32,  /* line where the function's declaration begins; since Go 1.20 */
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

/* Returns field `index` of the header; 0: the layout lacks it. */
static uint64_t word_at(const struct go_table *t, unsigned index)
{
	return index ? load_number(t->data + WORDS_AT + index * t->word, t->word, t->big) : 0;
}

bool go_table_open(struct go_table *t)
{
	enum layout layout;
	if (!go_table_begins(t->data, t->n, t->big) || !find_layout(t->data, t->big, &layout))
		return false;
	const struct places *p = &places[layout];
	t->word = t->data[WORD_AT];
	t->entry = p->text ? 4 : t->word;
	t->functions = load_number(t->data + WORDS_AT, t->word, t->big);
	t->text = word_at(t, p->text);
	t->names_at = word_at(t, p->names);
	t->units_at = word_at(t, p->units);
	t->files_at = word_at(t, p->files);
	t->values_at = word_at(t, p->values);
	t->funcs_at = word_at(t, p->funcs);
	t->says_start = layout == GO_1_20;
	t->index_at = p->funcs ? t->funcs_at : WORDS_AT + t->word;
	/* The index has one more address than functions: the end of the last function. */
	return t->functions && t->names_at < t->n && t->index_at < t->n && t->n - t->index_at > t->entry &&
	       t->functions <= (t->n - t->index_at - t->entry) / (2 * t->entry);
}

/* Returns the address in entry `i` of the index; for i == t->functions, the end of the last function. */
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

/* Returns the description of function `i`, after the address at its start; NULL: the description is damaged. *n_ret:
 * number of bytes from there to the end of the table, at least 4. */
static const uint8_t *function_at(const struct go_table *t, uint64_t i, size_t *n_ret)
{
	uint64_t func = load_number(t->data + t->index_at + (i * 2 + 1) * t->entry, t->entry, t->big);
	uint64_t room = t->n - t->funcs_at; /* bytes from the first description to the end of the table */
	if (func > room || room - func < t->entry + 4)
		return NULL;
	*n_ret = (size_t)(room - func - t->entry);
	return t->data + t->n - *n_ret;
}

/* Returns the string (*n_ret bytes) that is `offset` bytes after `from`; NULL: it is empty or has no NUL. */
static const char *string_at(const struct go_table *t, uint64_t from, uint64_t offset, size_t *n_ret)
{
	if (from >= t->n || offset >= t->n - from)
		return NULL;
	const char *text = (const char *)t->data + from + offset;
	size_t most = (size_t)(t->n - from - offset);
	*n_ret = strnlen(text, most);
	return *n_ret && *n_ret < most ? text : NULL;
}

/* Returns the name of function `i`; NULL: it is damaged. */
static const char *name_at(const struct go_table *t, uint64_t i, size_t *n_ret)
{
	size_t n;
	const uint8_t *func = function_at(t, i, &n);
	return func ? string_at(t, t->names_at, load_number(func + NAME, 4, t->big), n_ret) : NULL;
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

/* ---- finding where code is in the source ------------------------------------------ */

/* A walk through a value table (Go's pc-value table).  Each row is for a run of instructions with the same value, such
 * as a line: it has the differences of value and end address to those of the previous run. */
struct walk {
	const uint8_t *at, *end;
	unsigned quantum;
	bool begun;
	uint64_t from, to; /* addresses of the run */
	int32_t value;
};

static bool walk_start(const struct go_table *t, uint64_t offset, uint64_t pc, struct walk *ret)
{
	if (!offset || t->values_at >= t->n || offset >= t->n - t->values_at)
		return false;
	*ret = (struct walk){.at = t->data + t->values_at + offset,
			     .end = t->data + t->n,
			     .quantum = t->data[QUANTUM_AT],
			     .to = pc,
			     .value = -1};
	return true;
}

/* Reads a varint: seven bits per byte, the lowest first; the highest bit of a byte is set if another byte follows. */
static bool walk_number(struct walk *w, uint32_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; w->at < w->end && shift < 32; shift += 7) {
		uint8_t byte = *w->at++;
		*ret |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Goes to the next run.  Returns false if the table has ended, or is damaged. */
static bool walk_next(struct walk *w)
{
	uint32_t value, pc;
	if (!walk_number(w, &value) || (!value && w->begun) || !walk_number(w, &pc) || !pc)
		return false;
	/* zigzag: the lowest bit is the sign */
	w->value = (int32_t)((uint32_t)w->value + (value & 1 ? ~(value >> 1) : value >> 1));
	w->from = w->to;
	w->to += (uint64_t)pc * w->quantum;
	w->begun = true;
	return w->to > w->from;
}

/* Returns the value at `pc` in the value table at `offset`; `start`: where its function starts.  -1: there is none. */
static int32_t value_at(const struct go_table *t, uint64_t offset, uint64_t start, uint64_t pc)
{
	struct walk w;
	bool there = walk_start(t, offset, start, &w);
	while (there && w.to <= pc)
		there = walk_next(&w);
	return there ? w.value : -1;
}

static bool file_of(const struct go_table *t, const uint8_t *func, size_t func_n, uint32_t number, struct go_place *ret)
{
	uint64_t at;
	if (t->units_at) {
		if (func_n < UNIT + 4)
			return false;
		at = t->units_at + 4 * (load_number(func + UNIT, 4, t->big) + number);
	} else { /* behind the index is the offset of the file table, whose first number is the number of files */
		uint64_t files = t->index_at + (2 * t->functions + 1) * t->entry;
		if (t->n - files < 4)
			return false;
		at = load_number(t->data + files, 4, t->big) + 4 * (uint64_t)number;
	}
	if (at >= t->n || t->n - at < 4)
		return false;
	ret->file = string_at(t, t->files_at, load_number(t->data + at, 4, t->big), &ret->file_n);
	return ret->file;
}

/* Sets *ret to the index of the function that contains `pc`. Returns false if no function does. */
static bool find_function(const struct go_table *t, uint64_t pc, uint64_t *ret)
{
	uint64_t from = 0, to = t->functions;
	while (to - from > 1) {
		uint64_t mid = from + (to - from) / 2;
		if (addr_at(t, mid) <= pc)
			from = mid;
		else
			to = mid;
	}
	*ret = from;
	return addr_at(t, from) <= pc && pc < addr_at(t, from + 1);
}

bool go_table_line(const struct go_table *t, uint64_t pc, struct go_place *ret)
{
	uint64_t i;
	size_t n;
	const uint8_t *func = find_function(t, pc, &i) ? function_at(t, i, &n) : NULL;
	if (!func || n < LINE_VALUES + 4)
		return false;
	int32_t file = value_at(t, load_number(func + FILE_VALUES, 4, t->big), addr_at(t, i), pc);
	int32_t line = value_at(t, load_number(func + LINE_VALUES, 4, t->big), addr_at(t, i), pc);
	ret->line = (uint32_t)line;
	return line > 0 && file >= 0 && file_of(t, func, n, (uint32_t)file, ret);
}

/* Returns the address of the function's first instruction that is not inlined from another function; `start`:
 * unknown. */
static uint64_t own_pc(const struct go_table *t, const uint8_t *func, size_t n, uint64_t start)
{
	enum { INLINED = 2 }; /* index of the value table with the inlined function of each instruction */
	const size_t tables = t->says_start ? 40 : 36, at = tables + 4 * (size_t)INLINED;
	struct walk w;
	/* Go 1.2 to 1.15 number the value tables differently */
	if (!t->units_at || n < at + 4 || load_number(func + TABLES, 4, t->big) <= INLINED ||
	    !walk_start(t, load_number(func + at, 4, t->big), start, &w))
		return start;
	while (walk_next(&w))
		if (w.value < 0)
			return w.from;
	return start;
}

bool go_table_declared(const struct go_table *t, uint64_t start, struct go_place *ret)
{
	uint64_t i;
	size_t n;
	const uint8_t *func = find_function(t, start, &i) && addr_at(t, i) == start ? function_at(t, i, &n) : NULL;
	if (!func || !go_table_line(t, own_pc(t, func, n, start), ret))
		return false;
	uint32_t line = t->says_start && n >= START + 4 ? (uint32_t)load_number(func + START, 4, t->big) : 0;
	if (line && line <= INT32_MAX)
		ret->line = line;
	return true;
}
