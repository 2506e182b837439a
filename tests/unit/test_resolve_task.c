/* Processes and threads: birth, exec, exit, reuse of ids. */
#include "test_resolve_world.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- tasks ---------------------------------------------------------------------- */

static void first_sample_asks_proc_once(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t a = resolver_task(r, 10, 11, 5);
	assert_int_equal(w.maps, 1);
	assert_int_equal(w.identities, 2); /* the process, the thread */
	assert_int_equal(resolver_task(r, 10, 11, 6), a);
	uint32_t leader = resolver_task(r, 10, 10, 7);
	assert_int_not_equal(leader, a);
	assert_int_equal(w.maps, 1);
	assert_int_equal(w.identities, 2);
	assert_string_equal(task_of(r, a)->comm, "p10.11");
	assert_string_equal(task_of(r, leader)->comm, "p10.10");
	assert_int_equal(task_of(r, a)->uid, 1010);
	assert_int_equal(task_of(r, a)->leader, leader);
	assert_int_equal(task_of(r, leader)->leader, leader);
	assert_int_equal(task_of(r, leader)->threads, 2);
	assert_false(task_of(r, a)->self);
	assert_true(task_of(r, resolver_task(r, 77, 77, 1))->self);
	assert_string_equal(name_at(r, a, 0x402010), "prog2");
	assert_string_equal(name_at(r, leader, 0x402010), "prog2");
	resolver_destroy(r);
}

static void idle_exiting_and_kernel_threads(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t idle = resolver_task(r, 0, 0, 1), gone = resolver_task(r, UINT32_MAX, UINT32_MAX, 1);
	assert_true(task_of(r, idle)->idle);
	assert_string_equal(task_of(r, idle)->comm, "[idle]");
	assert_int_equal(resolver_task(r, 0, 0, 2), idle);
	assert_string_equal(task_of(r, gone)->comm, "[exiting]");
	assert_int_equal(task_of(r, gone)->pid, -1);
	assert_int_equal(resolver_task(r, UINT32_MAX, UINT32_MAX, 2), gone);
	assert_int_equal(w.identities + w.maps, 0);
	uint32_t kthread = resolver_task(r, 2, 2, 3);
	assert_true(task_of(r, kthread)->kernel);
	assert_int_equal(w.maps, 0);
	assert_string_equal(name_at(r, kthread, 0x402010), "[unknown]");
	assert_string_equal(sym_at(r, idle, MISC_KERNEL, 0x3004)->name, "k3");
	/* A child of a kernel thread is one, until it runs a program. */
	apply_task(r, RECORD_FORK, 500, 500, 2, 2, 10);
	w.deny_pid = 500;
	uint32_t child = resolver_task(r, 500, 500, 11);
	assert_true(task_of(r, child)->kernel);
	apply_comm(r, 500, 500, "modprobe", true);
	assert_false(task_of(r, child)->kernel);
	resolver_destroy(r);
}

static void fork_shares_maps_until_changed(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t parent = resolver_task(r, 10, 10, 1);
	apply_comm(r, 10, 10, "shell", false);
	apply_task(r, RECORD_FORK, 20, 20, 10, 10, 2);
	assert_int_equal(w.maps, 1);
	uint32_t child = resolver_task(r, 20, 20, 3);
	assert_int_equal(w.maps, 1); /* a child's maps are its parent's */
	assert_string_equal(task_of(r, child)->comm, "shell");
	assert_int_equal(task_of(r, child)->start_ns, 2);
	assert_string_equal(name_at(r, child, 0x401000), "prog1");
	assert_string_equal(name_at(r, parent, 0x401000), "prog1");
	apply_mmap(r, 20, 0x400000, 0x10000, 0, "/lib");
	assert_string_equal(name_at(r, child, 0x401000), "lib1");
	assert_string_equal(name_at(r, parent, 0x401000), "prog1");
	apply_mmap(r, 10, 0x900000, 0x1000, 0x5000, "/own");
	assert_string_equal(name_at(r, parent, 0x900000), "own5");
	assert_string_equal(name_at(r, child, 0x900000), "[unknown]");
	resolver_destroy(r);
}

