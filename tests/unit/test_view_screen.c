/* Golden screens: the text of the grid, and a letter for the style of each cell.  Golden
 * sheets: the rows and cells that all outputs print.  `./dev golden view_screen` writes the
 * files; review the differences before you commit them. */
#include "../lib/grid_text.h"
#include "../lib/fake_world.h"
#include "../lib/golden.h"
#include "../lib/server_world.h"
#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char style_letters[STYLE_COUNT + 1] = ".dbtoSskgw!K#";

typedef void change_fn(struct server_world *w);

struct screen_case {
	const char *name;
	int rows, cols;
	unsigned cpus;
	const char *keys;	   /* see press() */
	change_fn *before, *after; /* functions that change the data before and after the keys */
	bool ascii, starting, keep_notice;
};

static void own_processes(struct server_world *w)
{
	w->info.scope = SCOPE_OWN_USER;
	strcpy(w->info.short_notice, "perf_event_paranoid=3");
	strcpy(w->info.notice,
	       "perf_event_paranoid is 3: only your own processes, in user space, are seen. Run cyctop as "
	       "root, or: sysctl kernel.perf_event_paranoid=-1");
}

static void some_processes(struct server_world *w)
{
	w->info.scope = SCOPE_TASKS;
	strcpy(w->info.target, "processes 4711,4712,4713,4714,4715 on CPUs 0-3");
	w->in.over = true;
}

static void proc_only(struct server_world *w)
{
	w->info.scope = SCOPE_PROC;
	w->info.pmu[0] = '\0';
	w->info.events_n = w->snap.events_n = 0;
	w->snap.pivots[BY_SYMBOL].n = 0;
	for (size_t i = 0; i < w->snap.pivots[BY_PID].n; i++)
		w->task_rows[i].share_valid = false;
	strcpy(w->info.notice, "perf_event_open is forbidden here (EPERM).");
}

static void no_misses(struct server_world *w)
{
	w->info.events[3].available = false;
	strcpy(w->info.events[3].why, "the PMU does not know it (ENOENT)");
	w->snap.events[3].state = COUNT_ABSENT;
}

static void never_counted(struct server_world *w)
{
	w->snap.events[1].state = COUNT_NEVER;
	for (unsigned c = 0; c < w->snap.cpus_n; c++)
		w->cpus[c].states[1] = COUNT_NEVER;
	w->snap.trust.running = 0;
}

static void troubled(struct server_world *w)
{
	w->snap.trust.lost_share = 0.2;
	w->snap.trust.throttles = 412;
	w->snap.trust.malformed = 3;
	w->snap.trust.unresolved = 0.41;
	w->snap.trust.explained = 0.7;
	w->snap.trust.self = 0.12;
}

static void nothing(struct server_world *w)
{
	w->snap.pivots[BY_SYMBOL].n = w->snap.pivots[BY_PID].n = 0;
}

static void offline(struct server_world *w)
{
	w->cpus[1].online = false;
	w->cpus[2].busy_known = false;
	w->cpus[3].states[1] = COUNT_NEVER;
	w->snap.busy_known = false;
}

static void short_baseline(struct server_world *w)
{
	server_world_compare(w);
	w->comparison.before_intervals = 3;
	for (int i = 0; i < 2; i++)
		w->diffs[i].summary = (struct compare_summary){0};
}

static void long_phases(struct server_world *w)
{
	server_world_compare(w);
	w->diffs[BY_SYMBOL].summary.effective = 3.2;
	w->diffs[BY_SYMBOL].summary.low_sensitivity = true;
	w->diffs[BY_SYMBOL].reference.bundles = 0;
}

/* The history has less of what ran on which CPU. */
static void fewer_by_cpu(struct server_world *w)
{
	server_world_compare(w);
	w->compared[BY_SYMBOL].by_cpu = true;
}

static void just_marked(struct server_world *w)
{
	strcpy(w->comparison.before, "12:01:10 to 12:02:10");
	w->comparison.before_intervals = 60;
	w->in.comparison = &w->comparison;
}

static void none_by_cpu(struct server_world *w)
{
	just_marked(w);
	w->comparison.lacking[w->comparison.lacking_n++] = (struct comparison_lacking){&w->pivots[BY_SYMBOL], "CPUs"};
}

static void zoom_nginx(struct server_world *w)
{
	server_world_zoom_task(w, 1);
}

