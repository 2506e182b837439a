/* Properties of every screen from 1x1 on, after any sequence of keys. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- every size ------------------------------------------------------------------------ */

static void check_layout(struct fixture *f, int rows, int cols)
{
	struct layout l;
	int owner[64] = {0}, panes = 0;
	layout_for(&f->st, &f->w->in, rows, cols, &l);
	assert_in_range(l.trust, 0, rows - 1);
	const int single[] = {l.title, l.events, l.summary, l.trust, l.footer};
	for (size_t i = 0; i < ARRAY_LEN(single); i++) {
		assert_true(single[i] < rows);
		if (single[i] >= 0)
			owner[single[i]]++;
	}
	for (int i = 0; l.strip >= 0 && i < l.strip_rows; i++)
		owner[l.strip + i]++;
	for (int v = 0; v < f->st.views_n; v++) {
		for (int i = 0; i < l.views[v].rows; i++)
			owner[l.views[v].row + i]++;
		panes += l.views[v].rows > 0;
	}
	for (int r = 0; r < 64; r++)
		assert_true(owner[r] <= (r < rows));
	assert_true(rows < 2 || panes >= 1);
}

static void check_columns(const struct fixture *f, int cols)
{
	for (int p = 0; p < USUAL_PIVOTS; p++) {
		for (unsigned flags = 0; flags < 2; flags++) {
			struct columns all;
			struct placed placed[COLUMNS_MAX];
			view_columns(&f->w->in, &usual_pivots[p], &all);
			size_t n = columns_place(&all, cols, flags, placed);
			int at = 0;
			assert_true(n >= 1);
			for (size_t i = 0; i < n; i++) {
				assert_true(placed[i].width >= 1 && placed[i].x >= at);
				at = placed[i].x + placed[i].width + 1;
				assert_true(at - 1 <= cols);
			}
		}
	}
}

/* Checks that right-aligned headings end in the same cell as their values. */
static void check_alignment(struct fixture *f)
{
	struct layout l;
	struct columns all;
	struct placed placed[COLUMNS_MAX];
	layout_for(&f->st, &f->w->in, f->g->rows, f->g->cols, &l);
	for (int v = 0; v < f->st.views_n; v++) {
		const struct table_box b = table_box(l.views[v]), *box = &b;
		if (!l.views[v].rows)
			continue;
		view_columns(&f->w->in, &f->st.views[v].pivot, &all);
		size_t n = columns_place(&all, f->g->cols, 0, placed);
		for (size_t i = 0; i < n && box->heading >= 0; i++) {
			int edge = placed[i].col->right ? placed[i].x + placed[i].width - 1 : placed[i].x;
			assert_true(f->g->cells[box->heading * f->g->cols + edge].ch != ' ');
			/* a cell of the mark column may be blank */
			if (placed[i].col->id[0] != 'm' || placed[i].col->metric)
				assert_true(f->g->cells[box->first * f->g->cols + edge].ch != ' ');
			/* the gap between columns stays free */
			if (placed[i].x > 0)
				assert_int_equal(f->g->cells[box->first * f->g->cols + placed[i].x - 1].ch, ' ');
		}
	}
}

static void guarded_draw(struct fixture *f, int rows, int cols)
{
	enum { GUARD = 64 };
	size_t n = (size_t)(rows * cols);
	struct glyph *cells = calloc(n + 2 * GUARD, sizeof(*cells));
	for (size_t i = 0; i < n + 2 * GUARD; i++)
		cells[i] = (struct glyph){.ch = 0xdead, .style = 77};
	struct grid g = {.rows = rows, .cols = cols, .cells = cells + GUARD};
	view_draw(&f->st, &f->w->in, &g);
	for (size_t i = 0; i < GUARD; i++)
		assert_true(cells[i].ch == 0xdead && cells[GUARD + n + i].ch == 0xdead);
	for (size_t i = 0; i < n; i++) {
		assert_true(g.cells[i].ch != 0xdead && g.cells[i].style < STYLE_COUNT);
		assert_true(!f->st.ascii || (g.cells[i].ch >= ' ' && g.cells[i].ch < 127));
	}
	free(cells);
}