static void unknown_parent_is_learned_at_fork(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	apply_task(r, RECORD_FORK, 20, 20, 10, 10, 2);
	assert_int_equal(w.maps, 1);
	assert_int_equal(resolver_catalog(r)->tasks_n, 0); /* nobody was sampled */
	w.deny_pid = 20;				   /* the child is gone before we look */
	uint32_t child = resolver_task(r, 20, 20, 3);
	assert_int_equal(w.maps, 1);
	assert_string_equal(name_at(r, child, 0x403000), "prog3");
	assert_string_equal(task_of(r, child)->comm, "p10.10");
	assert_int_equal(task_of(r, child)->uid, 1010);
	resolver_destroy(r);
}

static void exec_clears_maps_and_threads(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1), other = resolver_task(r, 10, 12, 1);
	assert_int_equal(task_of(r, t)->threads, 2);
	assert_string_equal(name_at(r, t, 0x401000), "prog1");
	apply_comm(r, 10, 10, "newprog", true);
	assert_string_equal(name_at(r, t, 0x401000), "[unknown]");
	apply_mmap(r, 10, 0x400000, 0x10000, 0x1000, "/new");
	assert_string_equal(name_at(r, t, 0x401000), "new2");
	assert_int_equal(resolver_task(r, 10, 10, 5), t);
	assert_int_equal(w.maps, 1); /* records told all */
	assert_string_equal(task_of(r, t)->comm, "newprog");
	assert_int_equal(task_of(r, t)->threads, 1);
	assert_true(task_of(r, other)->exit_ns != 0);
	assert_int_equal(task_of(r, t)->exit_ns, 0);
	resolver_destroy(r);
}

static void exit_keeps_the_entry_and_its_maps_for_late_samples(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t lead = resolver_task(r, 10, 10, 1), thr = resolver_task(r, 10, 11, 1);
	apply_task(r, RECORD_EXIT, 10, 10, 1, 1, 100);
	assert_int_equal(task_of(r, lead)->exit_ns, 0);
	assert_int_equal(task_of(r, lead)->threads, 1);
	apply_task(r, RECORD_EXIT, 10, 11, 1, 1, 200);
	assert_int_equal(task_of(r, thr)->exit_ns, 200);
	assert_int_equal(task_of(r, lead)->exit_ns, 200); /* the process, with its last thread */
	assert_int_equal(resolver_task(r, 10, 11, 201), thr);
	assert_string_equal(name_at(r, thr, 0x404000), "prog4");
	/* A thread never seen before, of a process that is ending. */
	uint32_t late = resolver_task(r, 10, 13, 202);
	assert_int_equal(task_of(r, late)->leader, lead);
	assert_true(task_of(r, late)->exit_ns != 0);
	/* Past the grace time its maps are gone, and the ids still stand. */
	apply_task(r, RECORD_EXIT, 999, 999, 1, 1, 5000000000ull);
	assert_string_equal(name_at(r, thr, 0x404000), "[unknown]");
	assert_int_equal(task_of(r, lead)->exit_ns, 202);
	resolver_destroy(r);
}

static void a_reused_pid_is_another_task(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t old = resolver_task(r, 10, 10, 1);
	assert_string_equal(name_at(r, old, 0x401000), "prog1");
	apply_task(r, RECORD_EXIT, 10, 10, 1, 1, 100);
	apply_task(r, RECORD_FORK, 10, 10, 30, 30, 150);
	uint32_t fresh = resolver_task(r, 10, 10, 151);
	assert_int_not_equal(fresh, old);
	assert_int_equal(task_of(r, old)->exit_ns, 100);
	assert_int_equal(task_of(r, fresh)->exit_ns, 0);
	assert_int_equal(resolver_task(r, 10, 10, 152), fresh);
	/* The EXIT was lost. */
	apply_task(r, RECORD_FORK, 10, 10, 30, 30, 300);
	uint32_t third = resolver_task(r, 10, 10, 301);
	assert_int_not_equal(third, fresh);
	assert_int_equal(task_of(r, fresh)->exit_ns, 300);
	/* A tid that was a thread's is now another process's. */
	uint32_t thread = resolver_task(r, 10, 40, 302);
	uint32_t process = resolver_task(r, 40, 40, 303);
	assert_int_not_equal(thread, process);
	assert_int_equal(task_of(r, thread)->exit_ns, 303);
	/* A grown process whose pid is seen as somebody's thread. */
	uint32_t mixed = resolver_task(r, 10, 40, 304);
	assert_int_not_equal(mixed, process);
	assert_int_equal(task_of(r, process)->exit_ns, 304);
	resolver_destroy(r);
}

