/* Every word on the screen has its sentence in the help, which begins with those of what is selected. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the table -------------------------------------------------------------------------------- */

static void the_table_of_words_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < screen_words_n; i++) {
		assert_true(screen_words[i].word[0] && screen_words[i].help[0]);
		assert_ptr_equal(word_find(screen_words[i].word), &screen_words[i]); /* none twice */
		assert_true(!i || screen_words[i].section >= screen_words[i - 1].section);
		assert_non_null(word_sections[screen_words[i].section]);
	}
}

static void names_in_brackets_have_a_word(void **state)
{
	(void)state;
	static const struct {
		const char *name, *word;
	} names[] = {
		{"[idle]", "[idle]"},
		{"(idle)", "(idle)"},
		{"[exiting]", "[exiting]"},
		{"[other pid namespaces]", "[other pid namespaces]"},
		{"[exited] bash", "[exited]"},
		{"[exited]", "[exited]"},
		{"[unknown]", "[unknown]"},
		{"[no name]", "[no name]"},
		{"[no symbol]", "[no symbol]"},
		{"[kernel]", "[kernel]"},
		{"[modules]", "[modules]"},
		{"[bpf]", "[bpf]"},
		{"[JIT] node", "[JIT]"},
		{"[anon]", "[anon]"},
		{"[anon:v8]", "[anon]"},
		{"[heap]", "[heap]"},
		{"[stack]", "[stack]"},
		{"[vdso]", "[vdso]"},
		{"[vdso32]", "[vdso]"},
		{"[vsyscall]", "[vsyscall]"},
		{"[uprobes]", "[uprobes]"},
		{"[guest]", "[guest]"},
		{"[hypervisor]", "[hypervisor]"},
		{"[not loaded]", "[not loaded]"},
		{"[earlier code]", "[earlier code]"},
		{"[earlier cgroups]", "[earlier cgroups]"},
		{"[cgroup 77]", "[cgroup 1234]"},
		{"[bpfilter]", NULL}, /* a kernel module */
		{"malloc", NULL},
		{"", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct word *word = word_of_name(names[i].name);
		if (!names[i].word && word)
			fail_msg("%s is %s", names[i].name, word->word);
		if (names[i].word && (!word || strcmp(word->word, names[i].word) != 0))
			fail_msg("%s is not %s", names[i].name, names[i].word);
	}
}

/* Instructions exclude the kernel, were sampled too seldom and throttled; a ratio is of half the CPUs. */
static void make_trouble(struct fixture *f)
{
	f->w->info.events[1].spec.exclude_kernel = true;
	f->w->snap.events[1].explained = (struct ratio){.value = 0.6, .error = 0.01, .valid = true};
	f->w->snap.events[1].throttled = 0.12;
	f->w->snap.trust.unexplained = f->w->snap.trust.throttled = 1;
	f->w->snap.sums.parts[1].cpus = 1;
}

/* Every item of the trust line begins with a word of the table. */
static void the_trust_line_has_words(void **state)
{
	(void)state;
	static const struct trust troubles[] = {
		{.running = 1},
		{.running = 0.5,
		 .lost = 3,
		 .lost_share = 0.2,
		 .malformed = 3,
		 .throttles = 99,
		 .unresolved = 0.4,
		 .grouped = 0.3,
		 .pending = 0.1,
		 .explained_valid = true,
		 .explained = 2,
		 .self = 0.2},
	};
	static const char *const pmus[] = {"cpu", ""};
	for (enum source_scope scope = SCOPE_SYSTEM; scope <= SCOPE_PROC; scope++)
		for (size_t k = 0; k < 4; k++) {
			struct fixture *f = fixture_create(24, 80, 2);
			struct trust_item items[TRUST_ITEMS_MAX];
			f->w->info.scope = scope;
			strcpy(f->w->info.pmu, pmus[k / 2]);
			f->w->info.events[3].available = k % 2;
			f->w->snap.trust = troubles[k % 2];
			if (k % 2)
				make_trouble(f);
			size_t n = trust_items(&f->w->in, items);
			assert_in_range(n, 1, TRUST_ITEMS_MAX);
			for (size_t i = 0; i < n; i++) {
				bool known = false;
				for (size_t w = 0; w < screen_words_n; w++)
					known |= screen_words[w].section == WORDS_TRUST &&
						 strncmp(items[i].text, screen_words[w].word,
							 strlen(screen_words[w].word)) == 0;
				if (!known)
					fail_msg("no word for \"%s\" in the trust line", items[i].text);
			}
			fixture_destroy(f);
		}
}

static void the_trust_line_names_the_worst(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(60, 120, 2);
	char line[512];
	make_trouble(f);
	trust_line(&f->w->in, line, sizeof(line));
	assert_non_null(strstr(line, "| throttled 12% (instructions) |"));
	assert_non_null(strstr(line, "| sampled 60% (instructions) |"));
	assert_non_null(strstr(line, "| part of the CPUs: MISS% |"));
	assert_non_null(strstr(line, "| no ratio: IPC, MPKI |"));
	/* what has no pair has no column */
	view_draw(&f->st, &f->w->in, f->g);
	assert_false(fixture_screen_has(f, " IPC "));
	/* the panel says it of each */
	struct strbuf b = {0};
	notices_view.text(&f->st, &f->w->in, &b);
	assert_non_null(strstr(b.data, "No IPC, MPKI: "));
	assert_non_null(strstr(b.data, "MISS% is that of 1 of 2 CPUs"));
	assert_non_null(strstr(b.data, "instructions counts no kernel."));
	assert_non_null(strstr(b.data, "instructions: sampled 60%, throttled for 12% of the time."));
	strbuf_deinit(&b);
	fixture_destroy(f);
}

static void ratios_of_events_in_turns_are_marked(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(40, 120, 2);
	char line[512];
	struct source_event *events = f->w->info.events;
	/* a recording does not say which events were scheduled together */
	f->w->info.has_counters = false;
	trust_line(&f->w->in, line, sizeof(line));
	assert_null(strstr(line, "in turns"));
	f->w->info.has_counters = true;
	events[2].group = events[3].group = 0;
	trust_line(&f->w->in, line, sizeof(line));
	assert_non_null(strstr(line, "| in turns*: MISS%, MPKI"));
	view_draw(&f->st, &f->w->in, f->g);
	assert_true(fixture_screen_has(f, " MISS%* "));
	static const struct pivot_query symbols = {.dims = {DIM_SYMBOL}, .dims_n = 1};
	assert_string_equal(view_column_id(&f->w->in, &symbols, 1, "MISS%"), "cache-miss-ratio");
	assert_string_equal(view_column_id(&f->w->in, &symbols, 1, "miss%*"), "cache-miss-ratio");
	assert_true(fixture_screen_has(f, " IPC ")); /* these two were counted all the time */
	/* the two events of MISS% in one group */
	events[2].group = events[3].group = 3;
	trust_line(&f->w->in, line, sizeof(line));
	assert_non_null(strstr(line, "| in turns*: MPKI"));
	struct strbuf b = {0};
	notices_view.text(&f->st, &f->w->in, &b);
	assert_non_null(strstr(b.data, "MPKI*: its two events were counted at different times"));
	assert_null(strstr(b.data, "MISS%*"));
	strbuf_deinit(&b);
	/* nothing is multiplexed */
	for (size_t e = 0; e < f->w->snap.events_n; e++)
		f->w->snap.events[e].running = 1;
	trust_line(&f->w->in, line, sizeof(line));
	assert_null(strstr(line, "in turns"));
	fixture_destroy(f);
}

/* ---- the help begins with what is selected ------------------------------------------------------ */

/* The lines of the help before its keys. */
static char *here(struct fixture *f)
{
	struct strbuf b = {0};
	help_add_here(&b, &f->st, &f->w->in);
	assert_non_null(b.data);
	return b.data;
}

static void assert_here(struct fixture *f, const char *word, const char *help)
{
	struct strbuf line = {0};
	char *text = here(f);
	strbuf_addf(&line, "\n  %s\t%s\n", word, help);
	if (!strstr(text, line.data))
		fail_msg("the help begins with\n%s, without%s", text, line.data);
	strbuf_deinit(&line);
	free(text);
}

static void help_begins_with_the_row(void **state)
{
	(void)state;
	static const struct {
		enum sym_state state;
		const char *name, *word;
	} rows[] = {
		{SYM_PENDING, "[libc.so.6]", "reading symbols"}, {SYM_GROUP, "[libc.so.6+0x1234]", "[x.so+0x15a20]"},
		{SYM_UNRESOLVED, "[no symbol]", "[no symbol]"},	 {SYM_UNRESOLVED, "[guest]", "[guest]"},
		{SYM_NO_DSO, "[unknown]", "[unknown]"},		 {SYM_FOLDED, "[earlier code]", "[earlier code]"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture *f = fixture_create(40, 100, 2);
		f->w->syms[0].state = rows[i].state;
		f->w->syms[0].name = rows[i].name;
		assert_here(f, rows[i].word, word_find(rows[i].word)->help);
		fixture_press(f, 'h');
		assert_true(fixture_screen_has(f, rows[i].word));
		fixture_destroy(f);
	}
	struct fixture *f = fixture_create(40, 100, 2);
	fixture_press(f, KEY_CYC_END); /* the idle time */
	assert_here(f, "(idle)", word_find("(idle)")->help);
	f->w->tasks[1].comm = "";
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "[no name]"));
	fixture_press(f, KEY_CYC_TAB);
	fixture_press(f, KEY_CYC_TAB);
	f->w->tasks[1].comm = "[exiting]";
	fixture_press(f, KEY_CYC_TAB);
	assert_here(f, "[exiting]", word_find("[exiting]")->help);
	fixture_destroy(f);
}

