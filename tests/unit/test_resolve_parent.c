/* Who started a process. */
#include "test_resolve_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *parent(struct resolver *r, uint32_t pid, uint32_t tid)
{
	return task_of(r, resolver_task(r, pid, tid, 100))->parent;
}

static void a_parent_has_the_name_of_the_fork(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	apply_comm(r, 10, 10, "make", false);
	apply_task(r, RECORD_FORK, 20, 20, 10, 10, 2);
	apply_comm(r, 20, 20, "cc", true);
	apply_comm(r, 10, 10, "make-2", false);
	apply_task(r, RECORD_FORK, 21, 21, 10, 10, 3);
	apply_task(r, RECORD_FORK, 30, 30, 20, 20, 4);
	assert_int_equal(task_of(r, resolver_task(r, 10, 10, 100))->started, 2);
	assert_int_equal(task_of(r, resolver_task(r, 20, 20, 100))->started, 1);
	assert_string_equal(parent(r, 20, 20), "make (10)");
	assert_string_equal(parent(r, 20, 25), "make (10)"); /* a thread's is its process's */
	assert_string_equal(parent(r, 21, 21), "make-2 (10)");
	assert_string_equal(parent(r, 30, 30), "cc (20)");
	assert_null(parent(r, 10, 10));
	assert_int_equal(task_of(r, resolver_task(r, 30, 30, 100))->ppid, 20);
	/* it stays when the parent ends, and when the process executes another program */
	apply_task(r, RECORD_EXIT, 20, 20, 10, 10, 101);
	apply_comm(r, 30, 30, "as", true);
	assert_string_equal(parent(r, 30, 30), "cc (20)");
	resolver_destroy(r);
}

/* A process that cyctop (77) forked is a part of it, until it executes another program. */
static void helpers_are_cyctop_itself(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	apply_comm(r, 77, 77, "cyctop", false);
	apply_task(r, RECORD_FORK, 20, 20, 77, 77, 2);
	apply_task(r, RECORD_FORK, 21, 21, 77, 77, 3);
	apply_task(r, RECORD_FORK, 22, 22, 20, 20, 4);
	apply_comm(r, 21, 21, "make", true);
	assert_true(task_of(r, resolver_task(r, 77, 77, 100))->self);
	assert_true(task_of(r, resolver_task(r, 20, 20, 100))->self);
	assert_false(task_of(r, resolver_task(r, 21, 21, 100))->self);
	assert_false(task_of(r, resolver_task(r, 22, 22, 100))->self); /* forked by the helper */
	apply_comm(r, 20, 20, "cyctop", true);
	assert_false(task_of(r, resolver_task(r, 20, 20, 101))->self);
	resolver_destroy(r);
}

/* A process that was there before: its parent is the one that /proc has, under its present name. */
static void a_parent_of_proc(void **state)
{
	(void)state;
	struct world w = {.parent = 7};
	struct resolver *r = make(&w, false);
	assert_string_equal(parent(r, 10, 11), "p7.7 (7)");
	assert_null(parent(r, 7, 7)); /* this made world has 7 as a parent of itself */
	w.deny_pid = w.parent = 8;
	assert_string_equal(parent(r, 12, 12), "[unknown] (8)");
	/* with a name that a record told */
	apply_comm(r, 9, 9, "init", false);
	w.parent = 9;
	assert_string_equal(parent(r, 13, 13), "init (9)");
	resolver_destroy(r);
}

/* perf writes a FORK record with MISC_FORK_EXEC for each process that was there when the recording began: it tells the
 * parent, whose own name may come later, and nothing of mappings, which follow. */
static void a_process_that_was_there_has_no_mappings_of_its_parent(void **state)
{
	(void)state;
	struct world w = {.deny_pid = 10}; /* as in a recording, which has no /proc */
	struct resolver *r = make(&w, false);
	apply_mmap(r, 10, 0x10000, 0x4000, 0, "/f");
	struct record rec = {.type = RECORD_FORK, .misc = MISC_FORK_EXEC};
	rec.u.task.pid = rec.u.task.tid = 20;
	rec.u.task.ppid = rec.u.task.ptid = 10;
	resolver_apply(r, &rec);
	apply_comm(r, 10, 10, "make", false);
	uint32_t task = resolver_task(r, 20, 20, 100);
	assert_string_equal(task_of(r, task)->parent, "make (10)");
	assert_string_equal(name_at(r, task, 0x10010), "[unknown]");
	apply_mmap(r, 20, 0x20000, 0x4000, 0, "/f");
	assert_string_equal(name_at(r, task, 0x20010), "f0");
	/* a fork, for comparison */
	apply_task(r, RECORD_FORK, 21, 21, 10, 10, 1);
	assert_string_equal(name_at(r, resolver_task(r, 21, 21, 100), 0x10010), "f0");
	resolver_destroy(r);
}

