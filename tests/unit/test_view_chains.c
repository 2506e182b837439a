/* Call chains from a script to the screen: sums with callees, the call tree, callers, and the flame view. */
#include "../lib/golden.h"
#include "../lib/grid_text.h"

#include <cyctop/session.h>
#include <cyctop/view.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char script[] =
	"cpus 2\nhost chains\n"
	"event cycles period=1000\nevent instructions period=1000\n"
	"dso app /usr/bin/app\ndso lib /usr/lib/libwork.so.1\ndso kernel [kernel]\n"
	"sym app:main 0x1000 0x100\nsym app:serve 0x1100 0x100\nsym app:parse 0x1200 0x100\n"
	"sym lib:sort 0x1000 0x100\nsym lib:compare 0x1100 0x100\n"
	"sym kernel:entry_SYSCALL_64 0xffffffff81000000 0x100\nsym kernel:vfs_read 0xffffffff81000100 0x100\n"
	"task 100 app maps=app,lib\n"
	"tick\n"
	"sample cpu=0 task=100 event=cycles sym=app:parse n=300 callers=app:serve,app:main\n"
	"sample cpu=0 task=100 event=cycles sym=lib:compare n=400 callers=lib:sort,lib:sort,app:serve,app:main\n"
	"sample cpu=0 task=100 event=cycles sym=lib:sort n=100 callers=app:serve,app:main\n"
	"sample cpu=1 task=100 event=cycles sym=kernel:vfs_read n=100 "
	"callers=kernel:entry_SYSCALL_64,app:serve,app:main\n"
	"sample cpu=1 task=100 event=cycles sym=lib:compare n=100 callers=app:main\n"
	"sample cpu=0 task=100 event=instructions sym=app:parse n=600 callers=app:serve,app:main\n"
	"sample cpu=0 task=100 event=instructions sym=lib:compare n=200 callers=lib:sort,lib:sort,app:serve,app:main\n"
	"sample cpu=1 task=100 event=instructions sym=kernel:vfs_read n=200 "
	"callers=kernel:entry_SYSCALL_64,app:serve,app:main\n";

struct screen {
	struct session *s;
	enum window window;
	struct snapshot *snap;
	struct view_state st;
	struct view_input in;
	struct grid *g;
};

static const char *no_user(void *ctx, uint32_t uid)
{
	(void)ctx, (void)uid;
	return NULL;
}

/* Takes a snapshot of all that the panes show, and draws it. */
static void draw(struct screen *w)
{
	struct pivot_query pivots[VIEWS_MAX];
	struct query q = w->st.query;
	q.window = w->window;
	q.pivots = pivots;
	q.pivots_n = view_pivots(&w->st, pivots);
	snapshot_destroy(w->snap);
	w->in.snap = w->snap = session_snapshot(w->s, &q);
	w->in.cat = session_catalog(w->s);
	grid_clear(w->g);
	view_draw(&w->st, &w->in, w->g);
}

static void open_screen_of(struct screen *w, const char *text, int rows, int cols)
{
	struct error err;
	*w = (struct screen){.g = grid_create(rows, cols), .window = WINDOW_TOTAL};
	if (session_open_synth(text, strlen(text), "test", false, &w->s, &err) < 0 ||
	    session_use_chains(w->s, &err) < 0)
		fail_msg("%s", err.text);
	session_tick(w->s);
	w->in = (struct view_input){.cat = session_catalog(w->s),
				    .names = session_names(w->s),
				    .info = session_info(w->s),
				    .roles = session_roles(w->s),
				    .user = no_user,
				    .delay_ns = 1000000000};
	view_state_init(&w->st, &w->in);
	draw(w);
}

static void open_screen(struct screen *w, int rows, int cols)
{
	open_screen_of(w, script, rows, cols);
}

static void close_screen(struct screen *w)
{
	view_state_deinit(&w->st);
	snapshot_destroy(w->snap);
	session_destroy(w->s);
	grid_destroy(w->g);
}

static unsigned press(struct screen *w, uint32_t key)
{
	struct input_event ev = {.key = key};
	unsigned reaction = view_key(&w->st, &w->in, w->g, &ev);
	draw(w);
	return reaction;
}

static void assert_screen(struct screen *w, const char *file)
{
	char *text = grid_text(w->g);
	assert_golden(file, text);
	free(text);
}

/* g shows totals, f the selected function's callees and callers, Esc what was before; g again ends it. */
static void totals_callees_and_callers(void **state)
{
	(void)state;
	struct screen w;
	open_screen(&w, 30, 100);
	assert_int_equal(press(&w, 'f') & REACT_CHAINS, 0); /* there are no chains yet, which is said */
	assert_non_null(strstr(w.st.message, "g begins"));
	assert_true(press(&w, 'g') & REACT_CHAINS);
	assert_true(w.st.chains);
	assert_screen(&w, "chains/symbols.txt");
	press(&w, KEY_CYC_DOWN); /* to parse, and to sort */
	press(&w, KEY_CYC_DOWN);
	press(&w, 'f');
	assert_screen(&w, "chains/around.txt");
	press(&w, KEY_CYC_ESC);
	w.st.message[0] = '\0';
	assert_int_equal(w.st.zooms_n, 0);
	assert_int_equal(w.st.views[0].pivot.dims[0], DIM_SYMBOL);
	assert_int_equal(w.st.views[1].pivot.dims[0], DIM_PID);
	press(&w, 'g');
	assert_false(w.st.chains || w.st.views[0].pivot.callees);
	close_screen(&w);
}