/* Sorted by every column of every pane in turn. */
static void help_begins_with_the_sorted_column(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(40, 100, 2);
	for (int pane = 0; pane < USUAL_PIVOTS; pane++, fixture_press(f, KEY_CYC_TAB)) {
		struct columns cols;
		view_columns(&f->w->in, &usual_pivots[pane], &cols);
		for (size_t i = 0; i < cols.n; i++) {
			fixture_press(f, '>');
			const struct column *col = view_column_find(&cols, focused(&f->st)->sort);
			assert_non_null(col);
			assert_here(f, col->title, col->help);
			char said[64];
			snprintf(said, sizeof(said), "Sorted by %s: %.12s", col->title, col->help);
			assert_true(fixture_screen_has(f, said)); /* as the footer says */
		}
	}
	fixture_destroy(f);
}

/* A name that is longer than its place does not run into its sentence. */
static void long_names_have_a_line(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(40, 100, 2);
	f->w->dsos[f->w->syms[0].dso].name = "qemu-system-riscv64";
	f->w->dsos[f->w->syms[0].dso].why = "it was stripped";
	f->w->syms[0].state = SYM_UNRESOLVED;
	fixture_press(f, 'h');
	assert_true(fixture_screen_has(f, "  qemu-system-riscv64\n"));
	assert_true(fixture_screen_has(f, "\n                   no name for 13% of the cycles: it was stripped"));
	fixture_destroy(f);
}

