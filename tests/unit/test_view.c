/* The parts of room view: characters, cells, names, columns, sheets. */
#include "../lib/fake_world.h"
#include "../lib/server_world.h"
#include "view/internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *put_and_text(int cols, int col, int width, const char *text)
{
	struct grid *g = grid_create(1, cols);
	grid_put(g, 0, col, width, STYLE_NORMAL, text);
	char *out = grid_text(g);
	grid_destroy(g);
	return out;
}

static void assert_put(int cols, int col, int width, const char *text, const char *want)
{
	char *out = put_and_text(cols, col, width, text);
	out[strcspn(out, "\n")] = '\0';
	assert_string_equal(out, want);
	free(out);
}

static void hostile_text_becomes_question_marks(void **state)
{
	(void)state;
	assert_put(20, 0, 20, "a\033[2Jb", "a?[2Jb");
	assert_put(20, 0, 20, "a\nb\tc\177d", "a?b?c?d");
	assert_put(20, 0, 20, "x\xff\xc3(y",
		   "x?"
		   "?(y");
	assert_put(20, 0, 20, "\xc2\x9b", "?");		     /* CSI as one C1 character */
	assert_put(20, 0, 20, "\xc0\xaf|", "??|");	     /* overlong '/' */
	assert_put(20, 0, 20, "\xed\xa0\x80|", "?|");	     /* a surrogate */
	assert_put(20, 0, 20, "\xf4\x90\x80\x80|", "?|");    /* above U+10FFFF */
	assert_put(20, 0, 20, "a\xe2\x80\xaez", "a?z");	     /* bidi override */
	assert_put(20, 0, 20, "e\xcc\x81z", "e?z");	     /* combining accent */
	assert_put(20, 0, 20, "\xe2\x82", "??");	     /* cut short */
	assert_put(20, 0, 20, "caf\xc3\xa9", "caf\xc3\xa9"); /* harmless */
}

static void text_is_clipped_to_its_place(void **state)
{
	(void)state;
	assert_put(5, 0, 20, "abcdefgh", "abcde");
	assert_put(10, 2, 3, "abcdefgh", "  abc");
	assert_put(5, 5, 3, "abc", "");
	assert_put(5, -1, 3, "abc", "");
	assert_put(5, 0, 0, "abc", "");
	assert_put(5, 0, -3, "abc", "");
	assert_put(5, 4, INT32_MAX, "abc", "    a");
	/* A wide character that would stick out is left out. */
	assert_put(3, 0, 3, "ab\xe4\xb8\xad", "ab");
	assert_put(4, 0, 4, "ab\xe4\xb8\xad", "ab\xe4\xb8\xad");
}

static void no_half_of_a_wide_character_stays(void **state)
{
	(void)state;
	struct grid *g = grid_create(1, 6);
	assert_int_equal(grid_put(g, 0, 0, 6, STYLE_NORMAL, "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"), 6);
	assert_int_equal(g->cells[0].ch, 0x4e2d);
	assert_int_equal(g->cells[1].ch, 0);
	grid_put(g, 0, 1, 1, STYLE_NORMAL, "x");
	assert_int_equal(g->cells[0].ch, ' ');
	assert_int_equal(g->cells[1].ch, 'x');
	grid_put(g, 0, 2, 1, STYLE_NORMAL, "y");
	assert_int_equal(g->cells[3].ch, ' ');
	grid_put(g, 0, 3, 2, STYLE_NORMAL, "\xe4\xb8\xad"); /* over the left half of the third */
	assert_int_equal(g->cells[3].ch, 0x4e2d);
	assert_int_equal(g->cells[4].ch, 0);
	assert_int_equal(g->cells[5].ch, ' ');
	grid_destroy(g);
}

static void every_character_survives_the_round_trip(void **state)
{
	(void)state;
	for (uint32_t ch = ' '; ch < 0x110000; ch++) {
		char buf[5] = {0};
		const char *p = buf;
		size_t n = text_encode(ch, buf);
		uint32_t back = text_next(&p);
		assert_true(back == ch || back == '?');
		if (back == ch)
			assert_int_equal(p - buf, n);
	}
}