/* Where samples have no chains, no key is named that would begin with them. */
static void samples_without_chains(void **state)
{
	(void)state;
	struct screen w;
	open_screen(&w, 14, 80);
	struct source_info info = *w.in.info;
	info.chains = false;
	w.in.info = &info;
	assert_int_equal(press(&w, 'f') & REACT_CHAINS, 0);
	assert_non_null(strstr(w.st.message, "no call chains: cyctop record -g"));
	press(&w, 'l');
	char *text = grid_text(w.g);
	assert_non_null(strstr(text, "no call chains: cyctop record -g"));
	free(text);
	close_screen(&w);
}

/* A recording that is shown as a whole was read without chains: g has it read again. */
static void recordings_are_read_again(void **state)
{
	(void)state;
	struct screen w;
	open_screen(&w, 14, 80);
	struct source_info info = *w.in.info;
	info.playable = true;
	w.in.info = &info;
	assert_true(press(&w, 'g') & REACT_PLAY && w.st.play.seek);
	assert_false(press(&w, 'g') & REACT_PLAY || w.st.play.seek);
	w.st.play.speed = 1; /* what is still to be played has chains from now on */
	assert_false(press(&w, 'g') & REACT_PLAY || w.st.play.seek);
	close_screen(&w);
}

/* In the flame view Enter widens a box, Esc goes back, c changes the colours. */
static void flames(void **state)
{
	(void)state;
	struct screen w;
	open_screen(&w, 14, 80);
	press(&w, 'l');
	assert_screen(&w, "chains/flame-none.txt");
	press(&w, 'g');
	press(&w, KEY_CYC_DOWN); /* main, serve, and its widest callee */
	press(&w, KEY_CYC_DOWN);
	press(&w, KEY_CYC_DOWN);
	assert_screen(&w, "chains/flame.txt");
	uint64_t from = w.st.views[w.st.views_n - 1].selected;
	press(&w, '/');
	press(&w, 'p');
	press(&w, 'a');
	press(&w, 'r'); /* parse */
	assert_int_not_equal(w.st.views[w.st.views_n - 1].selected, from);
	press(&w, KEY_CYC_ESC);
	assert_int_equal(w.st.views[w.st.views_n - 1].selected, from);
	press(&w, 'e'); /* widths by the other event, and back */
	assert_screen(&w, "chains/flame-event.txt");
	press(&w, 'e');
	assert_int_equal(w.st.views[w.st.views_n - 1].flame_event, 0);
	press(&w, KEY_CYC_ENTER);
	assert_screen(&w, "chains/flame-wide.txt");
	uint64_t before = w.st.views[w.st.views_n - 1].selected;
	press(&w, '/');
	press(&w, '~');
	assert_non_null(strstr(w.st.message, "No row has \"~\""));
	press(&w, KEY_CYC_ESC);
	assert_int_equal(w.st.views[w.st.views_n - 1].selected, before);
	struct input_event click = {.key = KEY_CYC_MOUSE, .row = 2, .col = 70};
	view_key(&w.st, &w.in, w.g, &click);
	press(&w, KEY_CYC_LEFT);
	press(&w, KEY_CYC_UP);
	press(&w, 'c');
	enum style hot = w.g->cells[3 * w.g->cols + 2].style;
	press(&w, 'c');
	assert_int_not_equal(hot, w.g->cells[3 * w.g->cols + 2].style);
	for (int i = 0; i < 4; i++)
		press(&w, KEY_CYC_ESC);
	assert_int_equal(w.st.views_n, 3);    /* the last one closed the view */
	for (int rows = 1; rows < 12; rows++) /* of any size */
		for (int cols = 1; cols < 40; cols += 3) {
			struct grid *all = w.g;
			w.g = grid_create(rows, cols);
			press(&w, 'l');
			press(&w, KEY_CYC_DOWN);
			press(&w, 'l');
			grid_destroy(w.g);
			w.g = all;
		}
	close_screen(&w);
}

/* Chains after a change: parse takes more, compare less. */
static const char script_after[] = "tick\n"
				   "sample cpu=0 task=100 event=cycles sym=app:parse n=700 callers=app:serve,app:main\n"
				   "sample cpu=0 task=100 event=cycles sym=lib:sort n=100 callers=app:serve,app:main\n"
				   "sample cpu=1 task=100 event=cycles sym=lib:compare n=300 callers=app:main\n"
				   "sample cpu=0 task=100 event=instructions sym=app:parse n=350 "
				   "callers=app:serve,app:main\n";

