/* Processes and threads: birth, exec, exit, reuse of ids. */
#include "base/limits.h"
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
	assert_int_equal(w.identities, 2); /* once for the process, once for the thread */
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

static struct resolver_lookup sample_of_0(struct resolver *r, uint16_t mode, uint64_t ip)
{
	struct resolver_lookup l = {.ip = ip, .time_ns = 5, .task = resolver_task(r, 0, 0, 5), .misc = mode};
	resolver_symbols(r, &l, 1);
	return l;
}

/* In a pid namespace all tasks outside of it have pid 0, as the idle task has. */
static void tasks_of_other_pid_namespaces_are_not_idle(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	const struct catalog *cat = resolver_catalog(r);
	uint32_t early = sample_of_0(r, MISC_KERNEL, 0x3004).task, own = resolver_task(r, 30, 30, 1);
	assert_true(task_of(r, early)->idle);
	sample_of_0(r, MISC_USER, 0); /* no address, as some PMUs have it: tells nothing */
	resolver_collect(r);
	assert_false(cat->namespaced);

	struct resolver_lookup user = sample_of_0(r, MISC_USER, 0x402010);
	assert_true(cat->namespaced && user.task == cat->outside_task);
	assert_string_equal(task_of(r, user.task)->comm, "[other pid namespaces]");
	assert_false(task_of(r, user.task)->idle);
	assert_string_equal(dso_name(r, &cat->syms[user.sym]), "[other pid namespaces]");
	assert_int_equal(cat->syms[user.sym].state, SYM_UNRESOLVED);
	assert_true(resolver_collect(r)); /* facts get their tasks anew */
	struct resolver_lookup kernel = sample_of_0(r, MISC_KERNEL, 0x3004);
	assert_int_equal(kernel.task, cat->outside_task);
	assert_string_equal(cat->syms[kernel.sym].name, "k3");
	assert_int_equal(catalog_task_settled(cat, early, kernel.sym), cat->outside_task);
	apply_ksymbol(r, 0xffffffffc0000000, 0x100, "default_idle", false);
	struct resolver_lookup idle = sample_of_0(r, MISC_KERNEL, 0xffffffffc0000010);
	assert_string_equal(cat->syms[idle.sym].name, "default_idle");
	assert_int_equal(idle.task, early);
	assert_int_equal(catalog_task_settled(cat, cat->outside_task, idle.sym), early);
	assert_int_equal(catalog_task_settled(cat, own, kernel.sym), own);
	assert_int_equal(w.identities + w.maps, 2); /* of `own` */
	retire_unused(r);
	assert_int_equal(sample_of_0(r, MISC_USER, 0x402010).sym, user.sym);
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
	/* a thread that has lost its id, and not yet its process's: the time is the process's */
	apply_comm(r, 30, 30, "server", false);
	assert_int_equal(resolver_task(r, 30, UINT32_MAX, 2), resolver_task(r, 30, 30, 2));
	assert_int_equal(resolver_task(r, UINT32_MAX, 30, 2), gone);
	w.identities = w.maps = 0;
	uint32_t kthread = resolver_task(r, 2, 2, 3);
	assert_true(task_of(r, kthread)->kernel);
	assert_int_equal(w.maps, 0);
	assert_string_equal(name_at(r, kthread, 0x402010), "[unknown]");
	assert_string_equal(sym_at(r, idle, MISC_KERNEL, 0x3004)->name, "k3");
	/* a child of a kernel thread is a kernel thread until it calls exec() */
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
	assert_int_equal(w.maps, 1); /* a child has the mappings of its parent */
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
	assert_int_equal(resolver_catalog(r)->tasks_n, 0); /* no task was sampled */
	w.deny_pid = 20;				   /* the child has ended before /proc is read */
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
	assert_int_equal(w.maps, 1); /* the records contained all mappings */
	assert_string_equal(task_of(r, t)->comm, "newprog");
	assert_int_equal(task_of(r, t)->threads, 1);
	assert_true(task_of(r, other)->exit_ns != 0);
	assert_int_equal(task_of(r, t)->exit_ns, 0);
	resolver_destroy(r);
}

