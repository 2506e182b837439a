/* What can be compared, what is refused, and what is said of it. */
#include <cyctop/diff.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void about_init(struct diff_about about[DIFF_SIDES])
{
	for (int i = 0; i < DIFF_SIDES; i++)
		about[i] = (struct diff_about){
			.file = i ? "after.data" : "before.data",
			.host = "box",
			.kernel = "6.1 x86_64",
			.cpu = "a CPU",
			.cpus = 4,
			.start_ns = 1000000000,
			.end_ns = 9000000000 + (uint64_t)i,
			.intervals = 60,
			.samples = 5000,
			.events = {{.name = "cycles",
				    .role = ROLE_CYCLES,
				    .samples = 3000,
				    .intervals = 60,
				    .weighed = true},
				   {.name = "page-faults",
				    .type = 1,
				    .config = 2,
				    .samples = 2000,
				    .intervals = 60,
				    .weighed = true}},
			.events_n = 2,
		};
}

static void assert_refused(const struct diff_about about[DIFF_SIDES], const char *text)
{
	struct error err;
	struct diff_notes notes = {.n = 0};
	const size_t event[DIFF_SIDES] = {0, 0};
	assert_int_equal(diff_check(about, event, &notes, &err), -EINVAL);
	if (!strstr(err.text, text))
		fail_msg("it says '%s', not '%s'", err.text, text);
}

static void what_tells_nothing_is_refused(void **state)
{
	(void)state;
	struct diff_about about[DIFF_SIDES];
	struct diff_notes notes = {.n = 0};
	const size_t event[DIFF_SIDES] = {0, 0};
	about_init(about);
	assert_int_equal(diff_check(about, event, &notes, NULL), 0);
	assert_int_equal(notes.n, 0);
	about[DIFF_AFTER].end_ns = about[DIFF_BEFORE].end_ns;
	assert_refused(about, "are the same recording");
	about_init(about);
	about[DIFF_AFTER].timeless = true;
	assert_refused(about, "after.data: its records have no times");
	about_init(about);
	about[DIFF_BEFORE].lost = 5001;
	assert_refused(about, "before.data lost more samples (5001) than it has (5000)");
	about_init(about);
	about[DIFF_AFTER].events[0].samples = 3;
	assert_refused(about, "after.data has only 3 samples of cycles outside of idle time");
	about_init(about);
	about[DIFF_AFTER].events[0].intervals = 7;
	assert_refused(about, "after.data has samples of cycles in only 7 of 60 intervals of its 8 s");
}

static void assert_noted(const struct diff_about about[DIFF_SIDES], const char *text)
{
	struct error err;
	struct diff_notes notes = {.n = 0};
	size_t event[DIFF_SIDES];
	assert_int_equal(diff_find_event(about, NULL, event, &err), 0);
	assert_int_equal(diff_check(about, event, &notes, &err), 0);
	assert_int_equal(notes.n, 1);
	if (!strstr(notes.text[0], text))
		fail_msg("it says '%s', not '%s'", notes.text[0], text);
}

static void what_differs_is_said(void **state)
{
	(void)state;
	struct diff_about about[DIFF_SIDES];
	about_init(about);
	strcpy(about[DIFF_AFTER].cpu, "another CPU");
	assert_noted(about, "the CPUs differ (a CPU; another CPU)");
	about_init(about);
	about[DIFF_AFTER].cpus = 8;
	assert_noted(about, "before had 4 CPUs and after 8");
	about_init(about);
	strcpy(about[DIFF_AFTER].kernel, "6.2 x86_64");
	assert_noted(about, "the kernels differ (6.1 x86_64; 6.2 x86_64)");
	about_init(about);
	about[DIFF_AFTER].events[0].modes = MODE_NO_KERNEL;
	assert_noted(about, "cycles leaves out other code before (nothing) than after (no kernel)");
	about_init(about);
	strcpy(about[DIFF_AFTER].only, "process 17");
	assert_noted(about, "before is of all that was measured, after of process 17");
	about_init(about);
	about[DIFF_AFTER].lost = 1000;
	assert_noted(about, "after lost 16.7% of its samples");
	about_init(about);
	about[DIFF_AFTER].events[0] = (struct diff_event){
		.name = "cpu-clock", .role = ROLE_CLOCK, .type = 1, .samples = 500, .weighed = true};
	assert_noted(about, "the first events differ (cycles; cpu-clock); page-faults is on both sides");
	about_init(about);
	about[DIFF_AFTER].events[0].weighed = false;
	assert_noted(about, "do not say how many events they stand for");
	about_init(about);
	about[DIFF_AFTER].cpu[0] = '\0'; /* not known is not different */
	struct diff_notes notes = {.n = 0};
	assert_int_equal(diff_check(about, (const size_t[]){0, 0}, &notes, NULL), 0);
	assert_int_equal(notes.n, 0);
}

