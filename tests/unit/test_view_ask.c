/* The key F on code without a name of a process that can be asked: what is said before anything is sent, and what says
 * yes. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { JAVA = 1, JAVA_THREAD, OTHER_JAVA, NODE };

/* Which processes have code without names. */
static bool lacking[8];

static bool lacks_names(void *ctx, uint32_t leader)
{
	(void)ctx;
	return leader < ARRAY_LEN(lacking) && lacking[leader];
}

/* The first symbol is code without a name of two JVMs and others; one of the JVMs can be asked. */
static struct fixture *begin(int rows, int cols, int panes)
{
	struct fixture *f = fixture_create(rows, cols, panes);
	struct sym_info *s = &f->w->syms[0];
	struct dso_info *dso = &f->w->dsos[s->dso];
	struct task_info *tasks = f->w->tasks;
	for (uint32_t i = 0; i < f->w->in.cat->syms_n; i++)
		f->w->syms[i].state = SYM_NAMED;
	s->state = SYM_UNRESOLVED;
	s->name = "[no symbol]";
	dso->path = dso->name = "[anon]";
	dso->kernel = false;
	dso->why = "made at run time";
	for (uint32_t i = 0; i < f->w->in.cat->tasks_n; i++)
		tasks[i].comm = "other";
	tasks[JAVA] =
		(struct task_info){.pid = 321, .tid = 321, .leader = JAVA, .comm = "java", .runtime = RUNTIME_JVM};
	tasks[JAVA_THREAD] = (struct task_info){.pid = 321, .tid = 322, .leader = JAVA, .comm = "C2 CompilerThre"};
	tasks[OTHER_JAVA] = (struct task_info){
		.pid = 400, .tid = 400, .leader = OTHER_JAVA, .comm = "idea", .runtime = RUNTIME_JVM};
	tasks[NODE] = (struct task_info){.pid = 500, .tid = 500, .leader = NODE, .comm = "node"};
	memset(lacking, 0, sizeof(lacking));
	lacking[JAVA] = true;
	f->w->symbol_rows[0].top = JAVA;
	f->w->in.lacks_names = lacks_names;
	f->w->in.snap_id++;
	view_draw(&f->st, &f->w->in, f->g);
	return f;
}

static unsigned press(struct fixture *f, uint32_t key)
{
	struct input_event ev = {.key = key};
	return view_key(&f->st, &f->w->in, f->g, &ev);
}

static void assert_said(const struct fixture *f, const char *wanted)
{
	if (!strstr(f->st.message, wanted))
		fail_msg("no '%s' in: %s", wanted, f->st.message);
}

static void the_second_f_asks(void **state)
{
	(void)state;
	struct fixture *f = begin(24, 100, 2);
	assert_true(fixture_screen_has(f, "[no symbol] (F: ask the JVM)"));
	assert_false(press(f, 'F') & REACT_ASK);
	assert_said(f,
		    "F again asks java (pid 321) for the names of its code (JDK 17 and later). It is sent a SIGQUIT");
	assert_said(f, "With any other key, nothing is sent."); /* nothing is cut off */
	assert_true(press(f, 'F') & REACT_ASK);
	assert_int_equal(f->st.asked.id, JAVA);
	fixture_destroy(f);
}

/* The question failed; what was in its way is gone. */
static void after_a_question_one_f_only_says_again(void **state)
{
	(void)state;
	struct fixture *f = begin(24, 100, 2);
	for (int i = 0; i < 3; i++) {
		assert_false(press(f, 'F') & REACT_ASK);
		assert_said(f, "F again asks java (pid 321)");
		assert_true(press(f, 'F') & REACT_ASK);
		assert_int_equal(f->st.asked.id, JAVA);
	}
	fixture_destroy(f);
}

static void any_other_key_says_no(void **state)
{
	(void)state;
	static const uint32_t keys[] = {'f', 'y', KEY_CYC_ENTER, KEY_CYC_ESC, KEY_CYC_DOWN, KEY_CYC_MOUSE, ' '};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct fixture *f = begin(24, 100, 2);
		assert_false(press(f, 'F') & REACT_ASK);
		press(f, keys[i]);
		assert_int_equal(f->st.ask_explained.id, CATALOG_NONE);
		assert_false(press(f, 'F') & REACT_ASK);
		fixture_destroy(f);
	}
}