static void assert_short(const char *name, int width, const char *want)
{
	char buf[512];
	const char *got = text_shorten(name, width, buf, sizeof(buf));
	if (strcmp(got, want) != 0)
		fail_msg("%s in %d cells: %s, not %s", name, width, got, want);
}

static void long_names_keep_the_function(void **state)
{
	(void)state;
	assert_short("memcpy", 3, "memcpy"); /* nothing to shorten: the caller cuts it */
	assert_short("f<int>(char)", 12, "f<int>(char)");
	assert_short("f<int>(char)", 11, "f<…>(char)");
	assert_short("f<int>(char)", 10, "f<…>(char)");
	assert_short("f<int>(char)", 9, "f<…>(…)");
	assert_short("f<int>(char)", 8, "f<…>(…)");
	assert_short("f<int>(char)", 7, "f<…>(…)");
	assert_short("std::map<A<B>, C>::find(K const&)", 24, "std::map<…>::find(…)");
	assert_short("ns::operator<<(ns::stream&, int)", 22, "ns::operator<<(…)");
	assert_short("ns::Ptr<T>::operator->() const", 28, "…Ptr<T>::operator->() const");
	assert_short("<a::Vec<T> as b::Drop>::drop", 12, "<…>::drop");
	assert_short("a::very::deep::function", 12, "…function");
	assert_short("a::very::deep::function", 16, "…deep::function");
	assert_short("broken<template", 8, "broken<template");
	assert_short("less>than", 5, "less>than");
	assert_short("f(caf\xc3\xa9 x)", 7, "f(…)");
}

static void long_names_fit_at_any_width(void **state)
{
	(void)state;
	static const char *const names[] = {
		"void std::__introsort_loop<__gnu_cxx::__normal_iterator<unsigned long*, std::vector<unsigned long> >, "
		"long, "
		"__gnu_cxx::__ops::_Iter_less_iter>(unsigned long*, long)",
		"<alloc::vec::Vec<T,A> as core::iter::traits::collect::Extend<T>>::extend",
		"a<b<c<d>>>::e<f>(g(h), i<j>)::{lambda(int)#1}::operator()(int) const",
		"operator<",
		"a->b<",
		"(((",
		"<<>>",
		"f<\xff\xfe>",
		"::",
		"a::",
		"",
	};
	char huge[8000], buf[64];
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	memcpy(huge + 100, "<", 1);
	memcpy(huge + 7900, ">::f", 4);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		for (int width = 0; width < 160; width++) {
			const char *got = text_shorten(names[i], width, buf, sizeof(buf));
			assert_true(got == names[i] || (got == buf && strlen(buf) < sizeof(buf)));
			/* What it cannot do well it leaves to the caller, but never longer. */
			assert_true(text_width(got) <= text_width(names[i]));
		}
	}
	for (int width = 1; width < 60; width++)
		text_shorten(huge, width, buf, sizeof(buf));
}

static void assert_format(const struct metric *m, struct cell cell, unsigned flags, const char *want)
{
	struct column col = {.id = "x", .metric = m};
	char buf[64];
	cell_format(&col, &cell, flags, buf, sizeof(buf));
	assert_string_equal(buf, want);
}