static void a_clock_has_no_guest_to_leave_out(void **state)
{
	(void)state;
	struct diff_about about[DIFF_SIDES];
	struct diff_notes notes = {.n = 0};
	const size_t event[DIFF_SIDES] = {0, 0};
	about_init(about);
	for (int i = 0; i < DIFF_SIDES; i++) {
		about[i].events[0].role = ROLE_CLOCK;
		about[i].events[0].type = 1;
	}
	about[DIFF_BEFORE].events[0].modes = MODE_NO_GUEST; /* as in a recording of the same -e */
	assert_int_equal(diff_check(about, event, &notes, NULL), 0);
	assert_int_equal(notes.n, 0);
	about[DIFF_BEFORE].events[0].modes |= MODE_NO_KERNEL;
	assert_noted(about, "leaves out other code before (");
}

static void events_are_found_by_what_they_count(void **state)
{
	(void)state;
	struct diff_about about[DIFF_SIDES];
	struct error err;
	size_t event[DIFF_SIDES];
	about_init(about);
	struct diff_event swapped = about[DIFF_AFTER].events[0];
	about[DIFF_AFTER].events[0] = about[DIFF_AFTER].events[1];
	about[DIFF_AFTER].events[1] = swapped;
	strcpy(about[DIFF_AFTER].events[1].name, "cpu/cpu-cycles/u");
	about[DIFF_AFTER].events[1].type = 4; /* its PMU calls it another number */
	assert_int_equal(diff_find_event(about, NULL, event, &err), 0);
	assert_int_equal(event[DIFF_BEFORE], 0);
	assert_int_equal(event[DIFF_AFTER], 1);
	assert_int_equal(diff_find_event(about, "page-faults", event, &err), 0);
	assert_int_equal(event[DIFF_BEFORE], 1);
	assert_int_equal(event[DIFF_AFTER], 0);
	assert_int_equal(diff_find_event(about, "branches", event, &err), -ENOENT);
	assert_non_null(strstr(err.text, "before has cycles, page-faults; after has page-faults, cpu/cpu-cycles/u"));
	/* a clock is not cycles, nor another clock */
	about[DIFF_BEFORE].events_n = about[DIFF_AFTER].events_n = 1;
	about[DIFF_AFTER].events[0] = (struct diff_event){.name = "cpu-clock", .role = ROLE_CLOCK, .type = 1};
	assert_int_equal(diff_find_event(about, NULL, event, &err), -ENOENT);
	assert_non_null(strstr(err.text, "before has cycles; after has cpu-clock; record both with the same -e"));
	about[DIFF_BEFORE].events[0] =
		(struct diff_event){.name = "task-clock", .role = ROLE_CLOCK, .type = 1, .config = 1};
	assert_int_equal(diff_find_event(about, NULL, event, &err), -ENOENT);
}

static void a_side_before_is_checked_alone(void **state)
{
	(void)state;
	struct diff_about about[DIFF_SIDES];
	struct diff_notes notes = {.n = 0};
	struct error err;
	struct diff_differences differs;
	size_t event[DIFF_SIDES];
	about_init(about);
	about[DIFF_AFTER].samples = about[DIFF_AFTER].events[1].samples = 0; /* it has only begun */
	about[DIFF_AFTER].start_ns = about[DIFF_AFTER].end_ns = 0;
	assert_int_equal(diff_find_like(about, 1, event, &err), 0);
	assert_int_equal(event[DIFF_BEFORE], 1);
	assert_int_equal(diff_check_before(about, event, &notes, &differs, &err), 0);
	assert_int_equal(notes.n, 0);
	assert_string_equal(differs.text, "");
	assert_string_equal(differs.brief, "");
	assert_int_equal(diff_check_unit(about, DIFF_UNIT_RATE, &err), 0);
	strcpy(about[DIFF_BEFORE].cpu, "a Xeon");
	strcpy(about[DIFF_BEFORE].kernel, "5.4");
	strcpy(about[DIFF_BEFORE].only, "process 17");
	about[DIFF_BEFORE].cpus = 64;
	assert_int_equal(diff_check_before(about, event, &notes, &differs, &err), 0);
	assert_int_equal(notes.n, 4);
	assert_string_equal(differs.text, "another CPU (a Xeon), another number of CPUs (64), another kernel (5.4), "
					  "another part (process 17)");
	assert_string_equal(differs.brief, "another CPU, CPU count, kernel, part");
	about[DIFF_BEFORE].events[1].samples = 3;
	assert_int_equal(diff_check_before(about, event, &notes, &differs, &err), -EINVAL);
	assert_non_null(strstr(err.text, "before.data has only 3 samples of page-faults"));
	strcpy(about[DIFF_AFTER].events[1].name, "context-switches");
	about[DIFF_AFTER].events[1].config = 3;
	assert_int_equal(diff_find_like(about, 1, event, &err), -ENOENT);
}

