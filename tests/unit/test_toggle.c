/* Two states take turns: what belongs to which, what is kept of them, and what their comparison finds. */
#include <cyctop/comparison.h>

#include "base/limits.h"

#include <cyctop/diff.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { A, B };

/* States of three seconds each, in turn: in B a row of 7.5 % has a fifth more. */
#define SCRIPT                                                                                                         \
	"cpus 1\ninterval 1s\njitter 10%\nevent cycles freq=999 speed=3G\ndso app /usr/bin/app\n"                      \
	"sym app:main 0x1000 0x100\nsym app:read 0x1100 0x100\nsym app:parse 0x1200 0x100\nsym app:write 0x1300 "      \
	"0x100\n"                                                                                                      \
	"sym app:hot 0x1400 0x100\ntask 10 app maps=app\n"                                                             \
	"profile a\nrow app:main 30\nrow app:read 25\nrow app:parse 20\nrow app:write 17.5\nrow app:hot 7.5\n"         \
	"profile b\nrow app:main 30\nrow app:read 25\nrow app:parse 20\nrow app:write 17.5\nrow app:hot 9\n"           \
	"tick 3\nload cpu=0 task=10 profile=a busy=80%\n"                                                              \
	"tick 3\nload cpu=0 task=10 profile=b busy=80%\nrepeat\n"

static const enum dimension_id dims[] = {DIM_SYMBOL};