static void cells_say_what_is_known(void **state)
{
	(void)state;
	const struct metric *ipc = &metrics[0], *miss = &metrics[1];
	struct cell c = {.kind = CELL_RATIO, .r = {1.234, 0.05, true}};
	assert_format(ipc, c, 0, "1.23");
	assert_format(ipc, c, CELL_WITH_ERROR, "1.23±0.05");
	assert_format(ipc, c, CELL_WITH_ERROR | CELL_ASCII, "1.23+-0.05");
	c.r.error = 0.3;
	assert_format(ipc, c, 0, "~1.23");
	assert_format(ipc, c, CELL_WITH_ERROR, "~1.23±0.30");
	c.r.value = 0.1234;
	c.r.error = 0.01;
	assert_format(miss, c, 0, "12.3");
	assert_format(miss, c, CELL_WITH_ERROR, "12.3±1.0");
	c.r.valid = false;
	assert_format(ipc, c, CELL_WITH_ERROR, "-");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {NAN, 0, true}}, 0, "-");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {INFINITY, 0, true}}, 0, "-");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {123456, 0, true}}, 0, "123k");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {100.04, 0, true}}, 0, "100.0");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {99.994, 0, true}}, 0, "100.0");
	assert_format(NULL, (struct cell){.kind = CELL_ABSENT}, 0, "-");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 0.4123}, 0, "41.2");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 1}, 0, "100.0");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = NAN}, 0, "-");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 15.998}, 0, "1600");
	assert_format(NULL, (struct cell){.kind = CELL_U64, .u = 999999}, 0, "999999");
	assert_format(NULL, (struct cell){.kind = CELL_U64, .u = UINT64_MAX}, 0, "18.4E");
	assert_format(NULL, (struct cell){.kind = CELL_RATE, .v = 12.3e9}, 0, "12.3G");
	assert_format(NULL, (struct cell){.kind = CELL_TEXT, .s = "x"}, 0, "x");
	assert_format(NULL, (struct cell){.kind = CELL_MARK, .s = ""}, 0, "");
}

static void numbers_stay_in_their_columns(void **state)
{
	(void)state;
	for (int e = -40; e < 80; e++) {
		double v = 1.2345678 * pow(2, e);
		char buf[64];
		struct column col = {.id = "x", .metric = &metrics[0]};
		struct cell cell = {.kind = CELL_RATIO, .r = {v, v, true}};
		cell_format(&col, &cell, 0, buf, sizeof(buf));
		assert_in_range(strlen(buf), 1, 6);
		cell_format(&col, &cell, CELL_WITH_ERROR, buf, sizeof(buf));
		assert_in_range(text_width(buf), 1, 12);
		cell = (struct cell){.kind = CELL_PERCENT, .v = v};
		cell_format(&col, &cell, 0, buf, sizeof(buf));
		assert_in_range(strlen(buf), 1, 6);
	}
}

/* ---- columns ------------------------------------------------------------------------ */

static void columns_are_those_the_session_can_fill(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(2);
	struct columns cols;
	view_columns(PANE_SYMBOLS, &w->in, &cols);
	assert_string_equal(cols.v[0].title, "CYC%");
	assert_non_null(view_column_find(&cols, "ipc"));
	assert_non_null(view_column_find(&cols, "cache-miss-ratio"));
	assert_non_null(view_column_find(&cols, "mpki"));
	assert_null(view_column_find(&cols, "branch-miss-ratio"));
	assert_null(view_column_find(&cols, "no such column"));
	assert_null(view_column_find(&cols, NULL));
	view_columns(PANE_TASKS, &w->in, &cols);
	assert_non_null(view_column_find(&cols, "threads"));
	assert_null(view_column_find(&cols, "tid"));
	w->in.by_thread = true;
	view_columns(PANE_TASKS, &w->in, &cols);
	assert_null(view_column_find(&cols, "threads"));
	assert_non_null(view_column_find(&cols, "tid"));
	view_columns(PANE_CPUS, &w->in, &cols);
	assert_non_null(view_column_find(&cols, "cache-misses"));
	assert_non_null(view_column_find(&cols, "ghz"));
	w->info.events[3].available = false;
	view_columns(PANE_CPUS, &w->in, &cols);
	assert_null(view_column_find(&cols, "cache-misses"));
	assert_null(view_column_find(&cols, "mpki"));
	w->info.scope = SCOPE_SYSTEM_USER; /* then cycles are not all cycles */
	view_columns(PANE_CPUS, &w->in, &cols);
	assert_null(view_column_find(&cols, "ghz"));
	server_world_clock_only(w);
	view_columns(PANE_SYMBOLS, &w->in, &cols);
	assert_string_equal(cols.v[0].title, "TIME%");
	assert_null(view_column_find(&cols, "ipc"));
	server_world_destroy(w);
}

