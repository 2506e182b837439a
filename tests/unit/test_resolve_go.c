/* Go function tables made by hand, since only one Go version can be installed: each layout, byte order and
 * word size, and damaged ones.  tests/symbols/go.sh reads those of real programs. */
#include "resolve/elf/go_table.h"

#include <cyctop/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 0x401000, FUNCTIONS = 3, TABLE_MAX = 1024, FUNCTION_REST = 48 };

struct layout {
	uint32_t magic;
	bool header;   /* offsets in the header */
	bool relative; /* functions by their offset from the start of the code */
	bool says_start;
};
static const struct layout layouts[] = {
	{0xfffffffb, false, false, false}, /* Go 1.2 */
	{0xfffffffa, true, false, false},  /* Go 1.16 */
	{0xfffffff0, true, true, false},   /* Go 1.18 */
	{0xfffffff1, true, true, true},	   /* Go 1.20 */
};

static const char *const names[FUNCTIONS] = {"runtime.main", "main.(*worker).mix", "main.fold[...]"};
static const uint32_t starts[FUNCTIONS + 1] = {0, 0x40, 0x100, 0x180}; /* the last one is the end */

static const char *const files[] = {"/go/src/runtime/proc.go", "/src/u/main.go"};
/* Each function has two runs of instructions; the first one of the last function was inlined into it. */
static const struct lines {
	uint32_t at; /* where the second one begins, after the start of the function */
	int32_t files[2], lines[2];
	int32_t starts; /* line of the function itself */
} lines[FUNCTIONS] = {
	{0x10, {0, 0}, {12, 14}, 11},
	{0x80, {1, 1}, {300, 290}, 299},
	{0x08, {0, 1}, {70, 30}, 29},
};

struct maker {
	uint8_t data[TABLE_MAX];
	size_t n, word;
	bool big;
};

static void put_at(struct maker *m, size_t at, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->data[at + i] = (uint8_t)(v >> 8 * (m->big ? n - 1 - i : i));
}

static void put(struct maker *m, uint64_t v, size_t n)
{
	put_at(m, m->n, v, n);
	m->n += n;
}

static void put_header(struct maker *m, const struct layout *l)
{
	*m = (struct maker){.word = m->word, .big = m->big};
	put(m, l->magic, 4);
	put(m, 0, 2);
	put(m, 1, 1);
	put(m, m->word, 1);
	put(m, FUNCTIONS, m->word);
}

static void put_text(struct maker *m, const char *text)
{
	memcpy(m->data + m->n, text, strlen(text) + 1);
	m->n += strlen(text) + 1;
}

static void put_varint(struct maker *m, uint32_t v)
{
	for (; v > 0x7f; v >>= 7)
		put(m, (v & 0x7f) | 0x80, 1);
	put(m, v, 1);
}

/* A table of values: the value `first`, and from `at` bytes on `then`. */
static uint32_t put_values(struct maker *m, size_t values_at, int32_t first, uint32_t at, int32_t then, uint32_t end)
{
	uint32_t offset = (uint32_t)(m->n - values_at);
	int32_t by[] = {first + 1, then - first};
	uint32_t lengths[] = {at, end - at};
	for (size_t i = 0; i < ARRAY_LEN(by); i++) {
		if (!by[i] && i)
			break; /* 0 ends the table */
		put_varint(m, by[i] < 0 ? (uint32_t)-by[i] * 2 - 1 : (uint32_t)by[i] * 2);
		put_varint(m, by[1] ? lengths[i] : end);
	}
	put(m, 0, 1);
	return offset;
}

static void put_files(struct maker *m, const struct layout *l, size_t index_end, size_t numbers, uint32_t offset[2])
{
	size_t first = l->relative ? 3 : 2; /* index of the number of the units, less one */
	size_t files_at = l->header ? m->n : 0;
	for (size_t i = 0; i < 2; i++) {
		offset[i] = (uint32_t)(m->n - files_at);
		put_text(m, files[i]);
	}
	m->n += 8 - m->n % 8;
	if (!l->header) {
		put_at(m, index_end, m->n, 4);
		put(m, 3, 4);
		put(m, offset[0], 4);
		put(m, offset[1], 4);
		return;
	}
	put_at(m, numbers + first * m->word, m->n, m->word);
	put_at(m, numbers + (first + 1) * m->word, files_at, m->word);
	for (size_t i = 0; i < 4; i++)
		put(m, offset[i % 2], 4);
	put_at(m, numbers + (first + 2) * m->word, m->n, m->word);
}

