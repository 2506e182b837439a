/* Room view: characters, names, columns, sheets, trust line, help. */
#include "../lib/fake_world.h"
#include "../lib/grid_text.h"
#include "../lib/server_world.h"
#include "view/screen.h"

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
	/* a wide character that does not fit completely is left out */
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
	grid_put(g, 0, 3, 2, STYLE_NORMAL, "\xe4\xb8\xad"); /* overwrites the left half of the third character */
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
		size_t n = unicode_encode(ch, buf);
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
	assert_short("memcpy", 3, "memcpy"); /* cannot be shortened; the caller cuts it off */
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
			/* a name that cannot be shortened well is unchanged, but the result is
			 * never longer */
			assert_true(text_width(got) <= text_width(names[i]));
		}
	}
	for (int width = 1; width < 60; width++)
		text_shorten(huge, width, buf, sizeof(buf));
}

/* ---- columns ------------------------------------------------------------------------ */

static void columns_are_those_the_session_can_fill(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(2);
	struct columns cols;
	view_columns(&w->in, &usual_pivots[BY_SYMBOL], &cols);
	assert_string_equal(cols.v[0].title, "CYC%");
	assert_non_null(view_column_find(&cols, "ipc"));
	assert_non_null(view_column_find(&cols, "cache-miss-ratio"));
	assert_non_null(view_column_find(&cols, "mpki"));
	assert_null(view_column_find(&cols, "branch-miss-ratio"));
	assert_null(view_column_find(&cols, "no such column"));
	assert_null(view_column_find(&cols, NULL));
	view_columns(&w->in, &usual_pivots[BY_PID], &cols);
	assert_non_null(view_column_find(&cols, "threads"));
	assert_null(view_column_find(&cols, "tid"));
	assert_non_null(view_column_find(&cols, "user"));
	w->info.has_owners = false; /* a recording */
	view_columns(&w->in, &usual_pivots[BY_PID], &cols);
	assert_null(view_column_find(&cols, "user"));
	view_columns(&w->in, &(struct pivot_query){.dims = {DIM_USER}, .dims_n = 1}, &cols);
	assert_non_null(view_column_find(&cols, "user"));
	view_columns(&w->in, &(struct pivot_query){.dims = {DIM_TID}, .dims_n = 1}, &cols);
	assert_null(view_column_find(&cols, "threads"));
	assert_non_null(view_column_find(&cols, "tid"));
	view_columns(&w->in, &usual_pivots[BY_CPU], &cols);
	assert_non_null(view_column_find(&cols, "cache-misses"));
	assert_non_null(view_column_find(&cols, "ghz"));
	w->info.events[3].available = false;
	view_columns(&w->in, &usual_pivots[BY_CPU], &cols);
	assert_null(view_column_find(&cols, "cache-misses"));
	assert_null(view_column_find(&cols, "mpki"));
	w->info.scope = SCOPE_SYSTEM_USER; /* there is no GHZ column, because kernel cycles are not counted */
	view_columns(&w->in, &usual_pivots[BY_CPU], &cols);
	assert_null(view_column_find(&cols, "ghz"));
	server_world_clock_only(w);
	view_columns(&w->in, &usual_pivots[BY_SYMBOL], &cols);
	assert_string_equal(cols.v[0].title, "SHARE%");
	assert_null(view_column_find(&cols, "ipc"));
	server_world_destroy(w);
}

/* An event that is in no ratio has a column in every table. */
static void events_without_a_ratio_have_columns(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(2);
	struct columns cols;
	strcpy(w->info.events[3].spec.name, "page-faults");
	w->info.events[3].spec.role = w->roles[3] = ROLE_OTHER;
	for (size_t p = 0; p < USUAL_PIVOTS; p++) {
		view_columns(&w->in, &usual_pivots[p], &cols);
		assert_non_null(view_column_find(&cols, "page-faults"));
	}
	view_columns(&w->in, &usual_pivots[BY_SYMBOL], &cols);
	assert_null(view_column_find(&cols, "instructions")); /* part of IPC, so without a column */
	server_world_destroy(w);
}