/* What ended is one entry for each command and parent, as long as the parent lives. */
static void tasks_that_ended_keep_a_living_parent(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t ids[4];
	apply_comm(r, 1, 1, "make", false);
	apply_comm(r, 2, 2, "loop", false);
	for (uint32_t i = 0; i < 4; i++) {
		apply_task(r, RECORD_FORK, 10 + i, 10 + i, 1 + i % 2, 1 + i % 2, 1);
		apply_comm(r, 10 + i, 10 + i, "cc", true);
		ids[i] = resolver_task(r, 10 + i, 10 + i, 2);
		apply_task(r, RECORD_EXIT, 10 + i, 10 + i, 1, 1, 3);
	}
	apply_task(r, RECORD_EXIT, 2, 2, 1, 1, 4);
	struct catalog_used used = nothing_used(r);
	struct catalog_weights weights = no_weights(r);
	struct catalog_fold fold;
	assert_true(resolver_fold(r, 10, &used, &weights, &fold));
	assert_int_equal(fold.tasks[ids[0]], fold.tasks[ids[2]]);
	assert_int_equal(fold.tasks[ids[1]], fold.tasks[ids[3]]);
	assert_int_not_equal(fold.tasks[ids[0]], fold.tasks[ids[1]]);
	assert_string_equal(task_of(r, fold.tasks[ids[0]])->comm, "[exited] cc");
	assert_string_equal(task_of(r, fold.tasks[ids[0]])->parent, "make (1)");
	assert_null(task_of(r, fold.tasks[ids[1]])->parent);
	free_fold(&fold);
	free_used(&used);
	free_weights(&weights);
	resolver_destroy(r);
}

/* Counts the entries of a process in the catalog. */
static int entries_of(const struct resolver *r, int32_t pid)
{
	const struct catalog *cat = resolver_catalog(r);
	int n = 0;
	for (uint32_t i = 0; i < cat->tasks_n; i++)
		n += cat->tasks[i].pid == pid && cat->tasks[i].leader == i;
	return n;
}

/* The tree of tasks has rows of those above, such as a shell that waits, which no sample and no record names. */
static void living_processes_above_have_entries(void **state)
{
	(void)state;
	struct world w = {.parent = 7};
	struct resolver *r = make(&w, false);
	uint32_t task = resolver_task(r, 10, 10, 100);
	assert_int_equal(entries_of(r, 7), 1);
	assert_int_equal(task_of(r, resolver_task(r, 7, 7, 200))->start_ns, task_of(r, task)->start_ns);
	assert_int_equal(entries_of(r, 7), 1);
	assert_string_equal(task_of(r, resolver_task(r, 7, 7, 200))->comm, "p7.7");
	/* one that cannot be read, or has ended */
	w.deny_pid = w.parent = 8;
	resolver_task(r, 12, 12, 300);
	assert_int_equal(entries_of(r, 8), 0);
	apply_comm(r, 20, 20, "make", false);
	apply_task(r, RECORD_FORK, 21, 21, 20, 20, 301);
	apply_task(r, RECORD_EXIT, 20, 20, 1, 1, 302);
	resolver_task(r, 21, 21, 303);
	assert_int_equal(entries_of(r, 20), 0);
	/* of a recording, whose processes have no /proc: what records told */
	apply_comm(r, 30, 30, "sh", false);
	apply_task(r, RECORD_FORK, 31, 31, 30, 30, 304);
	apply_task(r, RECORD_FORK, 32, 32, 31, 31, 305);
	resolver_task(r, 32, 32, 306);
	assert_int_equal(entries_of(r, 31), 1);
	assert_int_equal(entries_of(r, 30), 1);
	resolver_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parent_has_the_name_of_the_fork),
		cmocka_unit_test(helpers_are_cyctop_itself),
		cmocka_unit_test(a_parent_of_proc),
		cmocka_unit_test(a_process_that_was_there_has_no_mappings_of_its_parent),
		cmocka_unit_test(tasks_that_ended_keep_a_living_parent),
		cmocka_unit_test(living_processes_above_have_entries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