/* The names, the files, the tables of values, then the table of functions, then the functions. */
static void make(struct maker *m, const struct layout *l)
{
	put_header(m, l);
	uint32_t at[FUNCTIONS], offsets[2], values[FUNCTIONS][3];
	size_t entry = l->relative ? 4 : m->word, numbers = m->n, rows = (2 * FUNCTIONS + 1) * entry;
	if (l->header)
		m->n += (l->relative ? 7 : 6) * m->word;
	size_t index = m->n; /* of Go 1.2, whose table of functions follows the header */
	if (!l->header)
		m->n += rows + 4;
	size_t names_at = l->header ? m->n : 0;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		at[i] = (uint32_t)(m->n - names_at);
		put_text(m, names[i]);
	}
	put_files(m, l, index + rows, numbers, offsets);
	size_t values_at = l->header ? m->n : 0;
	put(m, 0, 1); /* offset 0 is no table */
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct lines *k = &lines[i];
		int32_t more = l->header ? 0 : 1; /* files of Go 1.2 count from 1 */
		uint32_t end = starts[i + 1] - starts[i];
		values[i][0] = put_values(m, values_at, k->files[0] + more, k->at, k->files[1] + more, end);
		values[i][1] = put_values(m, values_at, k->lines[0], k->at, k->lines[1], end);
		values[i][2] = i == 2 ? put_values(m, values_at, 0, k->at, -1, end) : 0;
	}
	m->n += 8 - m->n % 8;
	size_t funcs_at = l->header ? m->n : 0;
	if (l->header) {
		index = m->n;
		m->n += rows;
		put_at(m, numbers + (l->relative ? 2 : 1) * m->word, names_at, m->word);
		put_at(m, numbers + (l->relative ? 6 : 5) * m->word, funcs_at, m->word);
	}
	if (l->relative)
		put_at(m, numbers + m->word, TEXT, m->word);
	uint64_t base = l->relative ? 0 : TEXT;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		put_at(m, index + 2 * i * entry, base + starts[i], entry);
		put_at(m, index + (2 * i + 1) * entry, m->n - funcs_at, entry);
		put(m, base + starts[i], entry);
		put(m, at[i], 4);
		size_t end = m->n + FUNCTION_REST;
		m->n += 12;
		put(m, values[i][0], 4);
		put(m, values[i][1], 4);
		put(m, 3, 4);			   /* further tables */
		put(m, i && l->header ? 2 : 0, 4); /* the unit's first file */
		if (l->says_start)
			put(m, (uint64_t)lines[i].starts, 4);
		m->n += 4 + 8;
		put(m, l->header ? values[i][2] : 0, 4);
		m->n = end;
	}
	put_at(m, index + 2 * FUNCTIONS * (size_t)entry, base + starts[FUNCTIONS], entry);
}

struct seen {
	size_t n;
	bool wrong;
};

static void see(void *ctx, uint64_t start, uint64_t size, const char *name, size_t name_n)
{
	struct seen *s = ctx;
	size_t i = s->n++;
	s->wrong |= i >= FUNCTIONS || start != TEXT + starts[i] || size != starts[i + 1] - starts[i] ||
		    name_n != strlen(names[i]) || memcmp(name, names[i], name_n) != 0;
}

static void each_layout_is_read(void **state)
{
	(void)state;
	for (size_t l = 0; l < ARRAY_LEN(layouts); l++)
		for (unsigned kind = 0; kind < 4; kind++) {
			struct maker m = {.word = kind & 1 ? 8 : 4, .big = kind & 2};
			make(&m, &layouts[l]);
			struct go_table t = {.data = m.data, .n = m.n, .big = m.big};
			struct seen seen = {0};
			uint64_t start, end;
			assert_true(go_table_begins(m.data, m.n, m.big));
			assert_false(go_table_begins(m.data, m.n, !m.big));
			assert_true(go_table_open(&t));
			assert_true(go_table_bounds(&t, &start, &end));
			assert_int_equal(start, TEXT);
			assert_int_equal(end, TEXT + starts[FUNCTIONS]);
			assert_true(go_table_read(&t, see, &seen));
			assert_int_equal(seen.n, FUNCTIONS);
			assert_false(seen.wrong);
		}
}

static void assert_place(const struct go_place *p, const char *file, uint32_t line)
{
	assert_int_equal(p->line, line);
	assert_int_equal(p->file_n, strlen(file));
	assert_memory_equal(p->file, file, p->file_n);
}