static void every_size_is_drawn(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(1, 1, 6);
	for (int rows = 1; rows <= 40; rows++) {
		for (int cols = 1; cols <= 130; cols++) {
			check_layout(f, rows, cols);
			if (rows == 1)
				check_columns(f, cols);
			/* the layout of every size is checked, but only some sizes are drawn */
			if (cols % 3 && cols > 24)
				continue;
			f->st.show_error = cols & 1;
			f->st.ascii = rows & 1;
			f->st.mode = (enum input_mode)((rows + cols) % (MODE_DELAY + 1));
			guarded_draw(f, rows, cols);
		}
	}
	fixture_destroy(f);
}

static void the_trust_line_is_always_there(void **state)
{
	(void)state;
	for (int pane = 0; pane < USUAL_PIVOTS; pane++) {
		for (int rows = 2; rows <= 40; rows++) {
			for (int cols = 10; cols <= 130; cols += 15) {
				struct fixture *f = fixture_create(rows, cols, 4);
				for (int i = 0; i < pane; i++)
					fixture_press(f, KEY_CYC_TAB);
				assert_true(fixture_screen_has(f, "PMU cpu"));
				if (cols >= 60)
					check_alignment(f);
				fixture_destroy(f);
			}
		}
	}
}

static void many_cpus_fit_any_strip(void **state)
{
	(void)state;
	static const unsigned cpus[] = {1, 2, 3, 7, 8, 16, 63, 64, 65, 128, 200, 256, 512, 1024};
	for (size_t i = 0; i < ARRAY_LEN(cpus); i++) {
		struct fixture *f = fixture_create(40, 120, cpus[i]);
		for (int cols = 1; cols < 220; cols += 7) {
			for (int rows = 14; rows < 60; rows += 9) {
				struct layout l;
				layout_for(&f->st, &f->w->in, rows, cols, &l);
				assert_true(l.strip_rows <= 4);
				guarded_draw(f, rows, cols);
			}
		}
		fixture_destroy(f);
	}
}

/* ---- random keys -------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	uint64_t x = *state;
	x ^= x >> 33;
	return x * 0xff51afd7ed558ccdull >> 20;
}

static struct input_event random_event(uint64_t *seed, const struct grid *g)
{
	uint64_t r = next_random(seed);
	struct input_event ev = {.key = 0};
	switch (r % 5) {
	case 0: /* a key with a binding */
	case 1:
		ev.key = binding_at(&screen_keys, next_random(seed) % 40)->keys[0];
		break;
	case 2:
		ev.key = (uint32_t)(next_random(seed) % 128);
		break;
	case 3:
		ev.key = (uint32_t)(KEY_CYC_BASE + next_random(seed) % 40);
		break;
	default:
		ev.key = KEY_CYC_MOUSE;
	}
	if (ev.key == KEY_CYC_MOUSE) {
		ev.row = (int)(next_random(seed) % (uint64_t)(g->rows + 4)) - 2;
		ev.col = (int)(next_random(seed) % (uint64_t)(g->cols + 4)) - 2;
		ev.wheel_up = next_random(seed) % 4 == 0;
		ev.wheel_down = next_random(seed) % 4 == 0;
		ev.double_click = next_random(seed) % 4 == 0;
	}
	return ev;
}

static void check_state(struct fixture *f)
{
	for (int i = 0; i < f->st.views_n; i++) {
		const struct view *v = &f->st.views[i];
		const struct pivot *t = f->w->in.snap ? snapshot_pivot(&f->w->snap, &v->pivot) : NULL;
		assert_true(v->ops->place != PLACE_PANE || !t || v->cursor < t->n || v->cursor == 0 ||
			    i != f->st.focus);
		assert_true(strlen(v->filter) < sizeof(v->filter) && strlen(v->sort) < sizeof(v->sort));
	}
	assert_in_range(f->st.focus, 0, f->st.views_n - 1);
	assert_int_equal(focused(&f->st)->ops->place, PLACE_PANE);
	assert_in_range(panes_n(&f->st), 1, VIEWS_MAX);
	assert_in_range(f->st.zooms_n, 0, DIM_COUNT - 1);
	assert_in_range(f->st.delay_ns, 100000000u, 3600000000000u);
	assert_false(f->st.query.hide_kernel && f->st.query.hide_user);
}