static void forks_that_are_not_sampled_leave_nothing(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	resolver_task(r, 10, 10, 1);
	uint32_t n = resolver_catalog(r)->tasks_n;
	for (uint32_t i = 0; i < 100000; i++) {
		uint64_t t = 10 + (uint64_t)i * 1000000; /* 1000 a second */
		uint32_t pid = 100 + i % 30000;
		apply_task(r, RECORD_FORK, pid, pid, 10, 10, t);
		apply_comm(r, pid, pid, "true", true);
		apply_mmap(r, pid, 0x400000, 0x10000, 0, "/prog");
		apply_task(r, RECORD_EXIT, pid, pid, 10, 10, t + 500000);
	}
	assert_int_equal(resolver_catalog(r)->tasks_n, n);
	assert_int_equal(w.maps, 1);
	resolver_destroy(r);
}

static void ids_of_the_ended_are_given_anew(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t lead = resolver_task(r, 10, 10, 1), thr = resolver_task(r, 10, 11, 1);
	uint32_t other = resolver_task(r, 20, 20, 1), other_thr = resolver_task(r, 20, 21, 1);
	apply_task(r, RECORD_EXIT, 10, 10, 1, 1, 10);
	apply_task(r, RECORD_EXIT, 20, 20, 1, 1, 10);
	apply_task(r, RECORD_EXIT, 20, 21, 1, 1, 10);
	/* The leader of 10 is reaped here, its thread only ends. */
	apply_task(r, RECORD_EXIT, 10, 11, 1, 1, 5000000000ull);
	uint32_t n = resolver_catalog(r)->tasks_n;
	bool used[16] = {false};
	used[other_thr] = true; /* some fact is about it */
	resolver_retire(r, used);
	assert_string_equal(task_of(r, other_thr)->comm, "p20.21");
	assert_string_equal(task_of(r, other)->comm, "p20.20"); /* its leader */
	assert_string_equal(task_of(r, lead)->comm, "p10.10");	/* its thread is in its grace */
	assert_string_equal(task_of(r, thr)->comm, "p10.11");
	apply_task(r, RECORD_EXIT, 999, 999, 1, 1, 9000000000ull);
	memset(used, 0, sizeof(used));
	resolver_retire(r, used);
	for (uint32_t pid = 30; pid < 34; pid++) {
		uint32_t id = resolver_task(r, pid, pid, 9000000001ull);
		assert_true(id < n);
		assert_int_equal(task_of(r, id)->pid, pid);
		assert_string_equal(name_at(r, id, 0x402000), "prog2");
	}
	assert_int_equal(resolver_task(r, 34, 34, 9000000001ull), n);
	uint32_t ended = resolver_ended(r, "make");
	assert_int_equal(resolver_ended(r, "make"), ended);
	assert_string_equal(task_of(r, ended)->comm, "[exited] make");
	resolver_destroy(r);
}

static void threads_are_named_by_record_or_proc(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	apply_task(r, RECORD_FORK, 10, 11, 10, 10, 1);
	apply_comm(r, 10, 11, "a name far longer than what the kernel has, or fits into what there is", false);
	uint32_t a = resolver_task(r, 10, 11, 2);
	assert_string_equal(task_of(r, a)->comm, "a name far longer than what the kernel has, or fits into what t");
	apply_task(r, RECORD_FORK, 10, 12, 10, 11, 3); /* inherits */
	assert_string_equal(task_of(r, resolver_task(r, 10, 12, 4))->comm,
			    "a name far longer than what the kernel has, or fits into what t");
	apply_comm(r, 10, 11, "renamed", false);
	assert_string_equal(task_of(r, a)->comm, "renamed");
	w.deny_pid = 50;
	assert_string_equal(task_of(r, resolver_task(r, 50, 51, 4))->comm, "[unknown]");
	resolver_destroy(r);
}