static void zoom_copy_user(struct server_world *w)
{
	server_world_zoom_sym(w, 2);
}

static void made_up(struct server_world *w)
{
	w->info.kind = "synthetic";
	w->info.label = "made-up data";
}

static const char *origin_words(enum sym_origin origin)
{
	return origin == ORIGIN_UNWIND
		       ? "the bounds of a function in the unwind table (.eh_frame); its name was stripped"
	       : origin == ORIGIN_GO	     ? "the function table that the Go runtime reads (.gopclntab)"
	       : origin == ORIGIN_DEBUG_FILE ? "the symbol table of its debug file"
					     : "the symbol table of its file (.symtab)";
}

/* Gives the names of the hottest symbols several origins. */
static void origins(struct server_world *w)
{
	w->in.origin = origin_words;
	w->in.demangler = true;
	for (size_t i = 0; i < SERVER_SYMS; i++)
		if (w->syms[i].state == SYM_NAMED)
			w->syms[i].origin = ORIGIN_SYMTAB;
	w->syms[1].name = "[libcrypto.so.3+0x159e0]";
	w->syms[1].state = SYM_GROUP;
	w->syms[1].origin = ORIGIN_UNWIND;
	w->dsos[w->syms[0].dso].file = "/usr/lib/debug/.build-id/3f/a1b2c3d4e5f60718293a4b5c6d7e8f90123456.debug";
	w->syms[0].origin = ORIGIN_DEBUG_FILE;
	w->dsos[w->syms[3].dso].deleted = true;
	w->syms[5].pretty = w->syms[5].name;
	w->syms[5].name =
		"_ZSt16__introsort_loopIN9__gnu_cxx17__normal_iteratorIPmSt6vectorImSaImEEEElNS0_5__ops15_Iter_"
		"less_iterEEvT_S9_T0_T1_";
}

static const char *go_place(void *ctx, uint32_t sym)
{
	(void)ctx;
	return sym ? NULL : "/root/go/src/shop/cart.go:42";
}

static void of_go(struct server_world *w)
{
	origins(w);
	w->in.place = go_place;
	w->dsos[w->syms[0].dso].file = NULL;
	w->syms[0].origin = ORIGIN_GO;
}

static void fetching(struct server_world *w)
{
	origins(w);
	w->in.fetch = (struct view_fetch){
		.possible = true, .running = true, .dso = w->syms[1].dso, .done = 1234567, .total = 45600000};
}

static void asking(struct server_world *w)
{
	fetching(w);
	w->in.fetch.done = w->in.fetch.total = 0;
}

static const char *command_of(void *ctx, uint32_t leader)
{
	static const char *const lines[] = {
		NULL,
		"nginx: worker process",
		"postgres: 15/main: shop orders 10.0.0.7(51324) SELECT",
		"/usr/libexec/gcc/x86_64-linux-gnu/12/cc1plus -quiet -I . -D_GNU_SOURCE src/cart.cc -O2 -o /tmp/ccx.s",
		"/opt/vector/bin/vector --config /etc/vector/vector.yaml (a<b>) --threads 16",
		"postgres: 15/main: autovacuum worker",
	};
	(void)ctx;
	return leader < ARRAY_LEN(lines) ? lines[leader] : NULL;
}

static void commands(struct server_world *w)
{
	w->in.command = command_of;
}

/* Two minutes and a half, of which the end of the snapshot is 20 s ago; a quarter was not measured. */
static void past(struct server_world *w)
{
	static struct timeline_column columns[70];
	const uint64_t second = 1000000000;
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		columns[i] = (struct timeline_column){
			.measured = i >= 15,
			.busy_known = i != 40,
			.rate_known = true,
			.busy = (double)(i % 10) / 9,
			.rate = 4e9 + 1e9 * (double)(i * 7 % 10),
		};
		columns[i].metrics[0] = (struct ratio){.value = 0.2 * (double)(i % 12), .valid = i != 40};
		columns[i].metrics[1] = (struct ratio){.value = 0.01 * (double)(i % 4), .valid = true};
	}
	w->in.past = (struct view_past){
		.extent = {w->snap.end_ns - 90 * second, w->snap.end_ns + 20 * second},
		.from_ns = w->snap.end_ns - 40 * second - 20000000,
		.column_ns = second,
		.columns = columns,
		.n = ARRAY_LEN(columns),
	};
	w->in.utc_ns = 1700000000 * second;
	w->in.local_s = 3600;
}