/* A hash of the data, to check that no key changes them. */
static uint64_t fingerprint(const struct server_world *w)
{
	const unsigned char *p = (const unsigned char *)w->sums;
	uint64_t h = 1469598103934665603ull;
	size_t n = (SERVER_SYMS + 1 + SERVER_TASKS + w->snap.cpus_n) * sizeof(*w->sums);
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 1099511628211ull;
	p = (const unsigned char *)w->symbol_rows;
	for (size_t i = 0; i < sizeof(w->symbol_rows) + sizeof(w->task_rows); i++)
		h = (h ^ p[i]) * 1099511628211ull;
	return h;
}

static void walk(uint64_t seed, int rows, int cols, int kind)
{
	struct fixture *f = fixture_create(rows, cols, kind == 3 ? 300 : 5);
	if (kind == 1)
		server_world_clock_only(f->w);
	if (kind == 2)
		f->w->pivots[BY_SYMBOL].n = f->w->pivots[BY_PID].n = 0;
	if (kind == 4)
		f->w->in.snap = NULL;
	if (kind == 5) {
		f->w->info.scope = SCOPE_PROC;
		f->w->info.events_n = f->w->snap.events_n = 0;
	}
	f->st.ascii = seed & 1;
	for (int i = 0; i < 200; i++) {
		uint64_t before = fingerprint(f->w);
		fixture_event(f, random_event(&seed, f->g));
		assert_true(fingerprint(f->w) == before);
		check_state(f);
		if (kind == 0 && i % 40 == 39)
			server_world_jitter(f->w, (unsigned)i);
		if (i % 60 == 59) { /* resize */
			grid_destroy(f->g);
			f->g = grid_create((int)(1 + next_random(&seed) % 40), (int)(1 + next_random(&seed) % 130));
		}
	}
	fixture_destroy(f);
}

static void any_keys_in_any_order_are_survived(void **state)
{
	(void)state;
	static const int sizes[][2] = {{1, 1}, {2, 3}, {5, 20}, {10, 40}, {15, 60}, {24, 80}, {35, 120}, {60, 200}};
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		for (int kind = 0; kind < 6; kind++) {
			for (uint64_t seed = 1; seed <= 3; seed++)
				walk(seed * 1000 + s, sizes[s][0], sizes[s][1], kind);
		}
	}
}

/* ---- output to the terminal
 * ---------------------------------------------------------------------- */

/* Estimates the bytes of an update of the terminal: a cursor movement for each run of changed cells,
 * a sequence for each change of style, and the characters. */
static size_t difference_bytes(const struct grid *a, const struct grid *b)
{
	size_t bytes = 0;
	for (int r = 0; r < a->rows; r++) {
		int last = -100, style = -1;
		for (int c = 0; c < a->cols; c++) {
			const struct glyph *x = &a->cells[r * a->cols + c], *y = &b->cells[r * b->cols + c];
			if (x->ch == y->ch && x->style == y->style)
				continue;
			bytes += c - last > 6 ? 7 : (size_t)(c - last - 1);
			bytes += y->style != style ? 6 : 0;
			bytes += y->ch < 0x80 ? 1 : 3;
			style = y->style;
			last = c;
		}
	}
	return bytes;
}

static void a_steady_screen_costs_little(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(35, 120, 8);
	struct grid *before = grid_create(35, 120);
	server_world_jitter(f->w, 1);
	view_draw(&f->st, &f->w->in, before);
	size_t sum = 0;
	for (unsigned seed = 2; seed < 22; seed++) {
		server_world_jitter(f->w, seed); /* all values change by up to 5 % */
		view_draw(&f->st, &f->w->in, f->g);
		sum += difference_bytes(before, f->g);
		memcpy(before->cells, f->g->cells, sizeof(*before->cells) * 35 * 120);
	}
	if (sum / 20 >= 2000)
		fail_msg("%zu bytes per refresh", sum / 20);
	print_message("%zu bytes per refresh, everything changing by some percent\n", sum / 20);
	grid_destroy(before);
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_is_drawn),		cmocka_unit_test(the_trust_line_is_always_there),
		cmocka_unit_test(many_cpus_fit_any_strip),	cmocka_unit_test(any_keys_in_any_order_are_survived),
		cmocka_unit_test(a_steady_screen_costs_little),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