/* ---- what would give code without a name one ------------------------------------------------------ */

static void assert_remedy(struct fixture *f, uint32_t task, const char *wanted)
{
	struct strbuf b = {0};
	why_add(&f->w->in, 0, task, &b);
	if (!strstr(b.data, wanted))
		fail_msg("no '%s' in: %s", wanted, b.data);
	strbuf_deinit(&b);
}

static void remedies_are_of_the_runtime(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(40, 100, 2);
	struct sym_info *s = &f->w->syms[0];
	struct dso_info *dso = &f->w->dsos[s->dso];
	struct task_info *tasks = f->w->tasks;
	s->state = SYM_UNRESOLVED;
	dso->path = dso->name = "[anon]";
	dso->kernel = false;
	dso->why = "made at run time";
	for (uint32_t i = 0; i < f->w->in.cat->tasks_n; i++)
		tasks[i].comm = "other";
	assert_remedy(f, CATALOG_NONE, "made at run time. What helps: an option with which its runtime");
	tasks[1] = (struct task_info){.pid = 321, .tid = 321, .leader = 1, .comm = "java"};
	tasks[2] = (struct task_info){.pid = 321, .tid = 322, .leader = 1, .comm = "C2 CompilerThre"};
	tasks[3] = (struct task_info){.pid = 400, .tid = 400, .leader = 3, .comm = "node"};
	tasks[4] = (struct task_info){.pid = 401, .tid = 401, .leader = 4, .comm = "python3.12", .exit_ns = 5};
	assert_remedy(f, 2, "What helps: jcmd 321 Compiler.perfmap (");
	assert_remedy(f, 3, "What helps: node --perf-basic-prof.");
	tasks[3].comm = "ruby3.3";
	assert_remedy(f, 3, "What helps: ruby --yjit --yjit-perf (");
	tasks[3].comm = "beam.smp";
	assert_remedy(f, 3, "What helps: erl +JPperf true (");
	tasks[3].comm = "MainThread"; /* as programs call themselves */
	tasks[3].jit_runtime = jit_runtime_of_file("/usr/bin/node");
	assert_remedy(f, 3, "What helps: node --perf-basic-prof.");
	tasks[3].jit_runtime = NULL;
	tasks[3].comm = "node";
	assert_remedy(f, CATALOG_NONE,
		      "java: jcmd PID Compiler.perfmap (JDK 17 and later; again after more was "
		      "compiled); node: node --perf-basic-prof.");
	/* of one kind the name is not said twice, and of one process the pid is known */
	tasks[3].comm = "other";
	assert_remedy(f, CATALOG_NONE, "What helps: jcmd 321 Compiler.perfmap (");
	tasks[3].comm = "node";
	tasks[1].exit_ns = 5;
	assert_remedy(f, CATALOG_NONE, "What helps: node --perf-basic-prof.");
	/* what has ended does nothing any more */
	assert_remedy(f, 2, "What helps next time: cyctop record, which reads the names that the JVM has.");
	f->w->info.playable = true;
	assert_remedy(f, CATALOG_NONE,
		      "What helps next time: java: cyctop record, which reads the names that the JVM has; ");
	assert_remedy(f, 3, "What helps next time: node --perf-basic-prof.");
	tasks[3].comm = "mine";
	assert_remedy(f, 3, "What helps next time: an option with which its runtime writes a perf map, as node's");
	f->w->info.playable = false;
	tasks[3].comm = "node";
	dso->path = "/usr/bin/x";
	dso->build_id = false;
	dso->why = "it is stripped";
	assert_remedy(f, 3,
		      "it is stripped. What helps: its debug symbols, from a package (NAME-dbgsym, NAME-debuginfo).");
	f->w->in.fetch.possible = true; /* servers know files by their build-ids */
	assert_remedy(f, 3,
		      "it is stripped. What helps: its debug symbols, from a package (NAME-dbgsym, NAME-debuginfo).");
	dso->build_id = true;
	assert_remedy(f, 3, "it is stripped. The key F asks a debuginfod server for its names.");
	fixture_destroy(f);
}