static void sides_of_the_same_time_are_no_evidence(void **state)
{
	(void)state;
	struct diff_about about[DIFF_SIDES];
	struct diff_notes notes = {.n = 0};
	struct diff_differences differs;
	struct error err;
	const size_t event[DIFF_SIDES] = {0, 0};
	about_init(about); /* 1 to 9 s */
	/* what is shown is the recording itself */
	assert_int_equal(diff_check_before(about, event, &notes, &differs, &err), -EINVAL);
	assert_non_null(strstr(err.text, "before.data is of the same recording as what is shown"));
	/* or has a part of it */
	about[DIFF_AFTER].end_ns = 40000000000;
	assert_int_equal(diff_check_before(about, event, &notes, &differs, &err), 0);
	assert_string_equal(differs.text, "8 s of it are part of what is shown");
	assert_string_equal(differs.brief, "the same time");
	assert_int_equal(notes.n, 0);
	about[DIFF_BEFORE].utc_ns = 1000000000000 + about[DIFF_BEFORE].end_ns;
	about[DIFF_AFTER].utc_ns = 1000000001000 + about[DIFF_AFTER].end_ns;
	assert_int_equal(diff_check_before(about, event, &notes, &differs, &err), 0);
	assert_int_equal(notes.n, 1);
	assert_non_null(strstr(notes.text[0], "before.data and after.data share 8 s of the same time on box: "));
	/* not of another boot, of another machine, or one after the other */
	about[DIFF_AFTER].utc_ns += 60000000000;
	assert_false(diff_shared_seconds(&about[0], &about[1]) > 0);
	about[DIFF_AFTER].utc_ns = about[DIFF_BEFORE].utc_ns = 0;
	about[DIFF_AFTER].start_ns = about[DIFF_BEFORE].end_ns - 20000000;
	assert_false(diff_shared_seconds(&about[0], &about[1]) > 0);
	about[DIFF_AFTER].start_ns = 0;
	strcpy(about[DIFF_AFTER].host, "other");
	assert_false(diff_shared_seconds(&about[0], &about[1]) > 0);
}

static void rates_of_other_machines_are_refused(void **state)
{
	(void)state;
	struct diff_about about[DIFF_SIDES];
	struct error err;
	about_init(about);
	about[DIFF_BEFORE].cpus = 64;
	about[DIFF_AFTER].cpus = 8;
	for (enum diff_unit unit = 0; unit < DIFF_UNITS; unit++)
		assert_int_equal(diff_check_unit(about, unit, &err), unit == DIFF_UNIT_RATE ? -EINVAL : 0);
	assert_non_null(strstr(err.text, "--unit rate: before had 64 CPUs and after 8, and "));
	about[DIFF_AFTER].cpus = 0; /* not known */
	assert_false(diff_rates_differ(about));
	strcpy(about[DIFF_BEFORE].cpu, "a Xeon");
	strcpy(about[DIFF_AFTER].cpu, "an EPYC");
	assert_int_equal(diff_check_unit(about, DIFF_UNIT_RATE, &err), -EINVAL);
	assert_non_null(strstr(err.text, "the CPUs differ (a Xeon; an EPYC)"));
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_tells_nothing_is_refused),
		cmocka_unit_test(what_differs_is_said),
		cmocka_unit_test(a_clock_has_no_guest_to_leave_out),
		cmocka_unit_test(events_are_found_by_what_they_count),
		cmocka_unit_test(a_side_before_is_checked_alone),
		cmocka_unit_test(sides_of_the_same_time_are_no_evidence),
		cmocka_unit_test(rates_of_other_machines_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