static const struct screen_case cases[] = {
	{.name = "200x60-128cpus", .rows = 60, .cols = 200, .cpus = 128},
	{.name = "120x35", .rows = 35, .cols = 120, .cpus = 8},
	{.name = "120x35-512cpus", .rows = 35, .cols = 120, .cpus = 512, .keys = "\t\t"},
	{.name = "120x35-16cpus", .rows = 35, .cols = 120, .cpus = 16},
	{.name = "120x35-cpus", .rows = 35, .cols = 120, .cpus = 8, .keys = "\t\t"},
	{.name = "80x24", .rows = 24, .cols = 80, .cpus = 4},
	{.name = "80x24-8cpus", .rows = 24, .cols = 80, .cpus = 8},
	{.name = "80x24-tasks", .rows = 24, .cols = 80, .cpus = 4, .keys = "\t"},
	{.name = "80x24-cpus", .rows = 24, .cols = 80, .cpus = 64, .keys = "\t\t"},
	{.name = "60x15", .rows = 15, .cols = 60, .cpus = 2},
	{.name = "40x10", .rows = 10, .cols = 40, .cpus = 2},
	{.name = "20x5", .rows = 5, .cols = 20, .cpus = 2},
	{.name = "20x5-tasks", .rows = 5, .cols = 20, .cpus = 2, .keys = "\t"},
	{.name = "20x5-frozen", .rows = 5, .cols = 20, .cpus = 2, .keys = "Z^"},
	{.name = "1x1", .rows = 1, .cols = 1, .cpus = 2},
	{.name = "2x80", .rows = 2, .cols = 80, .cpus = 2},
	{.name = "help", .rows = 100, .cols = 100, .cpus = 2, .keys = "h", .before = no_misses},
	{.name = "help-40x12-scrolled", .rows = 12, .cols = 40, .cpus = 2, .keys = "h  "},
	{.name = "filter", .rows = 24, .cols = 100, .cpus = 4, .keys = "\\kernel|Postgres\n"},
	{.name = "filter-typing", .rows = 24, .cols = 80, .cpus = 4, .keys = "\\nothing like it"},
	{.name = "search-typing", .rows = 24, .cols = 80, .cpus = 4, .keys = "/malloc"},
	{.name = "search-none", .rows = 24, .cols = 80, .cpus = 4, .keys = "/no such name"},
	{.name = "delay-wrong", .rows = 24, .cols = 80, .cpus = 4, .keys = "d0.05\n"},
	{.name = "wrong-key", .rows = 24, .cols = 80, .cpus = 4, .keys = "@"},
	{.name = "compared-120x35", .rows = 35, .cols = 120, .cpus = 8, .before = server_world_compare},
	{.name = "compared-80x24", .rows = 24, .cols = 80, .cpus = 4, .before = server_world_compare},
	{.name = "compared-60x15", .rows = 15, .cols = 60, .cpus = 2, .before = server_world_compare},
	{.name = "compared-40x10", .rows = 10, .cols = 40, .cpus = 2, .before = server_world_compare},
	{.name = "compared-tasks-80x24",
	 .rows = 24,
	 .cols = 80,
	 .cpus = 4,
	 .keys = "\t",
	 .before = server_world_compare},
	{.name = "compared-why", .rows = 35, .cols = 120, .cpus = 4, .keys = "y", .before = server_world_compare},
	{.name = "compared-why-ratio",
	 .rows = 24,
	 .cols = 80,
	 .cpus = 4,
	 .keys = "yjjjjj",
	 .before = server_world_compare},
	{.name = "compared-ascii", .rows = 24, .cols = 80, .cpus = 4, .before = server_world_compare, .ascii = true},
	{.name = "compared-short", .rows = 24, .cols = 100, .cpus = 4, .before = short_baseline},
	{.name = "compared-fewer-by-cpu", .rows = 24, .cols = 100, .cpus = 4, .before = fewer_by_cpu},
	{.name = "compared-none-by-cpu", .rows = 24, .cols = 80, .cpus = 4, .before = none_by_cpu},
	{.name = "compared-phases-80x24", .rows = 24, .cols = 80, .cpus = 4, .before = long_phases},
	{.name = "compared-phases-60x15", .rows = 15, .cols = 60, .cpus = 2, .before = long_phases},
	{.name = "compared-just-marked", .rows = 24, .cols = 80, .cpus = 4, .before = just_marked},
	{.name = "zoom-task", .rows = 24, .cols = 100, .cpus = 4, .keys = "\t\n", .after = zoom_nginx},
	{.name = "zoom-symbol", .rows = 24, .cols = 100, .cpus = 4, .keys = "__\n", .after = zoom_copy_user},
	{.name = "sorted-symbol-reversed", .rows = 35, .cols = 120, .cpus = 8, .keys = "<<r^"},
	{.name = "errors", .rows = 35, .cols = 120, .cpus = 8, .keys = "e"},
	{.name = "ascii", .rows = 35, .cols = 120, .cpus = 8, .ascii = true},
	{.name = "ascii-errors-many", .rows = 24, .cols = 80, .cpus = 96, .keys = "e", .ascii = true},
	{.name = "no-pmu", .rows = 35, .cols = 120, .cpus = 4, .keys = "^", .before = server_world_clock_only},
	{.name = "no-pmu-notice",
	 .rows = 24,
	 .cols = 80,
	 .cpus = 4,
	 .before = server_world_clock_only,
	 .keep_notice = true},
	{.name = "some-processes", .rows = 12, .cols = 100, .cpus = 4, .before = some_processes},
	{.name = "own-processes", .rows = 24, .cols = 80, .cpus = 4, .keys = "^", .before = own_processes},
	{.name = "proc-only", .rows = 24, .cols = 80, .cpus = 4, .keys = "^", .before = proc_only},
	{.name = "proc-only-symbols", .rows = 24, .cols = 80, .cpus = 4, .keys = "^\t\t", .before = proc_only},
	{.name = "missing-event", .rows = 24, .cols = 120, .cpus = 4, .before = no_misses},
	{.name = "never-counted", .rows = 24, .cols = 80, .cpus = 4, .before = never_counted},
	{.name = "troubled", .rows = 24, .cols = 100, .cpus = 4, .before = troubled},
	{.name = "frozen", .rows = 35, .cols = 120, .cpus = 8, .keys = " ^"},
	{.name = "threads-total-user", .rows = 24, .cols = 100, .cpus = 4, .keys = "\tHiiK^"},
	{.name = "empty", .rows = 24, .cols = 80, .cpus = 4, .before = nothing},
	{.name = "offline", .rows = 24, .cols = 100, .cpus = 4, .keys = "\t\t", .before = offline},
	{.name = "starting", .rows = 24, .cols = 80, .cpus = 4, .starting = true},
	{.name = "made-up", .rows = 24, .cols = 80, .cpus = 4, .before = made_up},
	{.name = "why-120x35", .rows = 35, .cols = 120, .cpus = 8, .keys = "y", .before = origins},
	{.name = "why-go-100x28", .rows = 28, .cols = 100, .cpus = 4, .keys = "y", .before = of_go},
	{.name = "why-group-80x24", .rows = 24, .cols = 80, .cpus = 4, .keys = "y_", .before = origins},
	{.name = "why-deleted-80x24", .rows = 24, .cols = 80, .cpus = 4, .keys = "___y", .before = origins},
	{.name = "why-long-80x24", .rows = 24, .cols = 80, .cpus = 4, .keys = "/introsort\ny", .before = origins},
	{.name = "why-task-100x24", .rows = 24, .cols = 100, .cpus = 4, .keys = "\t_y", .before = origins},
	{.name = "why-pending-60x15", .rows = 15, .cols = 60, .cpus = 2, .keys = "y/reading\n", .before = origins},
	{.name = "why-60x15", .rows = 15, .cols = 60, .cpus = 2, .keys = "y", .before = origins},
	{.name = "why-40x10", .rows = 10, .cols = 40, .cpus = 2, .keys = "_y", .before = origins},
	{.name = "why-jit-ascii",
	 .rows = 24,
	 .cols = 80,
	 .cpus = 4,
	 .keys = "y/anon\n",
	 .before = origins,
	 .ascii = true},
	{.name = "fetching-80x24", .rows = 24, .cols = 80, .cpus = 4, .keys = "_y", .before = fetching},
	{.name = "fetching-40x10", .rows = 10, .cols = 40, .cpus = 2, .before = fetching},
	{.name = "asking-ascii", .rows = 15, .cols = 60, .cpus = 2, .before = asking, .ascii = true},
	{.name = "raw-names", .rows = 24, .cols = 120, .cpus = 4, .keys = "m^", .before = origins},
	{.name = "commands-80x24", .rows = 24, .cols = 80, .cpus = 4, .keys = "\t", .before = commands},
	{.name = "commands-160x24", .rows = 24, .cols = 160, .cpus = 4, .keys = "\t", .before = commands},
	{.name = "commands-why-160x35", .rows = 35, .cols = 160, .cpus = 4, .keys = "\t__y", .before = commands},
	{.name = "commands-threads-200x24", .rows = 24, .cols = 200, .cpus = 4, .keys = "\tH", .before = commands},
	{.name = "commands-filter-160x24",
	 .rows = 24,
	 .cols = 160,
	 .cpus = 4,
	 .keys = "\t\\autovacuum|cart.cc\n",
	 .before = commands},
	{.name = "past-120x35", .rows = 35, .cols = 120, .cpus = 8, .keys = "[^", .before = past},
	{.name = "past-80x24", .rows = 24, .cols = 80, .cpus = 4, .keys = "[", .before = past},
	{.name = "past-60x15", .rows = 15, .cols = 60, .cpus = 2, .keys = "[^", .before = past},
	{.name = "past-now-80x24", .rows = 24, .cols = 80, .cpus = 4, .before = past},
	{.name = "past-ascii", .rows = 24, .cols = 80, .cpus = 4, .keys = "[^", .before = past, .ascii = true},
	{.name = "scrolled-to-end", .rows = 24, .cols = 80, .cpus = 4, .keys = "G"},
};

