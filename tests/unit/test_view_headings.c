/* Headings of the columns of events. */
#include "../lib/fake_world.h"
#include "view/columns.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_headings(const char *const *names, size_t n, const char *const *want)
{
	struct fake_world *w = fake_world_create();
	struct columns cols;
	for (size_t e = 0; e < n; e++) {
		w->info.events[e] = (struct source_event){.available = true};
		snprintf(w->info.events[e].spec.name, sizeof(w->info.events[e].spec.name), "%s", names[e]);
		w->roles[e] = w->info.events[e].spec.role = ROLE_OTHER;
		w->info.events[e].spec.type = strchr(names[e], ':') ? ABI_TYPE_TRACEPOINT : ABI_TYPE_SOFTWARE;
	}
	w->info.events_n = n;
	view_columns(&w->in, &(struct pivot_query){.dims = {DIM_PID}, .dims_n = 1}, &cols);
	for (size_t e = 0; e < n; e++) {
		const struct column *col = view_column_find(&cols, names[e]);
		assert_non_null(col);
		if (want)
			assert_string_equal(col->title, want[e]);
		assert_true(strlen(col->title) < col->width);
		for (size_t k = 0; k < e; k++)
			assert_string_not_equal(col->title, view_column_find(&cols, names[k])->title);
	}
	fake_world_destroy(w);
}

static void assert_counted(const char *const names[2], const char *const want[2])
{
	struct source_info info = {.events_n = 2};
	char is[EVENTS_MAX][COLUMN_TITLE_MAX];
	for (size_t e = 0; e < 2; e++) {
		info.events[e].spec.counted = true;
		snprintf(info.events[e].spec.name, sizeof(info.events[e].spec.name), "%s", names[e]);
	}
	event_headings(&info, 8, 13, is);
	assert_string_equal(is[0], want[0]);
	assert_string_equal(is[1], want[1]);
}

/* The heading of a column is the event's name, cut; those of a session differ, however alike the names are. */
static void headings_of_events_differ(void **state)
{
	(void)state;
	assert_headings((const char *const[]){"branch-load-misses", "minor-faults"}, 2,
			(const char *const[]){"branch-l/s", "minor/s"});
	assert_headings((const char *const[]){"page-faults", "context-switches", "L1-dcache-load-misses"}, 3,
			(const char *const[]){"faults/s", "ctxsw/s", "L1D-miss/s"});
	assert_headings(
		(const char *const[]){"sched:sched_switch", "sched:sched_stat_runtime", "sched:sched_waking", "faults"},
		4, (const char *const[]){"switch/s", "stat_run/s", "waking/s", "faults/s"});
	assert_headings(
		(const char *const[]){"syscalls:sys_enter_read", "syscalls:sys_enter_readv", "syscalls:sys_exit_read"},
		3, (const char *const[]){"enter_read/s", "enter_readv/s", "exit_read/s"});
	assert_headings((const char *const[]){"sched:sched_switch", "irq:irq_handler_entry", "syscalls:sys_enter_read"},
			3, (const char *const[]){"switch/s", "handler_/s", "sys_ente/s"});
	assert_headings((const char *const[]){"irq:entry", "sched:entry"}, 2, NULL);
	assert_headings((const char *const[]){"uprobe:/lib/libc.so:malloc", "uprobe:/lib/libc.so:malloc%return",
					      "kprobe:vfs_read", "uprobe:/lib/libc.so:free"},
			4, (const char *const[]){"malloc/s", "malloc%r/s", "vfs_read/s", "free/s"});
	assert_headings((const char *const[]){"uprobe:/bin/a:main", "uprobe:/bin/b:main"}, 2, NULL);
	assert_headings((const char *const[]){"uprobe:/bin/a:do_request", "uprobe:/bin/a:do_request%return"}, 2, NULL);
	assert_headings((const char *const[]){"cpu_core/instructions/", "cpu_core/cycles/", "cpu_atom/instructions/",
					      "cpu_atom/cycles/"},
			4,
			(const char *const[]){"core/instruct/s", "core/cycles/s", "atom/instruct/s", "atom/cycles/s"});
	assert_headings((const char *const[]){"a_very_long_name_of_a_pmu/event=1/",
					      "a_very_long_name_of_a_pmu/event=2/", "b/event=1/", "/", "_/"},
			5, NULL);
	assert_headings((const char *const[]){"cpu_averyverylongname/a/", "cpu_averyverylongname/b/", "cpu_atom/a/",
					      "cpu_atom/b/"},
			4, NULL);
	assert_headings((const char *const[]){"irq:irq_handler_entry_of_a_long_name_1",
					      "irq:irq_handler_entry_of_a_long_name_2",
					      "irq:irq_handler_entry_of_a_long_name"},
			3, NULL);
	assert_headings((const char *const[]){"aaaaaaaaaaaaaaaaaaaaaaaaaaBaaaaaaaaaaaaaaaaaaa",
					      "aaaaaaaaaaaaaaaaaaaaaaaaaaCaaaaaaaaaaaaaaaaaaa",
					      "aaaaaaaaaaaaaaaaaaaaaaaaaa"},
			3, NULL);
	assert_counted((const char *const[]){"power/energy-pkg/", "msr/tsc/"},
		       (const char *const[]){"energy-p", "tsc"});
	assert_counted((const char *const[]){"uncore_imc_0/cas_count_read/", "uncore_imc_1/cas_count_read/"},
		       (const char *const[]){"0/cas_co", "1/cas_co"});
	const char *like[EVENTS_MAX];
	struct fake_world *w = fake_world_create();
	assert_int_equal(view_events_like(&w->in, "cache-", like), 2);
	assert_int_equal(view_events_like(&w->in, "CACHE-MI/s", like), 1);
	assert_string_equal(like[0], "cache-misses");
	assert_int_equal(view_events_like(&w->in, "misses", like), 1); /* in no name's beginning, but in one */
	assert_string_equal(like[0], "cache-misses");
	assert_int_equal(view_events_like(&w->in, "nothing", like), 0);
	fake_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headings_of_events_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
