/* What symbol tables say of the functions of a comparison's rows. */
#include "base/alloc.h"
#include "base/strbuf.h"

#include <cyctop/diff.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { INTERVALS = 10, ROWS = 4 };
static const enum dimension_id dims[] = {DIM_COMM, DIM_DSO, DIM_SYMBOL};
static const char *const sides[DIFF_SIDES] = {"BEFORE", "AFTER"};

/* A side with functions of /srv/app, by what they mean: `names` has NULL behind the last one. */
static struct diff_table *make_side(const char *const *names)
{
	double seconds[INTERVALS], series[INTERVALS];
	static const struct pmu_sibling alone[EVENTS_MAX];
	static const struct row_sums sums = {.n = 1};
	for (int i = 0; i < INTERVALS; i++)
		seconds[i] = 1, series[i] = 1000;
	struct diff_table *t = diff_table_empty(&(struct diff_shape){
		.dims = dims,
		.dims_n = ARRAY_LEN(dims),
		.events_n = 1,
		.intervals_n = INTERVALS,
		.seconds = seconds,
		.siblings = alone,
		.sums = &sums,
	});
	for (; *names; names++) {
		const struct key_value row[] = {{.kind = KEY_TEXT, .text = "comm"},
						{.kind = KEY_TEXT, .text = "app"},
						{.kind = KEY_TEXT, .text = *names}};
		diff_table_add(t, diff_table_row(t, row), 0, INTERVALS * 50, series);
	}
	return t;
}

static struct diff *make(const char *const *before, const char *const *after)
{
	struct diff_table *tables[] = {make_side(before), make_side(after)};
	struct diff *d = diff_create(tables[0], tables[1],
				     &(struct diff_config){.unit = DIFF_UNIT_SHARE, .fdr = 0.05, .min_change = 0.01});
	diff_table_destroy(tables[0]);
	diff_table_destroy(tables[1]);
	return d;
}

static void tell(struct diff *d, enum diff_side side, const char *path, const char *const *names)
{
	assert_true(diff_add_file(d, side, path, true));
	for (; *names; names++)
		diff_add_function(d, side, path, *names);
}

static const struct diff_row *row_of(const struct diff *d, const char *symbol)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(diff_row_name(d, &d->rows[i], DIM_SYMBOL), symbol) == 0)
			return &d->rows[i];
	fail_msg("there is no row %s", symbol);
	return NULL;
}