/* Sends the keys of a case; '^' stands for Up and '_' for Down. */
static void press(struct server_world *w, struct view_state *st, const struct view_input *in, struct grid *g,
		  const char *keys)
{
	for (; *keys; keys++) {
		uint32_t key = *keys == '\t'   ? KEY_CYC_TAB
			       : *keys == '\n' ? KEY_CYC_ENTER
			       : *keys == 033  ? KEY_CYC_ESC
			       : *keys == '^'  ? KEY_CYC_UP
			       : *keys == '_'  ? KEY_CYC_DOWN
					       : (unsigned char)*keys;
		if (view_key(st, in, g, &(struct input_event){.key = key}) & REACT_QUERY)
			server_world_answer(w, st);
		view_draw(st, in, g);
	}
}

/* The style of each cell as a letter; normal cells at the end of a line are left out. */
static char *styles_text(const struct grid *g)
{
	char *text = calloc((size_t)g->rows, (size_t)g->cols + 2);
	size_t n = 0;
	for (int r = 0; r < g->rows; r++) {
		size_t end = n;
		for (int col = 0; col < g->cols; col++) {
			const struct glyph *cell = &g->cells[r * g->cols + col];
			text[n++] = style_letters[cell->style];
			if (cell->style != STYLE_NORMAL)
				end = n;
		}
		n = end;
		text[n++] = '\n';
	}
	text[n] = '\0';
	return text;
}