/* An exec gives a process another command line: its entry says when that was. */
static void the_last_exec_has_its_time(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	struct record rec = {.type = RECORD_COMM, .misc = MISC_COMM_EXEC, .id.time_ns = 40};
	uint32_t t = resolver_task(r, 10, 10, 1);
	assert_int_equal(task_of(r, t)->exec_ns, 0);
	rec.u.comm.pid = rec.u.comm.tid = 10;
	rec.u.comm.comm = "same";
	resolver_apply(r, &rec);
	assert_int_equal(task_of(r, t)->exec_ns, 40);
	rec.misc = 0; /* it only changes its name */
	rec.id.time_ns = 50;
	resolver_apply(r, &rec);
	assert_int_equal(task_of(r, t)->exec_ns, 40);
	rec.misc = MISC_COMM_EXEC; /* of a process that was not sampled yet */
	rec.u.comm.pid = rec.u.comm.tid = 77;
	resolver_apply(r, &rec);
	assert_int_equal(task_of(r, resolver_task(r, 77, 77, 60))->exec_ns, 50);
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
	assert_int_equal(task_of(r, lead)->exit_ns, 200); /* the process ended with its last thread */
	assert_int_equal(resolver_task(r, 10, 11, 201), thr);
	assert_string_equal(name_at(r, thr, 0x404000), "prog4");
	/* a thread that is first seen while its process ends */
	uint32_t late = resolver_task(r, 10, 13, 202);
	assert_int_equal(task_of(r, late)->leader, lead);
	assert_true(task_of(r, late)->exit_ns != 0);
	/* after the grace period the mappings are gone, but the ids are still valid */
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
	/* the EXIT record was lost */
	apply_task(r, RECORD_FORK, 10, 10, 30, 30, 300);
	uint32_t third = resolver_task(r, 10, 10, 301);
	assert_int_not_equal(third, fresh);
	assert_int_equal(task_of(r, fresh)->exit_ns, 300);
	/* the tid of a former thread now belongs to another process */
	uint32_t thread = resolver_task(r, 10, 40, 302);
	uint32_t process = resolver_task(r, 40, 40, 303);
	assert_int_not_equal(thread, process);
	assert_int_equal(task_of(r, thread)->exit_ns, 303);
	/* the pid of a process is now the tid of another process's thread */
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

static void ids_of_ended_tasks_are_reused(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t lead = resolver_task(r, 10, 10, 1), thr = resolver_task(r, 10, 11, 1);
	uint32_t other = resolver_task(r, 20, 20, 1), other_thr = resolver_task(r, 20, 21, 1);
	apply_task(r, RECORD_EXIT, 10, 10, 1, 1, 10);
	apply_task(r, RECORD_EXIT, 20, 20, 1, 1, 10);
	apply_task(r, RECORD_EXIT, 20, 21, 1, 1, 10);
	/* process 10 is freed here, its thread only ends */
	apply_task(r, RECORD_EXIT, 10, 11, 1, 1, 5000000000ull);
	uint32_t n = resolver_catalog(r)->tasks_n;
	struct catalog_ref ref = catalog_task_ref(resolver_catalog(r), lead);
	struct catalog_used used = nothing_used(r);
	used.tasks[other_thr] = true; /* a fact refers to this task */
	resolver_retire(r, &used);
	free_used(&used);
	assert_string_equal(task_of(r, other_thr)->comm, "p20.21");
	assert_string_equal(task_of(r, other)->comm, "p20.20"); /* the leader of that task */
	assert_string_equal(task_of(r, lead)->comm, "p10.10");	/* its thread is in its grace period */
	assert_string_equal(task_of(r, thr)->comm, "p10.11");
	assert_true(catalog_task_valid(resolver_catalog(r), ref));
	apply_task(r, RECORD_EXIT, 999, 999, 1, 1, 9000000000ull);
	retire_unused(r);
	assert_false(catalog_task_valid(resolver_catalog(r), ref));
	for (uint32_t pid = 30; pid < 34; pid++) {
		uint32_t id = resolver_task(r, pid, pid, 9000000001ull);
		assert_true(id < n);
		assert_int_equal(task_of(r, id)->pid, pid);
		assert_string_equal(name_at(r, id, 0x402000), "prog2");
	}
	assert_int_equal(task_of(r, lead)->leader, lead); /* the id now belongs to another process */
	assert_false(catalog_task_valid(resolver_catalog(r), ref));
	assert_int_equal(resolver_task(r, 34, 34, 9000000001ull), n);
	resolver_destroy(r);
}

/* Processes whose EXIT record was lost, or never written, do not stay for ever. */
static void processes_without_an_exit_record_end(void **state)
{
	(void)state;
	enum { FIRST = 1000, N = 500 };
	struct world w = {0};
	struct resolver *r = make(&w, false);
	struct catalog_ref refs[N];
	for (uint32_t i = 0; i < N; i++) {
		uint32_t task = resolver_task(r, FIRST + i, FIRST + i, 1);
		resolver_task(r, FIRST + i, FIRST + i + 10000, 1); /* a thread */
		refs[i] = catalog_task_ref(resolver_catalog(r), task);
	}
	w.gone_below = FIRST + N - 1;
	for (uint64_t now_ns = 1; now_ns <= 40; now_ns++)
		resolver_check_processes(r, now_ns);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(task_of(r, refs[i].id)->exit_ns != 0, i < N - 1);
	retire_unused(r); /* a last sample may still come */
	assert_true(catalog_task_valid(resolver_catalog(r), refs[0]));
	resolver_check_processes(r, 2000000000);
	retire_unused(r);
	for (uint32_t i = 0; i < N; i++)
		assert_true(catalog_task_valid(resolver_catalog(r), refs[i]) == (i == N - 1));
	for (uint32_t i = 0; i < N; i++)
		resolver_task(r, 50000 + i, 50000 + i, 3000000000);
	assert_in_range(resolver_catalog(r)->tasks_n, N, 2 * N); /* their ids are given again */
	resolver_destroy(r);
}

/* In the total since start, programs that ended before the history begins are one task per
 * command. */
static void tasks_that_ended_are_folded_by_command(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t ids[4];
	for (uint32_t i = 0; i < 4; i++) {
		ids[i] = resolver_task(r, 10 + i, 10 + i, 1);
		apply_comm(r, 10 + i, 10 + i, i < 2 ? "make" : "cc", true);
	}
	for (uint32_t i = 0; i < 3; i++)
		apply_task(r, RECORD_EXIT, 10 + i, 10 + i, 1, 1, i == 1 ? 20 : 5);
	struct catalog_used used = nothing_used(r);
	struct catalog_weights weights = no_weights(r);
	struct catalog_fold fold;
	assert_true(resolver_fold(r, 10, &used, &weights, &fold));
	assert_string_equal(task_of(r, fold.tasks[ids[0]])->comm, "[exited] make");
	assert_int_equal(fold.tasks[ids[1]], CATALOG_NONE); /* ended within the history */
	assert_string_equal(task_of(r, fold.tasks[ids[2]])->comm, "[exited] cc");
	assert_int_equal(fold.tasks[ids[3]], CATALOG_NONE); /* alive */
	uint32_t make_ended = fold.tasks[ids[0]];
	free_fold(&fold);
	assert_true(resolver_fold(r, 30, &used, &weights, &fold));
	assert_int_equal(fold.tasks[ids[1]], make_ended);
	free_fold(&fold);
	free_used(&used);
	free_weights(&weights);
	resolver_destroy(r);
}

/* Folds what ended, and retires what has no facts then.  Samples that a task had before are its entry's. */
static uint32_t fold_ended(struct resolver *r, uint64_t oldest_ns, uint32_t task)
{
	struct catalog_used used = nothing_used(r);
	struct catalog_weights weights = no_weights(r);
	struct catalog_fold fold;
	for (uint32_t id = 0; id < weights.tasks_n; id++) /* the more, the earlier the name is in the alphabet */
		weights.tasks[id] = strlen(task_of(r, id)->comm) > 9 ? (uint64_t)('z' - task_of(r, id)->comm[9]) : 0;
	assert_true(resolver_fold(r, oldest_ns, &used, &weights, &fold));
	uint32_t to = fold.tasks[task];
	free_fold(&fold);
	free_used(&used);
	free_weights(&weights);
	return to;
}

/* Names of programs that are never seen again must not add up: the commands with the fewest samples share an entry. */
static void few_commands_that_ended_have_an_entry(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t n = 0, heavy = CATALOG_NONE, most = 0;
	uint64_t t = 1;
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < LIMIT_ENDED_COMMANDS; i++, n++) {
			char comm[16];
			snprintf(comm, sizeof(comm), "%s-%u", n ? "job" : "a-heavy", n);
			apply_task(r, RECORD_FORK, 100, 100, 1, 1, t += 2000000000);
			apply_comm(r, 100, 100, comm, true);
			uint32_t task = resolver_task(r, 100, 100, t);
			apply_task(r, RECORD_EXIT, 100, 100, 1, 1, t);
			if (n == 0) {
				apply_task(r, RECORD_EXIT, 999, 999, 1, 1, t + 1000000001);
				heavy = fold_ended(r, t + 1, task);
				assert_string_equal(task_of(r, heavy)->comm, "[exited] a-heavy-0");
			}
		}
		apply_task(r, RECORD_EXIT, 999, 999, 1, 1, t += 2000000000);
		uint32_t kept = fold_ended(r, t, heavy);
		assert_int_equal(kept, CATALOG_NONE);
		struct catalog_used used = nothing_used(r);
		for (uint32_t id = 0; id < used.tasks_n; id++) /* facts that were not folded */
			used.tasks[id] = !task_of(r, id)->exit_ns;
		resolver_retire(r, &used);
		free_used(&used);
		if (round == 2)
			most = resolver_catalog(r)->tasks_n;
	}
	assert_string_equal(task_of(r, heavy)->comm, "[exited] a-heavy-0");
	assert_in_range(resolver_catalog(r)->tasks_n, LIMIT_ENDED_COMMANDS, most);
	bool rest = false;
	for (uint32_t id = 0; id < resolver_catalog(r)->tasks_n; id++)
		rest |= strcmp(task_of(r, id)->comm, "[exited]") == 0;
	assert_true(rest);
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
	apply_task(r, RECORD_FORK, 10, 12, 10, 11, 3); /* inherits the name */
	assert_string_equal(task_of(r, resolver_task(r, 10, 12, 4))->comm,
			    "a name far longer than what the kernel has, or fits into what t");
	apply_comm(r, 10, 11, "renamed", false);
	assert_string_equal(task_of(r, a)->comm, "renamed");
	w.deny_pid = 50;
	assert_string_equal(task_of(r, resolver_task(r, 50, 51, 4))->comm, "[unknown]");
	resolver_destroy(r);
}