static void records_alone_are_enough(void **state)
{
	(void)state;
	struct world w = {0};
	struct symbolizer chain[] = {{.name = "world", .load = world_load, .ctx = &w}};
	struct resolver_config config = {.chain = chain, .chain_n = 1, .proc = proc_none};
	struct resolver *r;
	assert_int_equal(resolver_create(&config, &r, NULL), 0);
	assert_int_equal(resolver_fd(r), -1);
	apply_comm(r, 5, 5, "five", false);
	apply_mmap(r, 5, 0x1000, 0x2000, 0x3000, "/five");
	uint32_t t = resolver_task(r, 5, 5, 1);
	assert_string_equal(task_of(r, t)->comm, "five");
	assert_true(task_of(r, t)->uid == CATALOG_NONE);
	assert_string_equal(name_at(r, t, 0x1000), "five3");
	assert_string_equal(name_at(r, t, 0x2fff), "five4");
	assert_string_equal(name_at(r, t, 0x3000), "[unknown]");
	resolver_destroy(r);
}

static void a_recordings_samples_keep_their_names(void **state)
{
	(void)state;
	struct world w = {.deny_pid = 10, .keep_comms = true};
	struct resolver *r = make(&w, false);
	apply_comm(r, 10, 10, "shell", false);
	apply_task(r, RECORD_FORK, 20, 20, 10, 10, 2);
	w.deny_pid = 20;
	uint32_t before = resolver_task(r, 20, 20, 3);
	assert_string_equal(task_of(r, before)->comm, "shell");
	apply_comm(r, 20, 20, "shell", false); /* no news */
	assert_int_equal(resolver_task(r, 20, 20, 4), before);
	apply_comm(r, 20, 20, "program", true);
	uint32_t after = resolver_task(r, 20, 20, 5);
	assert_int_not_equal(after, before);
	assert_string_equal(task_of(r, before)->comm, "shell");
	assert_string_equal(task_of(r, after)->comm, "program");
	assert_int_equal(task_of(r, after)->tid, 20);
	assert_true(task_of(r, before)->exit_ns != 0);
	/* one process all the same, called what it is now */
	uint32_t leader = task_of(r, after)->leader;
	assert_int_equal(task_of(r, before)->leader, leader);
	assert_string_equal(task_of(r, leader)->comm, "program");
	assert_int_equal(task_of(r, leader)->pid, 20);
	assert_int_equal(task_of(r, leader)->exit_ns, 0);

	uint32_t worker = resolver_task(r, 20, 21, 6);
	assert_string_equal(task_of(r, worker)->comm, "program"); /* for want of a better */
	apply_comm(r, 20, 21, "thread", false);
	assert_int_equal(resolver_task(r, 20, 21, 7), worker); /* what it was called all the time */
	assert_string_equal(task_of(r, worker)->comm, "thread");
	apply_comm(r, 20, 21, "worker", false);
	uint32_t named = resolver_task(r, 20, 21, 7);
	assert_int_not_equal(named, worker);
	assert_string_equal(task_of(r, named)->comm, "worker");
	assert_int_equal(task_of(r, named)->leader, leader);
	assert_string_equal(task_of(r, leader)->comm, "program");
	apply_task(r, RECORD_EXIT, 20, 20, 20, 20, 8);
	apply_task(r, RECORD_EXIT, 20, 21, 20, 20, 8);
	assert_true(task_of(r, leader)->exit_ns && task_of(r, after)->exit_ns && task_of(r, named)->exit_ns);
	resolver_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recordings_samples_keep_their_names),
		cmocka_unit_test(first_sample_asks_proc_once),
		cmocka_unit_test(idle_exiting_and_kernel_threads),
		cmocka_unit_test(fork_shares_maps_until_changed),
		cmocka_unit_test(unknown_parent_is_learned_at_fork),
		cmocka_unit_test(exec_clears_maps_and_threads),
		cmocka_unit_test(exit_keeps_the_entry_and_its_maps_for_late_samples),
		cmocka_unit_test(a_reused_pid_is_another_task),
		cmocka_unit_test(forks_that_are_not_sampled_leave_nothing),
		cmocka_unit_test(ids_of_the_ended_are_given_anew),
		cmocka_unit_test(threads_are_named_by_record_or_proc),
		cmocka_unit_test(records_alone_are_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
