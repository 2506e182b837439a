/* Panels of text: what they say, and that all of it can be read on any screen. */
#include "base/limits.h"
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_measurement_has_a_panel(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(50, 80, 4);
	strcpy(f->w->info.host, "db3");
	f->w->info.rate_hz = 999;
	f->w->info.events[3].available = false;
	for (size_t e = 0; e < 3; e++)
		f->w->info.events[e].group = e < 2 ? 1 : 2;
	strcpy(f->w->info.events[0].pmu, "cpu_core");
	fixture_press(f, 'O');
	assert_true(fixture_screen_has(f, "db3, "));
	assert_true(fixture_screen_has(f, " 4 CPUs: all tasks on all CPUs."));
	assert_true(fixture_screen_has(f, "about 999 samples a second"));
	assert_true(fixture_screen_has(f, "cycles of the PMU cpu_core: counted together with instructions."));
	assert_true(fixture_screen_has(f, "cache-references: counted alone."));
	assert_false(fixture_screen_has(f, "cache-misses."));
	fixture_press(f, 'O');
	assert_false(fixture_screen_has(f, "about 999 samples a second"));
	f->w->info.rate_hz = 0;
	f->w->info.period = 20000;
	strcpy(f->w->info.target, "process 17 (make)");
	fixture_press(f, 'O');
	assert_true(fixture_screen_has(f, ": process 17 (make)."));
	assert_true(fixture_screen_has(f, "a sample every 20000 events."));
	fixture_destroy(f);
}

static void calls_are_measured_after_a_confirmation(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(50, 120, 4);
	fixture_press(f, 'x');
	assert_true(fixture_screen_has(f, "can only be measured live"));
	f->w->in.probe.possible = true;
	fixture_press(f, 'x');
	assert_true(fixture_screen_has(f, "x again measures each of its calls"));
	assert_false(view_wants_probe(&f->st));
	fixture_press(f, KEY_CYC_ESC);
	fixture_press(f, 'x');
	assert_false(view_wants_probe(&f->st));
	fixture_press(f, 'x');
	assert_true(view_wants_probe(&f->st));
	assert_true(fixture_screen_has(f, "What a probe costs is measured..."));
	assert_non_null(strchr("/k", f->st.probe.function[0]));
	f->w->in.probe.text = "cyctop: it costs something\nSELF%  CALLS\n100.0  17\n";
	fixture_press(f, KEY_CYC_DOWN);
	assert_true(fixture_screen_has(f, "100.0  17"));
	f->w->in.probe.refused = true;
	assert_int_equal(f->st.probe.stage, PROBE_CONFIRMED);
	fixture_press(f, 'x');
	assert_int_equal(f->st.probe.stage, PROBE_FORCED);
	fixture_press(f, KEY_CYC_ESC);
	assert_false(view_wants_probe(&f->st));
	fixture_destroy(f);
}

static void notices_have_a_panel(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	fixture_press(f, '!');
	assert_true(fixture_screen_has(f, "There are no notices"));
	fixture_press(f, '!');
	assert_false(fixture_screen_has(f, "There are no notices"));
	strcpy(f->w->info.notice, "Something must be said.");
	f->w->info.events[3].available = false;
	strcpy(f->w->info.events[3].why, "the PMU does not have it");
	fixture_press(f, '!');
	assert_true(fixture_screen_has(f, "Something must be said."));
	assert_true(fixture_screen_has(f, "Not counted: cache-misses. the PMU does not have it"));
	fixture_press(f, KEY_CYC_ESC);
	assert_false(fixture_screen_has(f, "Something must be said."));
	fixture_destroy(f);
}

static void events_without_a_counter_are_told(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(40, 200, 4);
	char text[200];
	assert_false(view_uncounted_text(&f->w->in, text, sizeof(text)));
	f->w->snap.events[1].state = f->w->snap.events[3].state = COUNT_NEVER;
	fixture_press(f, '!');
	assert_true(fixture_screen_has(f, "instructions, cache-misses never had a counter, since other events held "
					  "them all the time: cyctop doctor"));
	assert_true(view_uncounted_text(&f->w->in, text, sizeof(text)));
	f->w->info.playable = true;
	assert_true(view_uncounted_text(&f->w->in, text, sizeof(text)));
	assert_null(strstr(text, "doctor")); /* no advice on a recording's machine */
	fixture_destroy(f);
}

static void its_own_cost_is_told_where_it_is_counted(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(40, 200, 4);
	fixture_press(f, '!');
	assert_false(fixture_screen_has(f, "cyctop itself"));
	f->w->in.own = (struct view_own){
		.valid = true, .cycles = 12e6, .instructions = 15e6, .in_user_space = true, .threads = 2};
	fixture_press(f, '!');
	fixture_press(f, '!');
	assert_true(
		fixture_screen_has(f, "itself (threads: 2): 12.0M cycles and 15.0M instructions a second (IPC 1.25)"));
	assert_true(fixture_screen_has(f, "without a system call"));
	f->w->in.own.in_user_space = false;
	f->w->in.own.user_only = true;
	fixture_press(f, '!');
	fixture_press(f, '!');
	assert_true(fixture_screen_has(f, "by a system call"));
	assert_true(fixture_screen_has(f, "without the kernel's"));
	fixture_destroy(f);
}

/* Of these texts, how many are on the screen while one pages down to the end. */
static size_t seen_while_paging(struct fixture *f, char texts[][48], size_t n)
{
	bool seen[LIMITS_N + 2] = {false};
	size_t all = 0;
	fixture_press(f, KEY_CYC_HOME);
	for (int i = 0; i < 60; i++, fixture_press(f, KEY_CYC_PGDN))
		for (size_t t = 0; t < n; t++)
			seen[t] |= fixture_screen_has(f, texts[t]);
	for (size_t t = 0; t < n; t++)
		all += seen[t];
	return all;
}

