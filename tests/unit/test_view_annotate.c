/* The view of a function's instructions, of a script's samples and code that is made here. */
#include "../lib/golden.h"
#include "../lib/grid_text.h"

#include <cyctop/comparison.h>
#include <cyctop/session.h>
#include <cyctop/view.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char script[] = "cpus 1\nhost code\nevent cycles period=1000\nevent instructions period=1000\n"
			     "dso app /usr/bin/app\nsym app:hot 0x1000 0x10\ntask 100 app maps=app\n"
			     "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=50\n"
			     "tick\n"
			     "sample cpu=0 task=100 event=cycles sym=app:hot off=4 n=300\n"
			     "sample cpu=0 task=100 event=cycles sym=app:hot off=8 n=100\n"
			     "sample cpu=0 task=100 event=instructions sym=app:hot off=4 n=150\n"
			     "sample cpu=0 task=100 event=instructions sym=app:hot off=8 n=200\n";

/* The same code before and after a change: the division was a third of the function, and is nearly all of it. */
static const char changed[] = "cpus 1\nhost code\nevent cycles period=1000\n"
			      "dso app /usr/bin/app\nsym app:hot 0x1000 0x10\ntask 100 app maps=app\n"
			      "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=50\n"
			      "tick\n"
			      "sample cpu=0 task=100 event=cycles sym=app:hot n=200\n"
			      "sample cpu=0 task=100 event=cycles sym=app:hot off=4 n=100\n"
			      "tick\n"
			      "sample cpu=0 task=100 event=cycles sym=app:hot n=30\n"
			      "sample cpu=0 task=100 event=cycles sym=app:hot off=4 n=268\n"
			      "sample cpu=0 task=100 event=cycles sym=app:hot off=12 n=2\n";

/* A function, and that of another build, which runs instead: the baseline ran the former. */
static const char rebuilt[] = "cpus 1\nhost code\nevent cycles period=1000\n"
			      "dso app /usr/bin/app\nsym app:hot 0x1000 0x10\ntask 100 app maps=app\n"
			      "dso new /usr/local/bin/app\nsym new:hot 0x2000 0x14\ntask 200 app maps=new\n"
			      "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=50\n"
			      "tick\nsample cpu=0 task=100 event=cycles sym=app:hot off=4 n=20\n"
			      "sample cpu=0 task=100 event=cycles sym=app:hot off=8 n=180\n"
			      "tick\nsample cpu=0 task=200 event=cycles sym=new:hot n=70\n"
			      "tick\nsample cpu=0 task=200 event=cycles sym=new:hot off=4 n=50\n"
			      "sample cpu=0 task=200 event=cycles sym=new:hot off=12 n=150\n";

/* What a recording with branch stacks has, as events of a script. */
static const char branches[] = "cpus 1\nhost code\nevent cycles period=1000\nevent taken-branches period=1\n"
			       "event mispredicts period=1\n"
			       "dso app /usr/bin/app\nsym app:hot 0x1000 0x10\ntask 100 app maps=app\n"
			       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=50\n"
			       "tick\n"
			       "sample cpu=0 task=100 event=cycles sym=app:hot off=4 n=300\n"
			       "sample cpu=0 task=100 event=taken-branches sym=app:hot off=8 n=400\n"
			       "sample cpu=0 task=100 event=taken-branches sym=app:hot off=12 n=100\n"
			       "sample cpu=0 task=100 event=mispredicts sym=app:hot off=8 n=20\n";

enum { INSTRUCTIONS = 4 };

/* Code with a loop: mov, div, jump back to the mov, return. */
struct made_code {
	struct instruction v[INSTRUCTIONS];
	struct instructions in;
	struct code_line lines[INSTRUCTIONS];
	char rows[INSTRUCTIONS][ARROWS_MAX + 1];
	struct code_places places;
	struct code_listing listing;
	uint8_t bytes[16];
	struct function_code code;
};