/* A zoom is of the flames, too. */
static void flames_zoomed(void **state)
{
	(void)state;
	struct screen w;
	open_screen(&w, 30, 100);
	press(&w, 'g');
	press(&w, KEY_CYC_DOWN);
	press(&w, KEY_CYC_ENTER);
	assert_int_equal(w.st.zooms_n, 1);
	press(&w, 'l');
	const struct pivot_query *q = &w.st.views[w.st.views_n - 1].pivot;
	assert_int_equal(q->dims[0], DIM_CHAIN);
	assert_int_equal(q->filters_n, 1);
	assert_int_equal(q->filters[0].key, w.st.zooms[0].filter.key);
	close_screen(&w);
}

/* A file of which only the selected chain and another one are known, the latter without its share. */
static void flames_of_file(struct screen *w, struct comparison *comparison, const struct pivot *now)
{
	struct view *flames = &w->st.views[w->st.views_n - 1];
	struct chain_share shares[2] = {
		{.key = flames->selected,
		 .own = {.value = 0.9, .error = 0.01, .valid = true},
		 .whole = {.value = 0.95, .error = 0.01, .valid = true},
		 .ipc = {.value = 4, .error = 0.1, .valid = true}},
		{.key = UINT64_MAX},
	};
	comparison->no_chains = NULL;
	comparison->chains_of = now;
	comparison->chains = (struct chain_shares){.v = shares, .n = ARRAY_LEN(shares)};
	grid_clear(w->g);
	view_draw(&w->st, &w->in, w->g);
	char *text = grid_text(w->g);
	assert_non_null(strstr(text, "colours by change of own share against 12:01:10 to 12:02:10"));
	assert_non_null(strstr(text, "TOTAL% 95.0±1.0→"));
	assert_non_null(strstr(text, "SELF% 90.0±1.0→"));
	assert_non_null(strstr(text, "T.IPC 4.00±0.10→"));
	free(text);
}

/* With a baseline colours tell the change of a function's own share, and numbers are those of both sides. */
static void flames_compared(void **state)
{
	(void)state;
	struct screen w;
	struct comparison comparison = {.before = "12:01:10 to 12:02:10"};
	struct compared table = {.pivot = NULL};
	char both[sizeof(script) + sizeof(script_after)];
	snprintf(both, sizeof(both), "%s%s", script, script_after);
	open_screen_of(&w, both, 12, 110);
	press(&w, 'g');
	comparison.tables = &table;
	w.in.comparison = &comparison;
	press(&w, 'l');
	struct view *flames = &w.st.views[w.st.views_n - 1];
	assert_int_equal(flames->colours, FLAME_BY_CHANGE);
	char *text = grid_text(w.g); /* as long as nothing was compared */
	assert_non_null(strstr(text, "colours by a function's own share"));
	free(text);
	struct snapshot *before = w.snap;
	const struct pivot_query *q = &flames->pivot;
	w.snap = NULL;
	w.window = WINDOW_INTERVAL;
	session_tick(w.s);
	draw(&w);
	const struct pivot *now = snapshot_pivot(w.snap, q);
	const struct diff_row **rows = calloc(now->n + 1, sizeof(*rows)); /* nothing is said of them */
	table = (struct compared){
		.pivot = now, .rows = rows, .sides = {{before, snapshot_pivot(before, q)}, {w.snap, now}}};
	comparison.tables_n = 1;
	struct input_event down = {.key = KEY_CYC_DOWN};
	for (int i = 0; i < 3; i++)
		view_key(&w.st, &w.in, w.g, &down);
	grid_clear(w.g);
	view_draw(&w.st, &w.in, w.g);
	assert_screen(&w, "chains/flame-change.txt");
	const struct cell_style {
		int row, col;
		enum style style;
	} styles[] = {{1, 50, STYLE_FLAT}, {3, 40, STYLE_FLAT}};
	for (size_t i = 0; i < ARRAY_LEN(styles); i++)
		assert_int_equal(w.g->cells[styles[i].row * w.g->cols + styles[i].col].style, styles[i].style);
	static const enum flame_colours next[] = {FLAME_BY_SHARE, FLAME_BY_IPC, FLAME_BY_CHANGE};
	struct input_event c = {.key = 'c'};
	for (size_t i = 0; i < ARRAY_LEN(next); i++) {
		view_key(&w.st, &w.in, w.g, &c);
		assert_int_equal(flames->colours, next[i]);
	}
	struct input_event mark = {.key = 'b'};
	assert_true(view_key(&w.st, &w.in, w.g, &mark) & REACT_MARK);
	comparison.tables_n = 0; /* a file */
	comparison.of_file = true;
	comparison.no_chains = "the file has no chains";
	grid_clear(w.g);
	view_draw(&w.st, &w.in, w.g);
	text = grid_text(w.g);
	assert_non_null(strstr(text, "colours by own share: the file has no chains"));
	free(text);
	flames_of_file(&w, &comparison, now);
	free(rows);
	snapshot_destroy(before);
	close_screen(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_callees_and_callers),
		cmocka_unit_test(samples_without_chains),
		cmocka_unit_test(recordings_are_read_again),
		cmocka_unit_test(flames),
		cmocka_unit_test(flames_zoomed),
		cmocka_unit_test(flames_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