static void each_layout_has_places(void **state)
{
	(void)state;
	for (size_t l = 0; l < ARRAY_LEN(layouts); l++)
		for (unsigned kind = 0; kind < 4; kind++) {
			struct maker m = {.word = kind & 1 ? 8 : 4, .big = kind & 2};
			make(&m, &layouts[l]);
			struct go_table t = {.data = m.data, .n = m.n, .big = m.big};
			struct go_place p;
			assert_true(go_table_open(&t));
			for (size_t i = 0; i < FUNCTIONS; i++) {
				const struct lines *k = &lines[i];
				uint64_t start = TEXT + starts[i];
				assert_true(go_table_line(&t, start, &p));
				assert_place(&p, files[k->files[0]], (uint32_t)k->lines[0]);
				assert_true(go_table_line(&t, start + k->at - 1, &p));
				assert_place(&p, files[k->files[0]], (uint32_t)k->lines[0]);
				assert_true(go_table_line(&t, start + k->at, &p));
				assert_place(&p, files[k->files[1]], (uint32_t)k->lines[1]);
				assert_true(go_table_line(&t, TEXT + starts[i + 1] - 1, &p));
				assert_place(&p, files[k->files[1]], (uint32_t)k->lines[1]);
				/* not that of code inlined into its start, where the layout tells */
				size_t own = i == 2 && layouts[l].header;
				assert_true(go_table_declared(&t, start, &p));
				assert_place(&p, files[k->files[own]],
					     (uint32_t)(layouts[l].says_start ? k->starts : k->lines[own]));
				assert_false(go_table_declared(&t, start + 1, &p));
			}
			assert_false(go_table_line(&t, TEXT - 1, &p));
			assert_false(go_table_line(&t, TEXT + starts[FUNCTIONS], &p));
			assert_false(go_table_declared(&t, TEXT + starts[FUNCTIONS], &p));
		}
}

/* The first number of Go 1.18 that names the start of the code is the one that a relocation may set. */
static void the_start_of_the_code_is_found(void **state)
{
	(void)state;
	struct maker m = {.word = 8};
	make(&m, &layouts[2]);
	struct go_table t = {.data = m.data, .n = m.n};
	assert_true(go_table_open(&t));
	assert_int_equal(t.text, TEXT);
	enum { TEXT_AT = 8 + 2 * 8 }; /* the number of `text`, behind the header and two numbers */
	put_at(&m, TEXT_AT, 0x9000, 8);
	uint64_t start = 0, end = 0;
	assert_true(go_table_open(&t) && go_table_bounds(&t, &start, &end));
	assert_int_equal(start, 0x9000);
}

static void count(void *ctx, uint64_t start, uint64_t size, const char *name, size_t name_n)
{
	(void)start;
	struct seen *s = ctx;
	s->n++;
	s->wrong |= !size || !name_n || memchr(name, '\0', name_n);
}

/* Reads a copy of exactly `n` bytes, so that a sanitizer sees reads beyond them. */
static size_t read_copy(const struct maker *m, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	assert_non_null(copy);
	memcpy(copy, m->data, n);
	struct go_table t = {.data = copy, .n = n, .big = m->big};
	struct seen seen = {0};
	uint64_t start, end;
	if (go_table_open(&t) && go_table_bounds(&t, &start, &end)) {
		go_table_read(&t, count, &seen);
		for (size_t i = 0; i <= FUNCTIONS; i++) {
			struct go_place p;
			if (go_table_declared(&t, t.text ? t.text + starts[i] : TEXT + starts[i], &p))
				seen.wrong |= !p.line || !p.file_n || memchr(p.file, '\0', p.file_n);
			if (go_table_line(&t, end - 1 - i, &p))
				seen.wrong |= !p.line || !p.file_n || memchr(p.file, '\0', p.file_n);
		}
	}
	free(copy);
	assert_false(seen.wrong);
	return seen.n;
}

static void what_is_cut_off_is_left_out(void **state)
{
	(void)state;
	for (size_t l = 0; l < ARRAY_LEN(layouts); l++) {
		struct maker m = {.word = 8};
		make(&m, &layouts[l]);
		for (size_t n = 0; n < m.n; n++)
			assert_true(read_copy(&m, n) <= FUNCTIONS);
		assert_int_equal(read_copy(&m, m.n - FUNCTION_REST - 4), FUNCTIONS - 1); /* the last one has no name */
	}
}

static void damaged_bytes_do_no_harm(void **state)
{
	(void)state;
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	for (size_t l = 0; l < ARRAY_LEN(layouts); l++) {
		struct maker m = {.word = 8, .big = l & 1};
		make(&m, &layouts[l]);
		for (size_t i = 0; i < m.n; i++)
			for (size_t v = 0; v < ARRAY_LEN(values); v++) {
				struct maker damaged = m;
				damaged.data[i] = values[v];
				read_copy(&damaged, m.n);
			}
	}
}

static void a_damaged_function_is_said(void **state)
{
	(void)state;
	struct maker m = {.word = 8};
	make(&m, &layouts[3]);
	struct go_table t = {.data = m.data, .n = m.n};
	struct seen seen = {0};
	assert_true(go_table_open(&t));
	put_at(&m, (size_t)t.index_at + 4, 0x7fffffff, 4); /* the offset to the first function */
	assert_false(go_table_read(&t, count, &seen));
	assert_int_equal(seen.n, FUNCTIONS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_layout_is_read),
		cmocka_unit_test(each_layout_has_places),
		cmocka_unit_test(the_start_of_the_code_is_found),
		cmocka_unit_test(what_is_cut_off_is_left_out),
		cmocka_unit_test(damaged_bytes_do_no_harm),
		cmocka_unit_test(a_damaged_function_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