/* However small the screen, all of the notices can be read, with the limits that the trust line counts. */
static void all_notices_can_be_read(void **state)
{
	(void)state;
	static const struct {
		int rows, cols;
	} sizes[] = {{35, 120}, {24, 80}, {15, 60}, {8, 40}};
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		struct fixture *f = fixture_create(sizes[s].rows, sizes[s].cols, 4);
		char in_help[][48] = {"Something must be said", "limit reached"};
		char in_panel[LIMITS_N + 1][48] = {"Something must be said"};
		strcpy(f->w->info.notice, "Something must be said, in more words than fit into a single line of it.");
		for (unsigned i = 0; i < LIMITS_N; i++) {
			f->w->cat.limits.n[i] = 1;
			const char *sentence =
				limit_row((enum limit)i)->sentence; /* of which 38 cells hold some words */
			snprintf(in_panel[i + 1], sizeof(in_panel[0]), "Limit reached: %.*s",
				 (int)text_wrap(sentence, 20), sentence);
		}
		fixture_press(f, 'h');
		assert_int_equal(seen_while_paging(f, in_help, ARRAY_LEN(in_help)), ARRAY_LEN(in_help));
		fixture_press(f, 'h');
		fixture_press(f, '!');
		assert_int_equal(seen_while_paging(f, in_panel, ARRAY_LEN(in_panel)), ARRAY_LEN(in_panel));
		fixture_press(f, '!');
		assert_null(view_find(&f->st, &notices_view));
		fixture_destroy(f);
	}
}

/* Rows stay beside the panel about them.  Its key, pressed again, shows the rest of a text that does not fit. */
static void a_long_answer_is_shown_whole(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	f->w->syms[0].name = "a_name_that_is_longer_than_all_that_the_panel_has_room_for_and_goes_on_and_on_and_on_and_"
			     "on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_"
			     "and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_"
			     "and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_"
			     "and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_to_its_END";
	fixture_press(f, 'y');
	assert_true(fixture_screen_has(f, "y shows all") && fixture_screen_has(f, "CYC%"));
	fixture_press(f, 'y');
	assert_true(fixture_screen_has(f, "its_END") && !fixture_screen_has(f, "CYC%"));
	fixture_press(f, 'y');
	assert_null(view_find(&f->st, &why_view));
	fixture_press(f, 'j');
	fixture_press(f, 'y');
	assert_true(fixture_screen_has(f, "y closes"));
	fixture_press(f, 'y');
	assert_null(view_find(&f->st, &why_view));
	fixture_destroy(f);
}

/* Events that lack for one reason are named together, so that the reason stands once. */
static void a_reason_is_said_once(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(60, 120, 4);
	for (int e = 1; e < 4; e++) {
		f->w->info.events[e].available = false;
		strcpy(f->w->info.events[e].why, e == 2 ? "another reason" : "the PMU does not have it");
	}
	fixture_press(f, '!');
	assert_true(fixture_screen_has(f, "Not counted: instructions, cache-misses. the PMU does not have it"));
	assert_true(fixture_screen_has(f, "Not counted: cache-references. another reason"));
	fixture_press(f, '!');
	fixture_press(f, 'h');
	assert_true(fixture_screen_has(f, "instructions, cache-misses"));
	fixture_destroy(f);
}

/* Each limit that was reached is in the panel, with how often, and counted on the trust line. */
static void limits_are_said(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(60, 200, 4);
	assert_false(fixture_screen_has(f, "limits "));
	fixture_press(f, '!');
	for (unsigned i = 0; i < LIMITS_N; i++) {
		char want[200];
		struct limit_counts *counts = &f->w->cat.limits;
		*counts = (struct limit_counts){0};
		counts->n[i] = 1;
		snprintf(want, sizeof(want), "Limit reached: %s.", limit_row((enum limit)i)->sentence);
		fixture_press(f, KEY_CYC_RESIZE);
		if (!fixture_screen_has(f, want))
			fail_msg("the screen lacks: %s", want);
		counts->n[i] = 3;
		snprintf(want, sizeof(want), "Limit reached: %s (reached 3 times).",
			 limit_row((enum limit)i)->sentence);
		fixture_press(f, KEY_CYC_RESIZE);
		if (!fixture_screen_has(f, want))
			fail_msg("the screen lacks: %s", want);
		assert_true(fixture_screen_has(f, "limits 1"));
	}
	fixture_destroy(f);
}

/* What was lost is said with what helps. */
static void losses_are_explained(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(60, 200, 4);
	f->w->snap.trust.lost = 1000;
	f->w->snap.trust.lost_share = 0.004;
	fixture_press(f, '!');
	assert_false(fixture_screen_has(f, "were lost"));
	f->w->snap.trust.lost_share = 0.93;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "93% of the samples were lost, because they came faster than they were read: "
					  "sample less often (-F, -c), or with larger rings (--ring)."));
	f->w->info.playable = true;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "93% of the samples were lost when it was recorded."));
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_measurement_has_a_panel),
		cmocka_unit_test(calls_are_measured_after_a_confirmation),
		cmocka_unit_test(notices_have_a_panel),
		cmocka_unit_test(events_without_a_counter_are_told),
		cmocka_unit_test(its_own_cost_is_told_where_it_is_counted),
		cmocka_unit_test(all_notices_can_be_read),
		cmocka_unit_test(a_long_answer_is_shown_whole),
		cmocka_unit_test(a_reason_is_said_once),
		cmocka_unit_test(losses_are_explained),
		cmocka_unit_test(limits_are_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