static void make_code(struct made_code *m)
{
	static const char *const texts[INSTRUCTIONS] = {"movl %ecx,%eax", "divl %edi", "jne 0x1000 <hot>", "retq"};
	static const char *const rows[INSTRUCTIONS] = {",->", "|  ", "`--", "   "};
	*m = (struct made_code){.code = {.addr = 0x1000, .size = 16, .n = 16}};
	for (size_t i = 0; i < INSTRUCTIONS; i++) {
		m->v[i] = (struct instruction){.addr = 0x1000 + 4 * i, .size = 4, .text = texts[i]};
		m->lines[i] = (struct code_line){.instruction = i, .pair = i, .text = texts[i]};
		memcpy(m->rows[i], rows[i], sizeof("   "));
	}
	m->v[2].kind = INSTRUCTION_JUMP;
	m->v[2].target = 0x1000;
	m->in = (struct instructions){.v = m->v, .n = INSTRUCTIONS};
	m->code.bytes = m->bytes;
	m->listing = (struct code_listing){.in = &m->in,
					   .places = &m->places,
					   .lines = m->lines,
					   .lines_n = INSTRUCTIONS,
					   .arrows = {.rows = m->rows, .width = 3}};
}

struct screen {
	struct session *s;
	struct measured measured;
	struct baseline *baseline;
	struct snapshot *snap;
	struct view_state st;
	struct view_input in;
	struct grid *g;
};