/* Between both keys the process ends, and its id becomes another's. */
static void yes_is_said_to_one_process(void **state)
{
	(void)state;
	struct fixture *f = begin(24, 100, 2);
	assert_false(press(f, 'F') & REACT_ASK);
	f->w->tasks[JAVA].generation++;
	f->w->tasks[JAVA].pid = 322;
	assert_false(press(f, 'F') & REACT_ASK);
	assert_said(f, "(pid 322)");
	lacking[JAVA] = false;
	lacking[OTHER_JAVA] = true;
	f->w->symbol_rows[0].top = OTHER_JAVA;
	assert_false(press(f, 'F') & REACT_ASK);
	assert_said(f, "F again asks idea (pid 400)");
	fixture_destroy(f);
}

static void of_several_one_is_chosen(void **state)
{
	(void)state;
	struct fixture *f = begin(24, 100, 2);
	lacking[OTHER_JAVA] = true;
	f->w->symbol_rows[0].top = CATALOG_NONE;
	assert_false(press(f, 'F') & REACT_ASK);
	assert_said(f, "2 processes that can be asked have code without names. Select one (v, then t)");
	assert_false(press(f, 'F') & REACT_ASK);
	/* a zoom chooses */
	f->st.zooms[0] = (struct zoom){.filter = {DIM_PID, dimension_key(f->w->in.names, DIM_PID, OTHER_JAVA)}};
	f->st.zooms_n = 1;
	assert_false(press(f, 'F') & REACT_ASK);
	assert_said(f, "F again asks idea (pid 400)");
	f->st.zooms[0].filter.key = dimension_key(f->w->in.names, DIM_PID, NODE);
	assert_true(press(f, 'F') & REACT_FETCH); /* as of any other file */
	fixture_destroy(f);
}

/* Code with a name, of a file, of no JVM, of one that has ended, and where none can be asked. */
static void others_are_not_asked(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct fixture *f = begin(24, 100, 2);
		struct sym_info *s = &f->w->syms[0];
		f->w->tasks[OTHER_JAVA].runtime = RUNTIME_NONE; /* its row would name the key */
		if (i == 0)
			s->state = SYM_NAMED;
		else if (i == 1)
			f->w->dsos[s->dso].path = "/usr/lib/x.so";
		else if (i == 2)
			f->w->tasks[JAVA].runtime = RUNTIME_NONE;
		else if (i == 3)
			f->w->tasks[JAVA].exit_ns = 5;
		else
			f->w->in.lacks_names = NULL;
		f->w->in.snap_id++;
		grid_clear(f->g);
		view_draw(&f->st, &f->w->in, f->g);
		assert_false(fixture_screen_has(f, "(F: ask the JVM)"));
		unsigned first = press(f, 'F'), second = press(f, 'F');
		assert_true(first & REACT_FETCH);
		assert_false((first | second) & REACT_ASK);
		fixture_destroy(f);
	}
}

/* A JVM that can be asked has no part in the rows of other runtimes. */
static void each_row_has_its_own_runtime(void **state)
{
	(void)state;
	static const struct {
		const char *comm, *wanted;
	} cases[] = {{"beam.smp", "erl +JPperf true"}, {"luajit", "-DLUAJIT_USE_PERFTOOLS"}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture *f = begin(40, 100, 1);
		f->w->tasks[NODE].comm = cases[i].comm;
		f->w->symbol_rows[0].top = NODE;
		grid_clear(f->g);
		view_draw(&f->st, &f->w->in, f->g);
		assert_true(fixture_screen_has(f, "[no symbol]"));
		assert_false(fixture_screen_has(f, "(F: ask the JVM)"));
		assert_true(press(f, 'F') & REACT_FETCH);
		press(f, 'y');
		grid_clear(f->g);
		view_draw(&f->st, &f->w->in, f->g);
		assert_true(fixture_screen_has(f, cases[i].wanted));
		assert_false(fixture_screen_has(f, "The key F"));
		fixture_destroy(f);
	}
}

static void panels_name_the_key(void **state)
{
	(void)state;
	static const struct {
		uint32_t task;
		const char *wanted;
	} cases[] = {
		{CATALOG_NONE,
		 "The key F, pressed twice, asks java (pid 321) for the names of its code (JDK 17 and later). It is"},
		{JAVA_THREAD, "The key F, pressed twice, asks java (pid 321)"},
		{OTHER_JAVA, "The key F, pressed twice, asks idea (pid 400)"},
		{NODE, "What helps: node --perf-basic-prof"},
	};
	struct fixture *f = begin(40, 100, 2);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = {0};
		why_add(&f->w->in, 0, cases[i].task, &b);
		if (!strstr(b.data, cases[i].wanted))
			fail_msg("no '%s' in: %s", cases[i].wanted, b.data);
		strbuf_deinit(&b);
	}
	fixture_destroy(f);
}