static void the_table_of_columns_is_sound(void **state)
{
	(void)state;
	for (int p = 0; p < USUAL_PIVOTS; p++) {
		struct columns cols;
		int flexible = 0;
		view_columns(NULL, &usual_pivots[p], &cols);
		assert_in_range(cols.n, 3, COLUMNS_MAX);
		for (size_t i = 0; i < cols.n; i++) {
			const struct column *col = &cols.v[i];
			assert_non_null(col->value);
			assert_true(col->id && col->id[0] && col->title[0]);
			assert_ptr_equal(view_column_find(&cols, col->id), col); /* ids are unique */
			assert_in_range(col->min, 1, 40);
			assert_true(col->width == 0 || col->min <= col->width);
			/* room for the arrow of the sort column */
			assert_true(!col->right || strlen(col->title) < col->width);
			flexible += col->width == 0;
		}
		assert_in_range(flexible, 0, 2);
		assert_non_null(view_column_find(
			&cols,
			column_default_sort(&(struct view_input){.info = &(struct source_info){.events_n = 1,
											       .scope = SCOPE_SYSTEM}},
					    &usual_pivots[p])));
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
	for (int p = 0; p < USUAL_PIVOTS; p++) {
		struct columns cols;
		struct placed placed[COLUMNS_MAX];
		view_columns(&w->in, &usual_pivots[p], &cols);
		assert_true(cols.n <= COLUMNS_MAX);
		assert_true(columns_place(&cols, 10000, 0, placed) == cols.n);
	}
	server_world_destroy(w);
}

/* ---- sheets --------------------------------------------------------------------------- */

static int class_of(const struct row *row, const struct cell *c, int pane)
{
	if (row->idle && pane != BY_CPU)
		return 3;
	if (c->kind == CELL_ABSENT)
		return 2;
	return c->kind == CELL_RATIO && !ratio_supported(c->r);
}

static double number_of(const struct cell *c)
{
	return c->kind == CELL_U64 ? (double)c->u : c->kind == CELL_RATIO ? c->r.value : c->v;
}

/* Checks that the sheet has each row once, in order: first supported values, ties ordered by
 * share, then by row id. */
static void check_order(const struct view_input *in, const struct column *col, int pane, bool reverse)
{
	struct sheet_query q = {.pivot = &in->snap->pivots[pane], .sort = col->id, .reverse = reverse};
	struct sheet *s = sheet_create(in, &q);
	assert_int_equal(s->n, in->snap->pivots[pane].n);
	for (size_t i = 1; i < s->n; i++) {
		struct cell a = col->value(in, col, s->rows[i - 1]), b = col->value(in, col, s->rows[i]);
		int ca = class_of(s->rows[i - 1], &a, pane), cb = class_of(s->rows[i], &b, pane);
		uint64_t ia = s->rows[i - 1]->id, ib = s->rows[i]->id;
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
		double sa = s->rows[i - 1]->share_valid ? s->rows[i - 1]->share : 0;
		double sb = s->rows[i]->share_valid ? s->rows[i]->share : 0;
		if (order == 0)
			assert_true(sa > sb || (sa == sb && ia < ib));
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
		for (int p = 0; p < USUAL_PIVOTS; p++) {
			struct columns cols;
			view_columns(inputs[i], &usual_pivots[p], &cols);
			for (size_t c = 0; c < cols.n; c++) {
				check_order(inputs[i], &cols.v[c], p, false);
				check_order(inputs[i], &cols.v[c], p, true);
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
	struct sheet_query q = {.pivot = &w->pivots[BY_PID], .sort = "threads"}; /* this column has many equal values */
	struct sheet *before = sheet_create(&w->in, &q);
	uint64_t ids[SERVER_TASKS];
	for (size_t i = 0; i < before->n; i++)
		ids[i] = before->rows[i]->id;
	for (size_t i = 0; i < SERVER_TASKS / 2; i++) {
		struct row tmp = w->task_rows[i];
		w->task_rows[i] = w->task_rows[SERVER_TASKS - 1 - i];
		w->task_rows[SERVER_TASKS - 1 - i] = tmp;
	}
	struct sheet *after = sheet_create(&w->in, &q);
	for (size_t i = 0; i < after->n; i++)
		assert_int_equal(after->rows[i]->id, ids[i]);
	sheet_destroy(before);
	sheet_destroy(after);
	server_world_destroy(w);
}

static void identities_are_distinct_and_never_zero(void **state)
{
	(void)state;
	struct server_world *w = server_world_create(4);
	for (int p = 0; p < USUAL_PIVOTS; p++) {
		const struct pivot *t = &w->snap.pivots[p];
		for (size_t i = 0; i < t->n; i++) {
			assert_true(t->rows[i].id != 0);
			for (size_t k = 0; k < i; k++)
				assert_true(t->rows[i].id != t->rows[k].id);
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
		struct sheet_query q = {.pivot = &w->pivots[BY_SYMBOL], .sort = sorts[i]};
		struct sheet *s = sheet_create(&w->in, &q);
		assert_int_equal(s->rows[0]->sym, 0);
		assert_true(s->rows[s->n - 1]->idle);
		sheet_destroy(s);
	}
	server_world_destroy(w);
}

static size_t rows_with(const struct view_input *in, int pane, const char *filter)
{
	struct sheet_query q = {.pivot = &in->snap->pivots[pane], .filter = filter};
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
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, NULL), all);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, ""), all);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "|"), all);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "malloc"), 1);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "MALLOC|"), 1); /* while one types "malloc|..." */
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "malloc|Strlen"), 2);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "|strlen||malloc|"), 2);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "libssl"), 0);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "libcrypto"), 2); /* a DSO's name */
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "(idle)"), 1);
	assert_int_equal(rows_with(&w->in, BY_SYMBOL, "reading"), 1); /* the text on the screen is also found */
	assert_int_equal(rows_with(&w->in, BY_PID, "postgres"), 2);
	assert_int_equal(rows_with(&w->in, BY_PID, "2073"), 1); /* a pid */
	assert_int_equal(rows_with(&w->in, BY_PID, "www-data"), 1);
	assert_int_equal(rows_with(&w->in, BY_CPU, "11"), 1);
	assert_int_equal(rows_with(&w->in, BY_CPU, "1"), 3); /* 1, 10, 11 */
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
	view_state_deinit(&st);
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
	assert_string_equal(buf, "PMU cpu | user+kernel | mux 62% | lost 0.3% | throttled 0.2% | unnamed 2.9% | "
				 "reading 2.0% | sampled 97% | self 0.6%");
	trust_line(&w->in, tiny, sizeof(tiny));
	assert_string_equal(tiny, "PMU cpu ");
	w->snap.events[0].throttled = 0;
	w->snap.trust = (struct trust){.running = 1, .lost_share = 0.00001, .lost = 1, .self = 1.5};
	trust_line(&w->in, buf, sizeof(buf));
	assert_string_equal(buf, "PMU cpu | user+kernel | no mux | lost <0.1% | throttled 0% | unnamed 0% | self 150%");
	w->in.snap = NULL;
	w->info.scope = SCOPE_OWN_USER;
	strcpy(w->info.short_notice, "paranoid 3");
	trust_line(&w->in, buf, sizeof(buf));
	assert_string_equal(buf, "PMU cpu | own processes, user only | paranoid 3");
	for (int e = 0; e < SERVER_EVENTS; e++) {
		w->info.events[e].available = false;
		memset(w->info.events[e].spec.name, 'x', sizeof(w->info.events[e].spec.name) - 1);
	}
	trust_line(&w->in, buf, sizeof(buf)); /* too small for an item, which is cut off */
	assert_non_null(strstr(buf, "without xxx"));
	server_world_destroy(w);
}