static void numbers_in_names_are_one_number(void **state)
{
	(void)state;
	static const struct {
		const char *comm, *nodigit;
	} cases[] = {
		{"worker/0", "worker/<N>"},
		{"kworker/u4:31-ev", "kworker/u<N>:<N>-ev"},
		{"007", "<N>"},
		{"a1b2", "a<N>b<N>"},
		{"sh", NULL},
		{"", NULL},
		{"\xd9\xa3", NULL}, /* a digit, but not of ASCII */
		{"1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
		 "<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a"
		 "<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>a<N>"},
	};
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t a = resolver_task(r, 10, 11, 2);
	assert_string_equal(task_of(r, a)->comm_nodigit, "p<N>.<N>");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		apply_comm(r, 10, 11, cases[i].comm, false);
		if (cases[i].nodigit)
			assert_string_equal(task_of(r, a)->comm_nodigit, cases[i].nodigit);
		else
			assert_null(task_of(r, a)->comm_nodigit);
	}
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
	apply_comm(r, 20, 20, "shell", false); /* the name does not change */
	assert_int_equal(resolver_task(r, 20, 20, 4), before);
	apply_comm(r, 20, 20, "program", true);
	uint32_t after = resolver_task(r, 20, 20, 5);
	assert_int_not_equal(after, before);
	assert_string_equal(task_of(r, before)->comm, "shell");
	assert_string_equal(task_of(r, after)->comm, "program");
	assert_int_equal(task_of(r, after)->tid, 20);
	assert_true(task_of(r, before)->exit_ns != 0);
	/* still one process, with its current name */
	uint32_t leader = task_of(r, after)->leader;
	assert_int_equal(task_of(r, before)->leader, leader);
	assert_string_equal(task_of(r, leader)->comm, "program");
	assert_int_equal(task_of(r, leader)->pid, 20);
	assert_int_equal(task_of(r, leader)->exit_ns, 0);

	uint32_t worker = resolver_task(r, 20, 21, 6);
	assert_string_equal(task_of(r, worker)->comm, "program"); /* no other name is known */
	apply_comm(r, 20, 21, "thread", false);
	assert_int_equal(resolver_task(r, 20, 21, 7), worker); /* the thread kept its name */
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
		cmocka_unit_test(tasks_of_other_pid_namespaces_are_not_idle),
		cmocka_unit_test(idle_exiting_and_kernel_threads),
		cmocka_unit_test(fork_shares_maps_until_changed),
		cmocka_unit_test(unknown_parent_is_learned_at_fork),
		cmocka_unit_test(exec_clears_maps_and_threads),
		cmocka_unit_test(the_last_exec_has_its_time),
		cmocka_unit_test(exit_keeps_the_entry_and_its_maps_for_late_samples),
		cmocka_unit_test(a_reused_pid_is_another_task),
		cmocka_unit_test(forks_that_are_not_sampled_leave_nothing),
		cmocka_unit_test(ids_of_ended_tasks_are_reused),
		cmocka_unit_test(processes_without_an_exit_record_end),
		cmocka_unit_test(tasks_that_ended_are_folded_by_command),
		cmocka_unit_test(few_commands_that_ended_have_an_entry),
		cmocka_unit_test(threads_are_named_by_record_or_proc),
		cmocka_unit_test(numbers_in_names_are_one_number),
		cmocka_unit_test(records_alone_are_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