static void the_table_of_columns_is_sound(void **state)
{
	(void)state;
	for (int p = 0; p < PANE_COUNT; p++) {
		struct columns cols;
		int flexible = 0;
		view_columns((enum pane)p, NULL, &cols);
		assert_in_range(cols.n, 3, COLUMNS_MAX);
		for (size_t i = 0; i < cols.n; i++) {
			const struct column *col = &cols.v[i];
			assert_non_null(col->value);
			assert_true(col->id && col->id[0] && col->title[0]);
			assert_ptr_equal(view_column_find(&cols, col->id), col); /* no id twice */
			assert_in_range(col->min, 1, 40);
			assert_true(col->width == 0 || col->min <= col->width);
			assert_true(!col->right || strlen(col->title) < col->width); /* the arrow's cell */
			flexible += col->width == 0;
		}
		assert_in_range(flexible, 0, 1);
		assert_non_null(view_column_find(
			&cols,
			column_default_sort((enum pane)p,
					    &(struct view_input){.info = &(struct source_info){
									 .events_n = 1, .scope = SCOPE_SYSTEM}})));
	}
}

static void a_session_of_all_events_has_room(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(1);
	w->info.events_n = EVENTS_MAX;
	for (int e = 0; e < EVENTS_MAX; e++) {
		snprintf(w->info.events[e].spec.name, sizeof(w->info.events[e].spec.name),
			 "an-event-with-a-long-name-%d", e);
		w->info.events[e].available = true;
		w->roles[e] = (enum event_role)(e % ROLE_COUNT);
	}
	for (int p = 0; p < PANE_COUNT; p++) {
		struct columns cols;
		struct placed placed[COLUMNS_MAX];
		view_columns((enum pane)p, &w->in, &cols);
		assert_true(cols.n <= COLUMNS_MAX);
		assert_true(columns_place(&cols, 10000, 0, placed) == cols.n);
	}
	server_world_destroy(w);
}

/* ---- sheets --------------------------------------------------------------------------- */

static int class_of(const struct row *row, const struct cell *c, enum pane pane)
{
	if (row->idle && pane != PANE_CPUS)
		return 3;
	if (c->kind == CELL_ABSENT)
		return 2;
	return c->kind == CELL_RATIO && !ratio_supported(c->r);
}

static double number_of(const struct cell *c)
{
	return c->kind == CELL_U64 ? (double)c->u : c->kind == CELL_RATIO ? c->r.value : c->v;
}

/* Every row comes once; sound values first, in order; ties by identity. */
static void check_order(const struct view_input *in, const struct column *col, enum pane pane, bool reverse)
{
	struct sheet_query q = {.pane = pane, .sort = col->id, .reverse = reverse};
	struct sheet *s = sheet_create(in, &q);
	assert_int_equal(s->n, pane_table(pane, in->snap)->n);
	for (size_t i = 1; i < s->n; i++) {
		struct cell a = col->value(in, col, s->rows[i - 1]), b = col->value(in, col, s->rows[i]);
		int ca = class_of(s->rows[i - 1], &a, pane), cb = class_of(s->rows[i], &b, pane);
		uint64_t ia = sheet_row_id(pane, s->rows[i - 1]), ib = sheet_row_id(pane, s->rows[i]);
		assert_true(ca <= cb);
		if (ca != cb)
			continue;
		int order = 0;
		if (ca <= 1 && a.s && b.s)
			order = strcasecmp(a.s, b.s) ? strcasecmp(a.s, b.s) : strcmp(a.s, b.s);
		else if (ca <= 1 && !a.s && !b.s)
			order = (number_of(&a) > number_of(&b)) - (number_of(&a) < number_of(&b));
		else if (ca <= 1)
			continue;
		bool up = col->ascending != reverse;
		assert_true(up ? order <= 0 : order >= 0);
		if (order == 0)
			assert_true(ia < ib);
	}
	sheet_destroy(s);
}