static void draw(struct screen *w)
{
	struct pivot_query pivots[2 * VIEWS_MAX];
	struct query q = w->st.query;
	q.window = WINDOW_TOTAL;
	q.pivots = pivots;
	size_t panes_n = q.pivots_n = view_pivots(&w->st, pivots);
	snapshot_destroy(w->snap);
	baseline_query(w->baseline, false, &q, pivots);
	w->in.snap = w->snap = session_snapshot(w->s, &q);
	baseline_compare(w->baseline, w->snap, &q, panes_n, DIFF_UNIT_SHARE);
	w->in.comparison = baseline_comparison(w->baseline);
	w->in.cat = session_catalog(w->s);
	grid_clear(w->g);
	view_draw(&w->st, &w->in, w->g);
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

static const char *selected(const struct screen *w)
{
	const struct view *v = &w->st.views[w->st.views_n - 1];
	return v->selected == 0x1000 ? "mov" : v->selected == 0x1004 ? "div" : v->selected == 0x1008 ? "jne" : "?";
}

/* Runs a script to its first tick, and opens the view of its hot function. */
static void open_screen(struct screen *w, const char *text, const struct metric_set *metrics)
{
	struct error err;
	*w = (struct screen){.g = grid_create(10, 80)};
	if (session_open_synth(text, strlen(text), "test", false, &w->s, &err) < 0)
		fail_msg("%s", err.text);
	session_use_metrics(w->s, metrics);
	session_tick(w->s);
	w->measured = (struct measured){.session = w->s, .only = "", .fdr = 0.05};
	w->baseline = baseline_create(&w->measured);
	w->in = (struct view_input){.cat = session_catalog(w->s),
				    .names = session_names(w->s),
				    .info = session_info(w->s),
				    .roles = session_roles(w->s),
				    .metrics = session_metrics(w->s),
				    .delay_ns = 1000000000};
	view_state_init(&w->st, &w->in);
	draw(w);
	assert_true(press(w, 'A') & REACT_ANNOTATE);
	assert_true(catalog_sym_valid(w->in.cat, w->st.annotated));
	session_annotate(w->s, w->st.annotated.id);
}

static void close_screen(struct screen *w)
{
	view_state_deinit(&w->st);
	snapshot_destroy(w->snap);
	baseline_destroy(w->baseline);
	session_destroy(w->s);
	grid_destroy(w->g);
}

static void instructions_have_their_samples(void **state)
{
	(void)state;
	struct made_code m;
	struct screen w;
	open_screen(&w, script, NULL);
	make_code(&m);
	w.in.code.why = "There is no code.";
	draw(&w);
	assert_screen(&w, "annotate/none.txt");
	w.in.code = (struct view_code){.listing = &m.listing, .code = &m.code};
	session_tick(w.s);
	draw(&w);
	assert_screen(&w, "annotate/hot.txt");
	press(&w, KEY_CYC_TAB);
	assert_string_equal(selected(&w), "jne");
	press(&w, KEY_CYC_ENTER);
	assert_string_equal(selected(&w), "mov");
	press(&w, KEY_CYC_TAB);
	assert_string_equal(selected(&w), "div");
	press(&w, '/');
	press(&w, 'm');
	press(&w, 'o');
	press(&w, 'v');
	assert_string_equal(selected(&w), "mov");
	press(&w, KEY_CYC_ESC); /* back to where the search began */
	assert_string_equal(selected(&w), "div");
	press(&w, '/');
	press(&w, 'j');
	press(&w, KEY_CYC_ENTER);
	assert_string_equal(selected(&w), "jne");
	press(&w, 'N'); /* it is the only one */
	assert_string_equal(selected(&w), "jne");
	press(&w, KEY_CYC_TAB);
	press(&w, KEY_CYC_ENTER);
	press(&w, KEY_CYC_TAB);
	press(&w, 'x');
	assert_screen(&w, "annotate/bytes.txt");
	assert_true(press(&w, KEY_CYC_ESC) & REACT_ANNOTATE);
	assert_int_equal(w.st.annotated.id, CATALOG_NONE);
	close_screen(&w);
}

static void branches_have_their_ratio(void **state)
{
	static const char *const texts[] = {"mispredict%=mispredicts/taken-branches"};
	(void)state;
	struct made_code m;
	struct screen w;
	struct error err;
	struct metric_set *metrics;
	assert_int_equal(metric_set_create(texts, ARRAY_LEN(texts), &metrics, &err), 0);
	open_screen(&w, branches, metrics);
	struct source_info info = *w.in.info;
	info.branches = 1;
	w.in.info = &info;
	make_code(&m);
	w.in.code = (struct view_code){.listing = &m.listing, .code = &m.code};
	session_tick(w.s);
	draw(&w);
	assert_screen(&w, "annotate/branches.txt");
	close_screen(&w);
	metric_set_destroy(metrics);
}

/* Takes what was measured so far for the baseline. */
static void mark(struct screen *w)
{
	struct stretch stretch;
	assert_true(press(w, 'b') & REACT_MARK);
	assert_true(baseline_mark(w->baseline, (struct stretch){0}, &stretch));
	baseline_name(w->baseline, "the first");
	draw(w);
}

static void a_baseline_has_instructions(void **state)
{
	(void)state;
	struct made_code m;
	struct screen w;
	open_screen(&w, changed, NULL);
	make_code(&m);
	w.in.code = (struct view_code){.listing = &m.listing, .code = &m.code};
	session_tick(w.s);
	mark(&w);
	session_tick(w.s);
	draw(&w);
	assert_screen(&w, "annotate/changed.txt");
	baseline_end(w.baseline);
	draw(&w);
	char *text = grid_text(w.g);
	assert_null(strstr(text, "CHANGE"));
	free(text);
	close_screen(&w);
	open_screen(&w, changed, NULL); /* all of the baseline is from before A */
	w.in.code = (struct view_code){.listing = &m.listing, .code = &m.code};
	mark(&w);
	session_tick(w.s);
	draw(&w);
	assert_screen(&w, "annotate/no_baseline.txt");
	close_screen(&w);
}

/* The code of the build that runs now: it multiplies instead, and counts down. */
struct other_code {
	struct made_code old;
	struct instruction v[INSTRUCTIONS + 1];
	struct instructions in;
	uint8_t bytes[20];
	struct function_code code;
	struct code_build builds[CODE_BUILDS];
	struct code_pairs pairs;
	struct code_places places;
	struct code_listing listing;
};

static void make_other(struct other_code *o)
{
	static const char *const texts[] = {"movl %edx,%eax", "imull %edi", "shrl $5,%eax", "jne 0x2000 <hot>", "retq"};
	*o = (struct other_code){.code = {.addr = 0x2000, .size = 20, .n = 20}};
	make_code(&o->old);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		o->v[i] = (struct instruction){.addr = 0x2000 + 4 * i, .size = 4, .text = texts[i]};
	o->v[3].target = 0x2000;
	o->code.bytes = o->bytes;
	o->in = (struct instructions){.v = o->v, .n = ARRAY_LEN(texts)};
	o->builds[CODE_BEFORE] = (struct code_build){&o->old.code, &o->old.in};
	o->builds[CODE_AFTER] = (struct code_build){&o->code, &o->in};
	code_pairs_create(o->builds, &o->pairs);
	code_listing_create(&o->in, &o->places, NULL, NULL, 0, 0, &o->listing);
}

static uint64_t selected_id(const struct screen *w)
{
	return w->st.views[w->st.views_n - 1].selected;
}

/* Opens the function of the build that has run in the last interval. */
static void open_other(struct screen *w)
{
	press(w, KEY_CYC_ESC);
	assert_true(press(w, 'A') & REACT_ANNOTATE);
	session_annotate(w->s, w->st.annotated.id);
}

static void a_baseline_may_be_of_another_build(void **state)
{
	(void)state;
	struct other_code o;
	struct screen w;
	size_t n;
	open_screen(&w, rebuilt, NULL);
	make_other(&o);
	w.in.code = (struct view_code){.listing = &o.old.listing, .code = &o.old.code};
	session_tick(w.s);
	mark(&w);
	uint32_t was = w.st.annotated.id;
	const uint32_t *functions = baseline_functions(w.baseline, &n);
	assert_true(n == 1 && functions[0] == was);
	assert_int_equal(baseline_function(w.baseline, was), was);
	session_tick(w.s);
	open_other(&w);
	assert_int_not_equal(w.st.annotated.id, was);
	assert_int_equal(baseline_function(w.baseline, w.st.annotated.id), was);
	w.in.code = (struct view_code){.listing = &o.listing, .code = &o.code, .rebuilt = true};
	w.in.code.why_no_baseline_code = "It is gone.";
	session_tick(w.s);
	draw(&w);
	assert_screen(&w, "annotate/not_kept.txt");
	w.in.code.why_no_baseline_code = NULL;
	code_listing_add_gone(&o.listing, &o.pairs, &o.old.in);
	w.in.code.before = &o.builds[CODE_BEFORE];
	w.in.code.pairs = &o.pairs;
	draw(&w);
	assert_screen(&w, "annotate/rebuilt.txt");
	press(&w, KEY_CYC_HOME);
	press(&w, KEY_CYC_DOWN);
	press(&w, 'x');
	assert_screen(&w, "annotate/rebuilt_gone.txt");
	press(&w, KEY_CYC_ENTER); /* where what is gone led to is not here */
	assert_true(~selected_id(&w) == 0x1004);
	press(&w, KEY_CYC_DOWN);
	assert_int_equal(selected_id(&w), 0x2004);
	press(&w, KEY_CYC_UP);
	assert_true(~selected_id(&w) == 0x1004);
	press(&w, '/');
	press(&w, 'd');
	press(&w, 'i');
	press(&w, KEY_CYC_ENTER);
	assert_true(~selected_id(&w) == 0x1004);
	baseline_end(w.baseline);
	code_listing_deinit(&o.listing);
	code_pairs_deinit(&o.pairs);
	make_other(&o);
	w.in.code = (struct view_code){.listing = &o.listing, .code = &o.code};
	draw(&w); /* what was selected is not there any more */
	press(&w, KEY_CYC_TAB);
	assert_int_equal(selected_id(&w), 0x200c);
	view_annotate(&w.st, &w.in, was); /* as if that one ran again */
	assert_true(w.st.annotated.id == was && selected_id(&w) == 0);
	draw(&w);
	char *text = grid_text(w.g);
	assert_non_null(strstr(text, ": 200 samples, and 50 from before A"));
	assert_non_null(strstr(text, "The program was rebuilt and runs again"));
	free(text);
	code_listing_deinit(&o.listing);
	code_pairs_deinit(&o.pairs);
	close_screen(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_have_their_samples), cmocka_unit_test(branches_have_their_ratio),
		cmocka_unit_test(a_baseline_has_instructions), cmocka_unit_test(a_baseline_may_be_of_another_build)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