static struct session *open_session(void)
{
	struct session *s = NULL;
	struct error err;
	if (session_open_synth(SCRIPT, strlen(SCRIPT), "test", false, &s, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static void ticks(struct session *s, int n)
{
	while (n--)
		session_tick(s);
}

static struct snapshot *snapshot_of(struct session *s, size_t side, struct pivot_query *pivot)
{
	diff_pivot(dims, 1, pivot);
	return session_snapshot_turns(s, side, &(struct query){.pivots = pivot, .pivots_n = 1, .series = true});
}

static void take_turns(struct session *s, struct toggle *t, int turns, char *text, size_t cap)
{
	for (int i = 0; i < turns; i++) {
		ticks(s, 3);
		toggle_next(t, s, text, cap);
	}
}

static struct diff *compare(struct session *s)
{
	struct snapshot *snaps[DIFF_SIDES];
	struct diff_table *tables[DIFF_SIDES];
	struct pivot_query pivot;
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		snaps[side] = snapshot_of(s, side, &pivot);
		assert_non_null(snaps[side]);
		tables[side] = diff_table_create(snaps[side], snapshot_pivot(snaps[side], &pivot), 1, session_names(s),
						 NULL, NULL);
	}
	struct diff *d = diff_create(tables[DIFF_BEFORE], tables[DIFF_AFTER],
				     &(struct diff_config){.fdr = 0.05, .min_change = 0.01, .paired = true});
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		diff_table_destroy(tables[side]);
		snapshot_destroy(snaps[side]);
	}
	return d;
}

static void a_change_is_found_from_five_pairs_on(void **state)
{
	(void)state;
	struct session *s = open_session();
	struct toggle t = {0};
	char text[512];
	toggle_next(&t, s, text, sizeof(text));
	assert_non_null(strstr(text, "Turn A is measured now"));
	take_turns(s, &t, 2 * COMPARE_PAIRS_MIN - 1, text, sizeof(text));
	assert_int_equal(session_turn_pairs(s), COMPARE_PAIRS_MIN - 1);
	assert_non_null(strstr(text, "Turn B is measured now; 4 pairs so far, 5 are needed."));
	struct diff *d = compare(s);
	assert_int_equal(d->summary.tested, 0);
	diff_destroy(d);
	take_turns(s, &t, 9, text, sizeof(text));
	assert_string_equal(text, "Turn A is measured now; 9 pairs so far.");
	d = compare(s);
	assert_int_equal(d->n, 5);
	assert_int_equal(d->summary.real, 1);
	assert_false(d->summary.low_sensitivity);
	assert_string_equal(d->rows[0].names[0].text, "hot");
	const struct compare_change *c = &d->rows[0].value.change;
	assert_true(c->real && c->low <= 1.2 && c->high >= 1.2);
	assert_true(c->effective == 9);
	assert_false(d->rows[0].carries);
	diff_destroy(d);
	toggle_end(&t, s);
	assert_false(t.on);
	assert_int_equal(session_turn_pairs(s), 0);
	session_destroy(s);
}

static void a_refresh_in_which_the_state_changed_belongs_to_neither(void **state)
{
	(void)state;
	struct session *s = open_session();
	struct toggle t = {0};
	struct pivot_query pivot;
	char text[512];
	ticks(s, 1);
	toggle_next(&t, s, text, sizeof(text));
	uint64_t from_ns = session_now_ns(s);
	take_turns(s, &t, 2, text, sizeof(text));
	struct snapshot *snap = snapshot_of(s, A, &pivot);
	assert_int_equal(snap->intervals_n, 1);
	assert_int_equal(snap->intervals[0].start_ns, from_ns + 1000000000u);
	assert_int_equal(snap->intervals[0].end_ns, from_ns + 3000000000u);
	snapshot_destroy(snap);
	snap = snapshot_of(s, B, &pivot);
	assert_int_equal(snap->intervals[0].start_ns, from_ns + 4000000000u);
	snapshot_destroy(snap);
	session_destroy(s);
}

static void a_turn_without_a_whole_refresh_begins_anew(void **state)
{
	(void)state;
	struct session *s = open_session();
	struct toggle t = {0};
	char text[512];
	toggle_next(&t, s, text, sizeof(text));
	ticks(s, 1); /* of which t was pressed in this one */
	toggle_next(&t, s, text, sizeof(text));
	assert_non_null(strstr(text, "Turn A had no whole refresh"));
	assert_int_equal(t.side, A);
	ticks(s, 2);
	toggle_next(&t, s, text, sizeof(text));
	assert_int_equal(t.side, B);
	assert_int_equal(session_turn_pairs(s), 0);
	struct pivot_query pivot;
	assert_null(snapshot_of(s, A, &pivot)); /* it has no partner yet */
	session_destroy(s);
}

static void turns_outlive_the_history_and_a_frozen_screen(void **state)
{
	(void)state;
	struct session *s = open_session();
	struct toggle t = {0};
	struct pivot_query pivot;
	char text[512];
	toggle_next(&t, s, text, sizeof(text));
	session_freeze(s, true);
	take_turns(s, &t, 3, text, sizeof(text)); /* the third has no partner */
	session_freeze(s, false);
	struct snapshot *before = snapshot_of(s, A, &pivot);
	uint64_t samples = before->pivots[0].rows[0].sums[0].samples;
	assert_true(samples > 0);
	ticks(s, 300); /* what is older than two minutes is joined, and ids are swept */
	session_reset(s);
	struct snapshot *after = snapshot_of(s, A, &pivot);
	assert_int_equal(after->intervals_n, 1);
	assert_int_equal(after->intervals[0].end_ns, before->intervals[0].end_ns);
	assert_int_equal(after->pivots[0].rows[0].sums[0].samples, samples);
	snapshot_destroy(before);
	snapshot_destroy(after);
	session_destroy(s);
}

static void the_oldest_pairs_make_room(void **state)
{
	(void)state;
	struct session *s = open_session();
	struct toggle t = {0};
	struct pivot_query pivot;
	char text[512];
	toggle_next(&t, s, text, sizeof(text));
	for (int i = 0; i < 2 * LIMIT_TURN_PAIRS; i++) {
		ticks(s, 2);
		toggle_next(&t, s, text, sizeof(text));
	}
	assert_string_equal(text, "Turn A is measured now; 400 pairs so far.");
	struct snapshot *snap = snapshot_of(s, A, &pivot);
	uint64_t second_ns = snap->intervals[1].start_ns;
	snapshot_destroy(snap);
	for (int i = 0; i < 2; i++) {
		ticks(s, 2);
		toggle_next(&t, s, text, sizeof(text));
	}
	assert_non_null(strstr(text, limit_row(REACHED_TURN_PAIRS)->sentence));
	assert_int_equal(session_turn_pairs(s), LIMIT_TURN_PAIRS);
	for (size_t side = A; side <= B; side++) {
		snap = snapshot_of(s, side, &pivot);
		assert_int_equal(snap->intervals_n, LIMIT_TURN_PAIRS);
		assert_true(snap->intervals[0].start_ns >= second_ns);
		snapshot_destroy(snap);
	}
	session_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_found_from_five_pairs_on),
		cmocka_unit_test(a_refresh_in_which_the_state_changed_belongs_to_neither),
		cmocka_unit_test(a_turn_without_a_whole_refresh_begins_anew),
		cmocka_unit_test(turns_outlive_the_history_and_a_frozen_screen),
		cmocka_unit_test(the_oldest_pairs_make_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