/* ---- words that do not stand where they mean nothing --------------------------------------------- */

/* What K and U hide is hidden from panes of code and of tasks; numbers of CPUs stay as they are. */
static void panes_of_cpus_hide_nothing(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 2);
	fixture_press(f, 'U');
	assert_true(fixture_screen_has(f, "user hidden"));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "user hidden"));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "BUSY%"));
	assert_false(fixture_screen_has(f, "user hidden"));
	fixture_press(f, 'K');
	assert_false(fixture_screen_has(f, "kernel hidden"));
	fixture_destroy(f);
}

static void the_title_says_how_often_is_sampled(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 2);
	assert_true(fixture_screen_has(f, "sampling 809 Hz  running 1:42"));
	f->w->info.rate_hz = 0;
	f->w->info.period = 100000;
	fixture_press(f, KEY_CYC_CTRL_L);
	assert_true(fixture_screen_has(f, "sampling 1 in 100k"));
	f->w->info.period = 0;
	fixture_press(f, KEY_CYC_CTRL_L);
	assert_false(fixture_screen_has(f, "sampling"));
	fixture_destroy(f);
}

static void a_clock_says_what_it_counts(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 2);
	struct layout l;
	strcpy(f->w->info.events[0].spec.name, "cpu-clock");
	f->w->info.events[0].spec.role = f->w->roles[0] = ROLE_CLOCK;
	fixture_press(f, KEY_CYC_CTRL_L);
	assert_true(fixture_screen_has(f, "instructions "));
	assert_false(fixture_screen_has(f, "cpu-clock 2"));
	for (size_t e = 1; e < f->w->info.events_n; e++)
		f->w->info.events[e].available = false;
	layout_for(&f->st, &f->w->in, 24, 100, &l);
	assert_int_equal(l.events, -1); /* the clock of the whole machine alone tells nothing */
	f->w->info.scope = SCOPE_TASKS;
	fixture_press(f, KEY_CYC_CTRL_L);
	assert_true(fixture_screen_has(f, " CPUs used"));
	fixture_destroy(f);
}