/* Playback ends with a whole interval, which may end after the last record; the position shown
 * does not. */
static void a_position_is_never_behind_the_end(void **state)
{
	(void)state;
	struct view_state st = {.play = {.speed = 1}};
	const struct source_info info = {.playable = true};
	struct view_input in = {.info = &info, .play_at_ns = 46000000000u, .play_of_ns = 42000000000u};
	char buf[64];
	play_text(&st, &in, buf, sizeof(buf));
	assert_string_equal(buf, "42.0 s of 42.0 s  end of recording");
	in.play_at_ns = 2000000000;
	play_text(&st, &in, buf, sizeof(buf));
	assert_string_equal(buf, "2.0 s of 42.0 s");
	in.play_of_ns = 4200000000000u;
	play_text(&st, &in, buf, sizeof(buf));
	assert_string_equal(buf, "0:02 of 1:10:00");
	st.play.speed = 0; /* all of it is shown */
	play_text(&st, &in, buf, sizeof(buf));
	assert_string_equal(buf, "1:10:00");
	st.play.speed = 1;
	in.play_of_ns = 0; /* a pipe, whose length is unknown */
	play_text(&st, &in, buf, sizeof(buf));
	assert_string_equal(buf, "0:02");
}

static void the_help_has_all_keys_and_columns(void **state)
{
	(void)state;
	char *text = help_text(&screen_keys);
	const struct binding *a, *b;
	for (size_t i = 0; (a = binding_at(&screen_keys, i)); i++) {
		assert_non_null(strstr(text, a->help));
		assert_true((a->run || a->opens || a->asks) && a->keys[0] != 0);
		/* no key is bound twice */
		for (size_t k = 0; k < ARRAY_LEN(a->keys) && a->keys[k]; k++) {
			for (size_t j = 0; j < i && (b = binding_at(&screen_keys, j)); j++) {
				for (size_t m = 0; m < ARRAY_LEN(b->keys); m++)
					assert_true(a->keys[k] != b->keys[m]);
			}
		}
	}
	for (size_t m = 0; m < metrics_builtin.n; m++)
		assert_non_null(strstr(text, metrics_builtin.v[m].help));
	for (size_t i = 0; i < screen_words_n; i++)
		assert_non_null(strstr(text, screen_words[i].help));
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
		cmocka_unit_test(columns_are_those_the_session_can_fill),
		cmocka_unit_test(events_without_a_ratio_have_columns),
		cmocka_unit_test(the_table_of_columns_is_sound),
		cmocka_unit_test(a_session_of_all_events_has_room),
		cmocka_unit_test(every_column_sorts_both_ways),
		cmocka_unit_test(the_order_of_the_input_does_not_matter),
		cmocka_unit_test(identities_are_distinct_and_never_zero),
		cmocka_unit_test(unknown_sort_columns_mean_the_default),
		cmocka_unit_test(filters_keep_rows_with_a_text),
		cmocka_unit_test(names_are_made_for_what_is_shown_only),
		cmocka_unit_test(the_trust_line_says_it_in_order),
		cmocka_unit_test(a_position_is_never_behind_the_end),
		cmocka_unit_test(the_help_has_all_keys_and_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
