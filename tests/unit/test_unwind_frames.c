/* Bounds of functions from hand-made unwind tables: every class, byte order and pointer
 * encoding, and damaged tables. */
#include <cyctop/unwind.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TABLE_AT = 0x5000, INDEX_AT = 0x4000, CODE_AT = 0x1000 };

struct maker {
	uint8_t data[2048];
	size_t n;
	bool wide, big;
};

static void put(struct maker *m, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->data[m->n + i] = (uint8_t)(v >> 8 * (m->big ? n - 1 - i : i));
	m->n += n;
}

static size_t size_of(const struct maker *m, uint8_t how)
{
	static const size_t sizes[16] = {[2] = 2, [3] = 4, [4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8};
	return how & 0xf ? sizes[how & 0xf] : m->wide ? 8 : 4;
}

static void put_pointer(struct maker *m, uint8_t how, uint64_t v, uint64_t at)
{
	put(m, (how & 0x70) == 0x10 ? v - (at + m->n) : (how & 0x70) == 0x30 ? v - INDEX_AT : v, size_of(m, how));
}

/* Fills in the length of the entry that begins at `from`. */
static void end_entry(struct maker *m, size_t from, bool long_length)
{
	size_t end = m->n, head = long_length ? 12 : 4;
	m->n = from;
	if (long_length)
		put(m, UINT32_MAX, 4);
	put(m, end - from - head, long_length ? 8 : 4);
	m->n = end;
}

static size_t put_cie(struct maker *m, unsigned version, const char *letters, uint8_t how)
{
	size_t from = m->n;
	m->n += 4;
	put(m, 0, 4);
	put(m, version, 1);
	for (size_t i = 0; i <= strlen(letters); i++)
		put(m, (uint8_t)letters[i], 1);
	if (version == 4)
		put(m, 0x0800, 2);
	if (strcmp(letters, "eh") == 0)
		put(m, 0x1234, m->wide ? 8 : 4);
	put(m, 1, 1);
	put(m, 0x78, 1);
	put(m, 16, 1);
	if (letters[0] == 'z') {
		size_t length_at = m->n++;
		for (const char *l = letters + 1; *l; l++) {
			if (*l == 'P') {
				put(m, 0x9b, 1);
				put(m, 77, 4);
			} else if (*l == 'L') {
				put(m, 0x1b, 1);
			} else if (*l == 'R') {
				put(m, how, 1);
			}
		}
		m->data[length_at] = (uint8_t)(m->n - length_at - 1);
	}
	put(m, 0, 3);
	end_entry(m, from, false);
	return from;
}

static size_t put_fde(struct maker *m, size_t cie, uint8_t how, uint64_t start, uint64_t size, bool long_length)
{
	size_t from = m->n;
	m->n += long_length ? 12 : 4;
	put(m, m->n - cie, 4);
	put_pointer(m, how, start, TABLE_AT);
	put(m, size, size_of(m, how));
	put(m, 0, 1);
	end_entry(m, from, long_length);
	return from;
}

struct seen {
	uint64_t start[32], size[32];
	size_t n;
};

static void see(void *ctx, const struct frames_function *f)
{
	struct seen *s = ctx;
	assert_true(s->n < 32);
	s->start[s->n] = f->start;
	s->size[s->n++] = f->size;
}

/* Reads the tables from buffers of exactly their size, so that the sanitizer detects a read
 * beyond the end. */
static bool frames(const struct maker *m, const struct maker *index, bool to_terminator, struct seen *ret)
{
	uint8_t *table = malloc(m->n + 1), *head = malloc(index ? index->n + 1 : 1);
	assert_non_null(table);
	assert_non_null(head);
	uint8_t *exact = table + 1, *exact_head = head + 1;
	memcpy(exact, m->data, m->n);
	struct frames f = {
		.table = {exact, m->n, TABLE_AT},
		.to_terminator = to_terminator,
		.wide = m->wide,
		.big = m->big,
	};
	if (index) {
		memcpy(exact_head, index->data, index->n);
		f.index = (struct frames_bytes){exact_head, index->n, INDEX_AT};
	}
	*ret = (struct seen){0};
	bool whole = frames_read(&f, see, ret);
	free(table);
	free(head);
	return whole;
}

static void every_pointer_encoding_of_every_class(void **state)
{
	(void)state;
	static const uint8_t hows[] = {0x00, 0x02, 0x03, 0x04, 0x0a, 0x0b, 0x0c, 0x10, 0x14, 0x1a, 0x1b, 0x1c};
	static const char *const letters[] = {"zR", "zPLR", "zRS", "zLRB", "zR"};
	for (size_t i = 0; i < 4 * ARRAY_LEN(hows); i++) {
		uint8_t how = hows[i / 4];
		if (!(i & 1) && size_of(&(struct maker){0}, how) == 8)
			continue;
		struct maker m = {.wide = i & 1, .big = i & 2};
		size_t cie = put_cie(&m, i % 3 == 2 ? 4 : i % 3 ? 3 : 1, letters[i % 5], how);
		put_fde(&m, cie, how, CODE_AT, 0x80, false);
		put_fde(&m, cie, how, CODE_AT + 0x80, 0x7f, true);
		put_fde(&m, cie, how, 0, how & 0x70 ? 0 : 0x10, false); /* removed by the linker */
		put(&m, 0, 4);
		struct seen s;
		assert_true(frames(&m, NULL, true, &s));
		assert_int_equal(s.n, 2);
		assert_int_equal(s.start[0], CODE_AT);
		assert_int_equal(s.size[0], 0x80);
		assert_int_equal(s.start[1], CODE_AT + 0x80);
		assert_int_equal(s.size[1], 0x7f);
	}
}

static void without_letters_and_of_old(void **state)
{
	(void)state;
	for (int kind = 0; kind < 8; kind++) {
		struct maker m = {.wide = kind & 1, .big = kind & 2};
		put_fde(&m, put_cie(&m, 1, kind & 4 ? "eh" : "", 0), 0, CODE_AT, 0x40, false);
		struct seen s;
		assert_true(frames(&m, NULL, false, &s));
		assert_int_equal(s.n, 1);
		assert_int_equal(s.start[0], CODE_AT);
		assert_int_equal(s.size[0], 0x40);
	}
}

static void unsupported_entries_are_skipped(void **state)
{
	(void)state;
	static const struct {
		const char *letters;
		uint8_t how;
	} cases[] = {{"zR", 0x9b}, {"zR", 0x2b},  {"zR", 0x3b},
		     {"zR", 0x50}, {"zR", 0xff},  {"zR", 0x05},
		     {"xR", 0x1b}, {"z?R", 0x1b}, {"zSSSSSSSSSSSSSSSSSSR", 0x1b}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct maker m = {.wide = true};
		size_t odd = put_cie(&m, 1, cases[i].letters, cases[i].how);
		size_t good = put_cie(&m, 1, "zR", 0x1b);
		put_fde(&m, odd, 0x1b, CODE_AT, 0x40, false);
		put_fde(&m, good, 0x1b, CODE_AT + 0x40, 0x40, false);
		struct seen s;
		assert_false(frames(&m, NULL, false, &s));
		assert_int_equal(s.n, 1);
		assert_int_equal(s.start[0], CODE_AT + 0x40);
	}
}

static void a_terminator_in_the_middle(void **state)
{
	(void)state;
	struct maker m = {.wide = true};
	size_t cie = put_cie(&m, 1, "zR", 0x1b);
	put_fde(&m, cie, 0x1b, CODE_AT, 0x40, false);
	put(&m, 0, 4);
	put_fde(&m, cie, 0x1b, CODE_AT + 0x40, 0x40, false);
	struct seen s;
	assert_true(frames(&m, NULL, true, &s));
	assert_int_equal(s.n, 1);
	assert_true(frames(&m, NULL, false, &s));
	assert_int_equal(s.n, 2);
}

/* ---- the index ---------------------------------------------------------------------- */

static void make_index(struct maker *m, const struct maker *table, uint8_t how, const size_t *fdes, size_t n)
{
	*m = (struct maker){.wide = table->wide, .big = table->big};
	put(m, 1, 1);
	put(m, 0x1b, 1);
	put(m, 0x03, 1);
	put(m, how, 1);
	put_pointer(m, 0x1b, TABLE_AT, INDEX_AT);
	put(m, n, 4);
	for (size_t i = 0; i < n; i++) {
		put_pointer(m, how, CODE_AT + 0x40 * i, INDEX_AT);
		put_pointer(m, how, TABLE_AT + fdes[i], INDEX_AT);
	}
}

static void functions_found_through_the_index(void **state)
{
	(void)state;
	for (int kind = 0; kind < 8; kind++) {
		uint8_t how = kind & 4 ? 0x00 : 0x3b;
		struct maker m = {.wide = kind & 1, .big = kind & 2}, index;
		size_t cie = put_cie(&m, 1, "zR", 0x1b), fdes[2];
		/* Bytes between the entries are not an entry; the index skips them. */
		fdes[0] = put_fde(&m, cie, 0x1b, CODE_AT, 0x30, false);
		put(&m, 0xfffffff5, 4);
		fdes[1] = put_fde(&m, cie, 0x1b, CODE_AT + 0x40, 0x38, false);
		make_index(&index, &m, how, fdes, 2);
		struct seen s;
		assert_true(frames(&m, &index, false, &s));
		assert_int_equal(s.n, 2);
		assert_int_equal(s.start[1], CODE_AT + 0x40);
		assert_int_equal(s.size[1], 0x38);
		struct frames f = {.index = {index.data, index.n, INDEX_AT}, .wide = m.wide, .big = m.big};
		uint64_t addr = 0;
		assert_true(frames_table_addr(&f, &addr));
		assert_int_equal(addr, TABLE_AT);
	}
}

static void a_damaged_index_is_not_needed(void **state)
{
	(void)state;
	struct maker m = {.wide = true}, index;
	size_t cie = put_cie(&m, 1, "zR", 0x1b), fdes[2];
	fdes[0] = put_fde(&m, cie, 0x1b, CODE_AT, 0x40, false);
	fdes[1] = put_fde(&m, cie, 0x1b, CODE_AT + 0x40, 0x40, false);
	make_index(&index, &m, 0x3b, fdes, 2);
	for (size_t i = 0; i < index.n; i++) {
		struct maker broken = index;
		broken.data[i] ^= 0x41;
		struct seen s;
		frames(&m, &broken, false, &s);
		bool both = false;
		for (size_t k = 0; k < s.n; k++)
			both |= s.start[k] == CODE_AT + 0x40 && s.size[k] == 0x40;
		/* bytes 8 to 11 are the number of rows, and a smaller number is believed */
		assert_true(both || (i >= 8 && i < 12));
	}
	struct seen s;
	for (size_t n = 0; n < index.n; n++) {
		struct maker cut = index;
		cut.n = n;
		assert_true(frames(&m, &cut, false, &s));
		assert_true(s.n >= 2);
	}
}

/* ---- damage --------------------------------------------------------------------------- */

static void damaged_tables_are_survived(void **state)
{
	(void)state;
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	for (int kind = 0; kind < 4; kind++) {
		struct maker m = {.wide = kind & 1, .big = kind & 2}, index;
		size_t cie = put_cie(&m, 1, "zPLR", 0x1b), fdes[2];
		fdes[0] = put_fde(&m, cie, 0x1b, CODE_AT, 0x40, false);
		fdes[1] = put_fde(&m, cie, 0x1b, CODE_AT + 0x40, 0x40, true);
		make_index(&index, &m, 0x3b, fdes, 2);
		struct seen s;
		for (size_t n = 0; n < m.n; n++) {
			struct maker cut = m;
			cut.n = n;
			frames(&cut, NULL, n & 1, &s);
			frames(&cut, &index, n & 1, &s);
			for (size_t v = 0; v < ARRAY_LEN(values); v++) {
				struct maker broken = m;
				broken.data[n] = values[v];
				frames(&broken, NULL, false, &s);
				frames(&broken, &index, true, &s);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pointer_encoding_of_every_class),
		cmocka_unit_test(without_letters_and_of_old),
		cmocka_unit_test(unsupported_entries_are_skipped),
		cmocka_unit_test(a_terminator_in_the_middle),
		cmocka_unit_test(functions_found_through_the_index),
		cmocka_unit_test(a_damaged_index_is_not_needed),
		cmocka_unit_test(damaged_tables_are_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