/* ---- threads are found by their process ------------------------------------------------------------ */

static const char *command_of(void *ctx, uint32_t leader)
{
	(void)ctx;
	return leader == 1 ? "nginx: worker (blue)" : NULL;
}

/* The filter leaves so many rows, one of them with that pid. */
static void assert_filtered(struct fixture *f, const char *filter, const char *pid, const char *rows)
{
	fixture_press(f, '\\');
	fixture_type(f, filter);
	fixture_press(f, KEY_CYC_ENTER);
	assert_true(fixture_screen_has(f, pid));
	assert_true(fixture_screen_has(f, rows));
	fixture_press(f, KEY_CYC_ESC);
}

static void threads_are_found_by_their_process(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 120, 2);
	f->w->in.command = command_of;
	f->w->tasks[1].leader = 2; /* 31877 is the only thread of process 1, "the-server" */
	f->w->tasks[3].leader = 1;
	f->w->tasks[1].comm = "the-server";
	fixture_press(f, KEY_CYC_TAB);
	fixture_press(f, 'H');
	server_world_answer(f->w, &f->st);
	fixture_press(f, KEY_CYC_CTRL_L);
	assert_filtered(f, "(blue)", "31877", " 1 row");
	f->w->tasks[2].comm = "main-one"; /* of which 1412 is a thread */
	assert_filtered(f, "main-one|no such", "1412", " 2 rows");
	fixture_press(f, KEY_CYC_HOME);
	fixture_press(f, '/');
	fixture_type(f, "(blue)");
	fixture_press(f, KEY_CYC_ENTER);
	char *line = fixture_selected_line(f);
	assert_non_null(line);
	assert_non_null(strstr(line, "31877"));
	free(line);
	fixture_press(f, 'y');
	assert_true(fixture_screen_has(f, "Command line: nginx: worker (blue)"));
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_of_words_is_sound),
		cmocka_unit_test(names_in_brackets_have_a_word),
		cmocka_unit_test(the_trust_line_has_words),
		cmocka_unit_test(the_trust_line_names_the_worst),
		cmocka_unit_test(ratios_of_events_in_turns_are_marked),
		cmocka_unit_test(help_begins_with_the_row),
		cmocka_unit_test(help_begins_with_the_sorted_column),
		cmocka_unit_test(long_names_have_a_line),
		cmocka_unit_test(remedies_are_of_the_runtime),
		cmocka_unit_test(panes_of_cpus_hide_nothing),
		cmocka_unit_test(the_title_says_how_often_is_sampled),
		cmocka_unit_test(a_clock_says_what_it_counts),
		cmocka_unit_test(threads_are_found_by_their_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