/* The sentence; "": there is nothing to say. */
static const char *said(const struct diff *d, const char *symbol, char *buf, size_t cap)
{
	struct strbuf b = {0};
	bool any = diff_fate_add(row_of(d, symbol), sides, &b);
	snprintf(buf, cap, "%s", any ? b.data : "");
	strbuf_deinit(&b);
	return buf;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void what_a_file_does_not_name_is_gone_and_what_it_names_was_not_sampled(void **state)
{
	(void)state;
	char buf[512];
	struct diff *d = make(NAMES("stays", "inlined", "idle"), NAMES("stays", "outlined", "other"));
	for (size_t i = 0; i < d->n; i++)
		assert_int_equal(diff_fate(&d->rows[i]), FATE_UNKNOWN); /* no table is at hand */
	tell(d, DIFF_BEFORE, "/srv/app", NAMES("stays", "inlined", "idle", "other"));
	assert_int_equal(diff_fate(row_of(d, "inlined")), FATE_UNKNOWN); /* that of the other side is not */
	assert_int_equal(diff_fate(row_of(d, "outlined")), FATE_CAME);
	tell(d, DIFF_AFTER, "/new/app (deleted)", NAMES("stays", "idle", "outlined", "other"));
	assert_int_equal(diff_fate(row_of(d, "stays")), FATE_SAME);
	assert_int_equal(diff_fate(row_of(d, "inlined")), FATE_GONE);
	assert_int_equal(diff_fate(row_of(d, "idle")), FATE_UNSAMPLED);
	assert_int_equal(diff_fate(row_of(d, "other")), FATE_UNSAMPLED);
	assert_string_equal(said(d, "stays", buf, sizeof(buf)), "");
	assert_non_null(strstr(said(d, "inlined", buf, sizeof(buf)), "the AFTER file names no such function: it was "));
	assert_non_null(strstr(said(d, "outlined", buf, sizeof(buf)), "the BEFORE file names no such function: it "));
	assert_true(row_of(d, "idle")->value.change.real);
	assert_string_equal(said(d, "idle", buf, sizeof(buf)), "the AFTER file has it, but it was not sampled there");
	diff_destroy(d);
}

/* A stripped file names only what others may call. */
static void nothing_is_said_of_a_file_without_all_names(void **state)
{
	(void)state;
	struct diff *d = make(NAMES("f", "g"), NAMES("f"));
	assert_true(diff_add_file(d, DIFF_AFTER, "/srv/app", false));
	assert_int_equal(diff_fate(row_of(d, "g")), FATE_UNKNOWN);
	tell(d, DIFF_AFTER, "/opt/app", NAMES("f")); /* another file of that name has them */
	assert_int_equal(diff_fate(row_of(d, "g")), FATE_UNKNOWN);
	assert_false(diff_add_file(d, DIFF_AFTER, "/lib/libz.so.1.2", true)); /* no row is of it */
	diff_destroy(d);
}

static void pieces_and_copies_are_told_whatever_their_numbers(void **state)
{
	(void)state;
	char buf[512];
	const char *const rows[] = {"split", "joined", "other", "same", "ns::f(int)", NULL};
	struct diff *d = make(rows, rows);
	tell(d, DIFF_BEFORE, "app",
	     NAMES("split", "joined", "joined.part.0", "joined.part.0.cold", "other.isra.0", "same.part.0", "same",
		   "same.lto_priv.7", "ns::f(int) [clone .cold]", "ns::f(int)"));
	tell(d, DIFF_AFTER, "app",
	     NAMES("split.part.3", "split", "split.cold", "split.part.9", "joined", "other.constprop.0", "same.part.5",
		   "same.lto_priv.0", "ns::f(int)"));
	assert_int_equal(diff_fate(row_of(d, "split")), FATE_SPLIT);
	assert_string_equal(said(d, "split", buf, sizeof(buf)),
			    "BEFORE: split; AFTER: split, split.cold, split.part.3; the compiler split or copied it");
	assert_int_equal(diff_fate(row_of(d, "joined")), FATE_JOINED);
	assert_int_equal(diff_fate(row_of(d, "other")), FATE_OTHER);
	assert_int_equal(diff_fate(row_of(d, "same")), FATE_SAME);
	assert_int_equal(diff_fate(row_of(d, "ns::f(int)")), FATE_JOINED);
	diff_destroy(d);
}

/* More pieces than are kept are not compared. */
static void many_pieces_are_bounded(void **state)
{
	(void)state;
	static const char *const parts[] = {".isra.0", ".constprop.0", ".part.0", ".cold"};
	struct diff *d = make(NAMES("f"), NAMES("f"));
	tell(d, DIFF_BEFORE, "app", NAMES("f"));
	assert_true(diff_add_file(d, DIFF_AFTER, "app", true));
	for (size_t i = 0; i < 64; i++) {
		char name[80];
		snprintf(name, sizeof(name), "f%s%s%s", parts[i % 4], parts[i / 4 % 4], parts[i / 16]);
		diff_add_function(d, DIFF_AFTER, "app", name);
	}
	assert_int_equal(row_of(d, "f")->function->pieces_n[DIFF_AFTER], DIFF_PIECES_MAX);
	assert_int_equal(diff_fate(row_of(d, "f")), FATE_UNKNOWN);
	diff_destroy(d);
}

/* Every raw name of the function has the text. */
static void names_that_cannot_be_it_need_not_be_demangled(void **state)
{
	(void)state;
	static const struct {
		const char *symbol, *raw, *part; /* raw NULL: `symbol` is raw */
	} cases[] = {
		{"memcpy", "memcpy", "memcpy"},
		{"ns::parse(int)", "_ZN2ns5parseEi", "parse"},
		{"core::fmt::write", "_ZN4core3fmt5write17h0123456789abcdefE", "write"},
		{"ns::A::A(int)", "_ZN2ns1AC1Ei", ""},
		{"std::string::string()", "_ZNSsC1Ev", ""},
		{"ns::A::~A()", "_ZN2ns1AD1Ev", ""},
		{"ns::A::operator()(int)", "_ZN2ns1AclEi", ""},
		{"void ns::f<int>(int)", "_ZN2ns1fIiEEvT_", ""},
		{"f::{lambda()#1}::run()", "_ZZ1fENKUlvE_3runEv", ""},
		{"std.stdio.write", "_D3std5stdio5writeFZv", ""},
		{"", "", ""},
		{"_ZN4core3fmt5writeE", NULL, "_ZN4core3fmt5write"},
		{"parse", NULL, "parse"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char part[64];
		diff_function_part(cases[i].symbol, cases[i].raw != NULL, part, sizeof(part));
		assert_string_equal(part, cases[i].part);
		assert_true(!cases[i].raw || strstr(cases[i].raw, part));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_file_does_not_name_is_gone_and_what_it_names_was_not_sampled),
		cmocka_unit_test(nothing_is_said_of_a_file_without_all_names),
		cmocka_unit_test(pieces_and_copies_are_told_whatever_their_numbers),
		cmocka_unit_test(many_pieces_are_bounded),
		cmocka_unit_test(names_that_cannot_be_it_need_not_be_demangled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