static bool all_go_on(void *ctx, uint32_t leader)
{
	(void)ctx;
	return leader == JAVA;
}

/* What is said of .NET, before it is asked, and after it was. */
static void dotnet_has_its_own_words(void **state)
{
	(void)state;
	struct fixture *f = begin(40, 100, 2);
	struct strbuf b = {0};
	f->w->tasks[JAVA].runtime = RUNTIME_DOTNET;
	f->w->tasks[JAVA].comm = "weather";
	f->w->tasks[OTHER_JAVA].runtime = RUNTIME_NONE;
	f->w->in.snap_id++;
	view_draw(&f->st, &f->w->in, f->g);
	assert_true(fixture_screen_has(f, "[no symbol] (F: ask .NET)"));
	assert_false(fixture_screen_has(f, "(F: ask the JVM)"));
	why_add(&f->w->in, 0, JAVA, &b);
	assert_non_null(
		strstr(b.data, "weather (pid 321) for the names of its code (.NET 8 and later). From then on, until"));
	assert_non_null(strstr(b.data, "it writes /tmp/perf-PID.map, which grows"));
	strbuf_deinit(&b);
	assert_false(press(f, 'F') & REACT_ASK);
	assert_said(f, "F again asks weather (pid 321) for the names of its code (.NET 8 and later). From then on");
	assert_said(f, "With any other key, nothing is sent."); /* nothing is cut off */
	assert_true(press(f, 'F') & REACT_ASK);
	/* from now on there is nothing to ask */
	f->w->in.writes_names = all_go_on;
	f->w->in.snap_id++;
	grid_clear(f->g);
	view_draw(&f->st, &f->w->in, f->g);
	assert_false(fixture_screen_has(f, "(F: ask"));
	f->st.zooms[0] = (struct zoom){.filter = {DIM_PID, dimension_key(f->w->in.names, DIM_PID, JAVA)}};
	f->st.zooms_n = 1;
	assert_false(press(f, 'F') & (REACT_ASK | REACT_FETCH));
	assert_false(press(f, 'F') & (REACT_ASK | REACT_FETCH));
	assert_said(f, "It was asked, and goes on writing");
	why_add(&f->w->in, 0, JAVA, &b);
	assert_non_null(strstr(b.data, "It was asked for the names of its code, and goes on writing them"));
	strbuf_deinit(&b);
	fixture_destroy(f);
}

/* Each runtime has its own way, of which the panel names that of the process at hand. */
static void other_runtimes(void **state)
{
	(void)state;
	static const struct {
		const char *comm, *wanted;
	} cases[] = {
		{"node", "What helps: node --perf-basic-prof."},
		{"python3.12", "What helps: a profiler for Python, such as py-spy: python3 -X perf names only"},
		{"dotnet", "What helps: DOTNET_PerfMapEnabled=1 in its environment, or the key F"},
		{"php-fpm8.2", "What helps: opcache.jit_debug=0x10 in its settings."},
		{"ruby", "What helps: ruby --yjit --yjit-perf (3.3 and later)."},
		{"beam.smp", "What helps: erl +JPperf true (Erlang/OTP 24 and later)."},
		{"luajit", "What helps: a LuaJIT that was built with -DLUAJIT_USE_PERFTOOLS."},
		{"julia", "What helps: ENABLE_JITPROFILING=1 in its environment, of a Julia"},
		{"deno", "What helps: deno --v8-flags=--perf-basic-prof."},
		{"wasmtime", "What helps: wasmtime --profile=perfmap."},
		{"mine", "What helps: an option with which its runtime writes a perf map"},
	};
	struct fixture *f = begin(40, 100, 2);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = {0};
		f->w->tasks[NODE].comm = cases[i].comm;
		why_add(&f->w->in, 0, NODE, &b);
		if (!strstr(b.data, cases[i].wanted))
			fail_msg("no '%s' in: %s", cases[i].wanted, b.data);
		strbuf_deinit(&b);
	}
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_f_asks),
		cmocka_unit_test(after_a_question_one_f_only_says_again),
		cmocka_unit_test(any_other_key_says_no),
		cmocka_unit_test(yes_is_said_to_one_process),
		cmocka_unit_test(of_several_one_is_chosen),
		cmocka_unit_test(others_are_not_asked),
		cmocka_unit_test(each_row_has_its_own_runtime),
		cmocka_unit_test(panels_name_the_key),
		cmocka_unit_test(dotnet_has_its_own_words),
		cmocka_unit_test(other_runtimes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