static void every_column_sorts_both_ways(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(9);
	struct fake_world *f = fake_world_create();
	const struct view_input *inputs[] = {&w->in, &f->in};
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		for (int p = 0; p < PANE_COUNT; p++) {
			struct columns cols;
			view_columns((enum pane)p, inputs[i], &cols);
			for (size_t c = 0; c < cols.n; c++) {
				check_order(inputs[i], &cols.v[c], (enum pane)p, false);
				check_order(inputs[i], &cols.v[c], (enum pane)p, true);
			}
		}
	}
	fake_world_destroy(f);
	server_world_destroy(w);
}

static void the_order_of_the_input_does_not_matter(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(4);
	struct sheet_query q = {.pane = PANE_TASKS, .sort = "threads"}; /* many ties */
	struct sheet *before = sheet_create(&w->in, &q);
	uint64_t ids[SERVER_TASKS];
	for (size_t i = 0; i < before->n; i++)
		ids[i] = sheet_row_id(PANE_TASKS, before->rows[i]);
	for (size_t i = 0; i < SERVER_TASKS / 2; i++) {
		struct row tmp = w->task_rows[i];
		w->task_rows[i] = w->task_rows[SERVER_TASKS - 1 - i];
		w->task_rows[SERVER_TASKS - 1 - i] = tmp;
	}
	struct sheet *after = sheet_create(&w->in, &q);
	for (size_t i = 0; i < after->n; i++)
		assert_int_equal(sheet_row_id(PANE_TASKS, after->rows[i]), ids[i]);
	sheet_destroy(before);
	sheet_destroy(after);
	server_world_destroy(w);
}

static void identities_are_distinct_and_never_zero(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(4);
	for (int p = 0; p < PANE_COUNT; p++) {
		const struct table *t = pane_table((enum pane)p, &w->snap);
		for (size_t i = 0; i < t->n; i++) {
			assert_true(sheet_row_id((enum pane)p, &t->rows[i]) != 0);
			for (size_t k = 0; k < i; k++)
				assert_true(sheet_row_id((enum pane)p, &t->rows[i]) !=
					    sheet_row_id((enum pane)p, &t->rows[k]));
		}
	}
	server_world_destroy(w);
}

static void unknown_sort_columns_mean_the_default(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(4);
	static const char *const sorts[] = {NULL, "", "no-such-column", "share"};
	for (size_t i = 0; i < ARRAY_LEN(sorts); i++) {
		struct sheet_query q = {.pane = PANE_SYMBOLS, .sort = sorts[i]};
		struct sheet *s = sheet_create(&w->in, &q);
		assert_int_equal(s->rows[0]->sym, 0);
		assert_true(s->rows[s->n - 1]->idle);
		sheet_destroy(s);
	}
	server_world_destroy(w);
}

static size_t rows_with(const struct view_input *in, enum pane pane, const char *filter)
{
	struct sheet_query q = {.pane = pane, .filter = filter};
	struct sheet *s = sheet_create(in, &q);
	size_t n = s->n;
	sheet_destroy(s);
	return n;
}

static void filters_keep_rows_with_a_text(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(12);
	size_t all = SERVER_SYMS + 1;
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, NULL), all);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, ""), all);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "|"), all);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "malloc"), 1);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "MALLOC|"), 1); /* as one types "malloc|..." */
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "malloc|Strlen"), 2);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "|strlen||malloc|"), 2);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "libssl"), 0);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "libcrypto"), 2); /* a DSO's name */
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "(idle)"), 1);
	assert_int_equal(rows_with(&w->in, PANE_SYMBOLS, "reading"), 1); /* what is shown is what is found */
	assert_int_equal(rows_with(&w->in, PANE_TASKS, "postgres"), 2);
	assert_int_equal(rows_with(&w->in, PANE_TASKS, "2073"), 1); /* a pid */
	assert_int_equal(rows_with(&w->in, PANE_TASKS, "www-data"), 1);
	assert_int_equal(rows_with(&w->in, PANE_CPUS, "11"), 1);
	assert_int_equal(rows_with(&w->in, PANE_CPUS, "1"), 3); /* 1, 10, 11 */
	server_world_destroy(w);
}