static char *render(const struct screen_case *c)
{
	struct server_world *w = server_world_create(c->cpus);
	struct view_state st;
	if (c->before)
		c->before(w);
	struct view_input in = w->in;
	if (c->starting)
		in.snap = NULL;
	view_state_init(&st, &in);
	st.ascii = c->ascii;
	st.notice_seen = !c->keep_notice;
	struct grid *g = grid_create(c->rows, c->cols);
	view_draw(&st, &in, g);
	press(w, &st, &in, g, c->keys ? c->keys : "");
	if (c->after) {
		c->after(w);
		view_draw(&st, &in, g);
	}
	char *text = grid_text(g), *all = NULL;
	char *styles = styles_text(g);
	assert_true(asprintf(&all, "%s---- styles\n%s", text, styles) > 0);
	free(text);
	free(styles);
	view_state_deinit(&st);
	grid_destroy(g);
	server_world_destroy(w);
	return all;
}

/* ---- sheets ---------------------------------------------------------------------- */

struct sheet_case {
	const char *name;
	int pane;
	const char *sort, *filter;
	bool reverse, by_thread, clock;
	unsigned flags;
};

static const struct sheet_case sheets[] = {
	{.name = "symbols", .pane = BY_SYMBOL},
	{.name = "symbols-by-ipc", .pane = BY_SYMBOL, .sort = "ipc", .flags = CELL_WITH_ERROR},
	{.name = "symbols-by-name", .pane = BY_SYMBOL, .sort = "symbol"},
	{.name = "symbols-by-dso-reversed", .pane = BY_SYMBOL, .sort = "dso", .reverse = true},
	{.name = "symbols-clock", .pane = BY_SYMBOL, .clock = true},
	{.name = "symbols-filtered", .pane = BY_SYMBOL, .filter = "LIBC|cart"},
	{.name = "tasks", .pane = BY_PID},
	{.name = "tasks-threads", .pane = BY_PID, .by_thread = true},
	{.name = "tasks-by-user", .pane = BY_PID, .sort = "user"},
	{.name = "tasks-by-pid", .pane = BY_PID, .sort = "pid"},
	{.name = "cpus", .pane = BY_CPU},
	{.name = "cpus-by-busy", .pane = BY_CPU, .sort = "busy", .flags = CELL_WITH_ERROR | CELL_ASCII},
};

/* Adds text with control characters and bytes beyond ASCII written like "\\x1b". */
static void add_visible(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || (unsigned char)*s >= 127)
			strbuf_addf(b, "\\x%02x", (unsigned char)*s);
		else
			strbuf_add_bytes(b, s, 1);
	}
}

static char *render_sheet(const struct sheet_case *c)
{
	struct fake_world *w = fake_world_create();
	struct columns cols;
	struct strbuf b = {0};
	if (c->by_thread)
		fake_world_by_thread(w);
	if (c->clock)
		fake_world_clock_only(w);
	struct sheet_query q = {
		.pivot = &w->pivots[c->pane], .sort = c->sort, .reverse = c->reverse, .filter = c->filter};
	struct sheet *s = sheet_create(&w->in, &q);
	view_columns(&w->in, &w->pivots[c->pane].query, &cols);
	for (size_t i = 0; i < cols.n; i++)
		strbuf_addf(&b, "%s%s", i ? "\t" : "", cols.v[i].id);
	for (size_t r = 0; r < s->n; r++) {
		strbuf_add(&b, "\n");
		for (size_t i = 0; i < cols.n; i++) {
			struct cell cell = cols.v[i].value(&w->in, &cols.v[i], s->rows[r]);
			char text[256];
			cell_format(&cols.v[i], &cell, c->flags, text, sizeof(text));
			strbuf_add(&b, i ? "\t" : "");
			add_visible(&b, text);
		}
	}
	strbuf_add(&b, "\n");
	sheet_destroy(s);
	fake_world_destroy(w);
	return b.data;
}

/* ---- golden files ------------------------------------------------------------------- */

static void compare(const char *kind, const char *name, char *is)
{
	char file[128];
	snprintf(file, sizeof(file), "%s/%s.txt", kind, name);
	assert_golden(file, is);
	free(is);
}

static void screen_is_as_expected(void **state)
{
	const struct screen_case *c = *state;
	compare("screen", c->name, render(c));
}

static void sheet_is_as_expected(void **state)
{
	const struct sheet_case *c = *state;
	compare("sheet", c->name, render_sheet(c));
}

/* Names with control characters and escape sequences do not change the screen. */
static void hostile_names_do_no_harm(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct grid *g = grid_create(24, 80);
	struct view_state st;
	view_state_init(&st, &w->in);
	for (int i = 0; i < USUAL_PIVOTS; i++) {
		view_draw(&st, &w->in, g);
		for (int c = 0; c < 24 * 80; c++)
			assert_true(g->cells[c].ch == 0 || (g->cells[c].ch >= ' ' && g->cells[c].ch != 127 &&
							    (g->cells[c].ch < 0x80 || g->cells[c].ch >= 0xa0)));
		view_key(&st, &w->in, g, &(struct input_event){.key = KEY_CYC_TAB});
	}
	view_state_deinit(&st);
	grid_destroy(g);
	fake_world_destroy(w);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases) + ARRAY_LEN(sheets) + 1];
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tests[n++] = (struct CMUnitTest){.name = cases[i].name,
						 .test_func = screen_is_as_expected,
						 .initial_state = (void *)(uintptr_t)&cases[i]};
	for (size_t i = 0; i < ARRAY_LEN(sheets); i++)
		tests[n++] = (struct CMUnitTest){.name = sheets[i].name,
						 .test_func = sheet_is_as_expected,
						 .initial_state = (void *)(uintptr_t)&sheets[i]};
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(hostile_names_do_no_harm);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