static void names_are_made_for_what_is_shown_only(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(4);
	struct view_state st;
	struct grid *g = grid_create(24, 80);
	view_state_init(&st, &w->in);
	view_draw(&st, &w->in, g);
	assert_in_range(w->pretty_calls, 1, 24);
	grid_destroy(g);
	server_world_destroy(w);
}

/* ---- trust -------------------------------------------------------------------------------- */

static void the_trust_line_says_it_in_order(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(4);
	char buf[512], tiny[9];
	trust_line(&w->in, buf, sizeof(buf));
	assert_string_equal(buf,
			    "PMU cpu | user+kernel | mux 62% | lost 0.3% | throttled 2 | unresolved 2.9% | reading "
			    "2.0% | explains 97% | self 0.6%");
	trust_line(&w->in, tiny, sizeof(tiny));
	assert_string_equal(tiny, "PMU cpu ");
	w->snap.trust = (struct trust){.running = 1, .lost_share = 0.00001, .lost = 1, .self = 1.5};
	trust_line(&w->in, buf, sizeof(buf));
	assert_string_equal(buf,
			    "PMU cpu | user+kernel | no mux | lost <0.1% | throttled 0 | unresolved 0% | self 150%");
	w->in.snap = NULL;
	w->info.scope = SCOPE_OWN_USER;
	strcpy(w->info.short_notice, "paranoid 3");
	trust_line(&w->in, buf, sizeof(buf));
	assert_string_equal(buf, "PMU cpu | own processes, user only | paranoid 3");
	for (int e = 0; e < SERVER_EVENTS; e++) {
		w->info.events[e].available = false;
		memset(w->info.events[e].spec.name, 'x', sizeof(w->info.events[e].spec.name) - 1);
	}
	trust_line(&w->in, buf, sizeof(buf)); /* too long for an item: cut */
	assert_non_null(strstr(buf, "without xxx"));
	server_world_destroy(w);
}

static void the_help_has_all_keys_and_columns(void **state)
{
	(void)state;
	char *text = help_text();
	for (size_t i = 0; i < bindings_n; i++) {
		assert_non_null(strstr(text, bindings[i].help));
		assert_true(bindings[i].run != NULL && bindings[i].keys[0] != 0);
		/* No key twice. */
		for (size_t k = 0; k < ARRAY_LEN(bindings[i].keys) && bindings[i].keys[k]; k++) {
			for (size_t j = 0; j < i; j++) {
				for (size_t m = 0; m < ARRAY_LEN(bindings[j].keys); m++)
					assert_true(bindings[i].keys[k] != bindings[j].keys[m]);
			}
		}
	}
	for (size_t m = 0; m < metrics_n; m++)
		assert_non_null(strstr(text, metrics[m].help));
	for (size_t i = 0; i < trust_help_n; i++)
		assert_non_null(strstr(text, trust_help[i].help));
	assert_non_null(strstr(text, "HOTTEST SYMBOL"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_text_becomes_question_marks),
		cmocka_unit_test(text_is_clipped_to_its_place),
		cmocka_unit_test(no_half_of_a_wide_character_stays),
		cmocka_unit_test(every_character_survives_the_round_trip),
		cmocka_unit_test(long_names_keep_the_function),
		cmocka_unit_test(long_names_fit_at_any_width),
		cmocka_unit_test(cells_say_what_is_known),
		cmocka_unit_test(numbers_stay_in_their_columns),
		cmocka_unit_test(columns_are_those_the_session_can_fill),
		cmocka_unit_test(the_table_of_columns_is_sound),
		cmocka_unit_test(a_session_of_all_events_has_room),
		cmocka_unit_test(every_column_sorts_both_ways),
		cmocka_unit_test(the_order_of_the_input_does_not_matter),
		cmocka_unit_test(identities_are_distinct_and_never_zero),
		cmocka_unit_test(unknown_sort_columns_mean_the_default),
		cmocka_unit_test(filters_keep_rows_with_a_text),
		cmocka_unit_test(names_are_made_for_what_is_shown_only),
		cmocka_unit_test(the_trust_line_says_it_in_order),
		cmocka_unit_test(the_help_has_all_keys_and_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
