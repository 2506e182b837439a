/* Samples of JIT code: which wait for a name, and which get one. */
#include "../lib/made_clock.h"
#include "base/alloc.h"
#include "os/clock.h"
#include "test_resolve_code_world.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOT = 0x100, MS = 1000000 /* in ns */ };

/* A JIT compiler whose perf map has the first `listed[pid]` functions, each of SLOT bytes, with
 * the names "PID.N". */
struct world {
	unsigned listed[100];
	unsigned reads, closes, opened;
	int32_t gone; /* pid of a process whose files were read after its end */
	uint64_t written_ns, read_ns;
};

struct seen {
	int32_t pid;
	unsigned n;
};

static void world_read(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	struct world *w = ctx;
	struct seen *t = *reader;
	w->reads++;
	if (!t) {
		*reader = t = mem_calloc(1, sizeof(*t));
		t->pid = key->pid;
		w->opened++;
	}
	assert_int_equal(t->pid, key->pid); /* each process has its own reader */
	if (key->gone)
		w->gone = key->pid;
	ret->written_ns = w->written_ns;
	ret->read_ns = w->read_ns;
	if (t->n == w->listed[key->pid])
		return;
	t->n = w->listed[key->pid];
	struct jit_list l;
	jit_list_init(&l);
	for (unsigned i = 0; i < t->n; i++) {
		char name[32];
		snprintf(name, sizeof(name), "%d.%u", key->pid, i);
		jit_list_add(&l,
			     &(struct jit_code){
				     .addr = code_at + i * SLOT, .size = SLOT, .name = name, .name_n = strlen(name)});
	}
	ret->table = jit_table_create(&l, ORIGIN_PERF_MAP, false);
	jit_list_deinit(&l);
	ret->file = mem_strdup("/tmp/perf-1.map");
}

static void world_close(void *ctx, void *reader)
{
	struct world *w = ctx;
	w->closes++;
	free(reader);
}

static const char *dso_name(struct resolver *r, uint32_t sym)
{
	return resolver_catalog(r)->dsos[now(r, sym)->dso].name;
}

static void code_has_its_process_s_names(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 3, [11] = 2}};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	for (uint32_t pid = 10; pid <= 11; pid++) {
		apply_comm(r, pid, "node", false);
		map_code(r, pid);
	}
	uint32_t a = at(r, 10, code_at + SLOT), b = at(r, 11, code_at + SLOT);
	assert_string_equal(now(r, a)->name, "10.1");
	assert_string_equal(now(r, b)->name, "11.1");
	assert_int_equal(now(r, a)->origin, ORIGIN_PERF_MAP);
	assert_string_equal(dso_name(r, a), "[JIT] node");
	assert_int_equal(now(r, a)->dso, now(r, b)->dso); /* all code of a process is one DSO */
	assert_int_equal(now(r, at(r, 10, code_at + SLOT + 5))->resolved, now(r, a)->resolved);
	assert_int_equal(w.reads, 2);
	resolver_destroy(r);
	assert_int_equal(w.closes, w.opened);
}

/* A sample of code that is not in the map yet waits; it gets a name when the map has one, and
 * counts as unresolved after a while. */
static void code_waits_for_its_name(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 1}};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	apply_comm(r, 10, "jit", false);
	map_code(r, 10);
	at(r, 10, code_at);
	uint32_t early = at(r, 10, code_at + 3 * SLOT), never = at(r, 10, code_at + 9 * SLOT);
	assert_int_equal(now(r, early)->state, SYM_PENDING);
	assert_int_equal(now(r, never)->state, SYM_PENDING);
	assert_int_equal(now(r, early)->resolved, now(r, never)->resolved); /* all samples without a name are one row */
	assert_int_equal(now(r, at(r, 10, code_at + 3 * SLOT))->state, SYM_PENDING);
	w.listed[10] = 4;
	for (int tries = 0; tries < 60 && now(r, early)->state == SYM_PENDING; tries++) {
		made_clock_advance(100 * MS);
		resolver_collect(r);
	}
	assert_string_equal(now(r, early)->name, "10.3");
	assert_int_equal(now(r, at(r, 10, code_at + 3 * SLOT))->resolved, now(r, early)->resolved);
	for (int tries = 0; tries < 60 && now(r, never)->state == SYM_PENDING; tries++) {
		made_clock_advance(100 * MS);
		resolver_collect(r);
	}
	assert_int_equal(now(r, never)->state, SYM_UNRESOLVED);
	assert_string_equal(dso_name(r, never), "[anon]");
	assert_true(w.reads >= 3 && w.reads < 10);
	/* A sample that is shown as unresolved gets its name as soon as there is one. */
	w.listed[10] = 10;
	made_clock_advance(1000 * MS);
	resolver_collect(r);
	assert_string_equal(now(r, never)->name, "10.9");
	assert_string_equal(now(r, at(r, 10, code_at + 9 * SLOT))->name, "10.9");
	resolver_destroy(r);
}

/* resolver_settle(), which batch output calls, does not wait for names that may come later. */
static void settling_does_not_wait(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 1}};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver_config config = {.proc = proc_none, .jit = &ops, .background = true};
	struct resolver *r;
	struct error err;
	assert_int_equal(resolver_create(&config, &r, &err), 0);
	apply_comm(r, 10, "jit", false);
	map_code(r, 10);
	uint32_t named = at(r, 10, code_at), never = at(r, 10, code_at + 9 * SLOT);
	resolver_settle(r, -1);
	assert_string_equal(now(r, named)->name, "10.0");
	assert_int_equal(now(r, never)->state, SYM_UNRESOLVED);
	resolver_destroy(r);
	assert_int_equal(w.closes, w.opened);
}

/* Code that a map without news lacks has no name from the start, in one row; the panel says how old
 * the map is. */
static void an_old_map_is_not_waited_for(void **state)
{
	(void)state;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	struct world w = {.listed = {[10] = 1}, .written_ns = 1};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	apply_comm(r, 10, "java", false);
	map_code(r, 10);
	at(r, 10, code_at);
	uint32_t first = at(r, 10, code_at + 9 * SLOT);
	assert_int_equal(now(r, first)->state, SYM_PENDING);
	resolver_settle(r, 10000);
	assert_int_equal(now(r, first)->state, SYM_UNRESOLVED);
	uint32_t second = at(r, 10, code_at + 8 * SLOT);
	assert_int_equal(now(r, second)->state, SYM_UNRESOLVED);
	assert_int_equal(now(r, second)->resolved, now(r, first)->resolved);
	static const char says[] = "its perf map is older: /tmp/perf-1.map was written ";
	const char *why = strstr(resolver_catalog(r)->dsos[now(r, second)->dso].why, says);
	assert_non_null(why);
	long age = strtol(why + strlen(says), NULL, 10);
	assert_true(age >= t.tv_sec - 1 && age <= t.tv_sec + 3600);
	/* Once it is written again, code waits for its name as before. */
	w.listed[10] = 10;
	made_clock_advance(1000 * MS);
	resolver_settle(r, 10000);
	assert_string_equal(now(r, first)->name, "10.9");
	assert_string_equal(now(r, second)->name, "10.8");
	assert_int_equal(now(r, at(r, 10, code_at + 20 * SLOT))->state, SYM_PENDING);
	resolver_destroy(r);
}

/* Names end with an exec, and with the process: another process with the same pid has none of
 * them. */
static void names_end_with_their_program(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 2}};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	apply_task(r, RECORD_FORK, 10, 1, 1);
	apply_comm(r, 10, "old", false);
	map_code(r, 10);
	assert_string_equal(now(r, at(r, 10, code_at))->name, "10.0");
	uint32_t waits = at(r, 10, code_at + 5 * SLOT);
	assert_int_equal(now(r, waits)->state, SYM_PENDING);
	w.listed[10] = 0;
	apply_comm(r, 10, "new", true);
	assert_int_equal(w.gone, 10); /* the files were read once more for the samples that waited */
	assert_int_equal(now(r, waits)->state, SYM_UNRESOLVED);
	assert_int_equal(w.closes, 1);
	assert_int_equal(now(r, at(r, 10, code_at))->state, SYM_NO_DSO);
	map_code(r, 10);
	assert_int_equal(now(r, at(r, 10, code_at))->state, SYM_PENDING);
	assert_string_equal(dso_name(r, at(r, 10, code_at)), "[anon]");
	w.listed[10] = 3;
	apply_task(r, RECORD_FORK, 10, 1, 2); /* the pid is reused */
	map_code(r, 10);
	apply_comm(r, 10, "third", false);
	uint32_t third = at(r, 10, code_at + 2 * SLOT);
	assert_string_equal(now(r, third)->name, "10.2");
	assert_string_equal(dso_name(r, third), "[JIT] third");
	resolver_destroy(r);
	assert_int_equal(w.closes, w.opened);
}

/* Code mapped in place of a library that was unmapped does not get the library's names. */
static void reused_addresses_have_new_names(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 2}};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = 10, .start = code_at, .len = 0x10000, .prot = 5, .filename = "/lib/a.so", .ino = 1};
	for (int round = 0; round < 3; round++) {
		resolver_apply(r, &rec);
		assert_string_equal(dso_name(r, at(r, 10, code_at)), "a.so");
		map_code(r, 10);
		assert_string_equal(now(r, at(r, 10, code_at))->name, "10.0");
	}
	resolver_destroy(r);
}

/* The number of samples that wait is limited. */
static void waiting_samples_are_bounded(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 1}};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	map_code(r, 10);
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = 10, .start = code_at, .len = 1 << 30, .pgoff = code_at, .prot = 7, .filename = "//anon"};
	resolver_apply(r, &rec);
	for (uint32_t i = 0; i < 200000; i++)
		at(r, 10, code_at + 0x1000 + i * 16ull);
	assert_true(resolver_catalog(r)->syms_n < 70000);
	resolver_destroy(r);
}

/* ---- addresses that are used again -------------------------------------------------- */

/* A jitdump with times; the loader thread reads it. */
struct timed {
	pthread_mutex_t lock;
	struct jit_list list;
};

static void timed_read(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	(void)key;
	struct timed *t = ctx;
	*reader = t;
	pthread_mutex_lock(&t->lock);
	ret->table = jit_table_create(&t->list, ORIGIN_JITDUMP, true);
	pthread_mutex_unlock(&t->lock);
	ret->file = mem_strdup("/tmp/jit-10.dump");
}

static void timed_close(void *ctx, void *reader)
{
	(void)ctx, (void)reader;
}

static void load(struct timed *t, uint64_t time_ns, const char *name)
{
	const struct jit_code code = {
		.addr = code_at, .size = SLOT, .time_ns = time_ns, .name = name, .name_n = strlen(name)};
	pthread_mutex_lock(&t->lock);
	jit_list_add(&t->list, &code);
	pthread_mutex_unlock(&t->lock);
}

/* The time, each time a later one. */
static uint64_t next_ns(void)
{
	made_clock_advance(1);
	return clock_ns(CLOCK_MONOTONIC);
}

static uint32_t then(struct resolver *r, uint64_t time_ns)
{
	return resolver_symbol(r, resolver_task(r, 10, 10, 1), MISC_USER, code_at + 8, time_ns);
}

/* Reads until `sym` is certain.  A read that began before the sample does not make it certain,
 * so that one more is needed. */
static void until_certain(struct resolver *r, uint32_t sym)
{
	for (int i = 0; i < 1000 && resolver_catalog(r)->syms[sym].may_change; i++) {
		made_clock_advance(10 * MS);
		resolver_settle(r, -1);
		resolver_collect(r);
	}
	assert_false(resolver_catalog(r)->syms[sym].may_change);
}

/* The symbol of a sample is only a guess until the file was read after the sample was taken. */
static void each_sample_has_the_code_of_its_time(void **state)
{
	(void)state;
	struct timed l = {.lock = PTHREAD_MUTEX_INITIALIZER};
	jit_list_init(&l.list);
	struct jit_ops ops = {timed_read, timed_close, &l, false};
	struct resolver *r = make(&ops);
	map_code(r, 10);
	uint64_t begin = next_ns() - 1000000000;
	load(&l, begin, "first");
	uint32_t early = then(r, begin + 10), before = then(r, begin - 10), late = then(r, begin + 400000000);
	assert_string_equal(now(r, early)->name, "first");
	assert_string_equal(now(r, late)->name, "first"); /* the best guess so far */
	assert_int_not_equal(now(r, before)->state, SYM_NAMED);
	load(&l, begin + 300000000, "second"); /* a record that is written late */
	resolver_settle(r, -1);
	uint32_t newest = then(r, next_ns());
	assert_string_equal(now(r, newest)->name, "second");
	load(&l, next_ns(), "third");
	resolver_settle(r, -1);
	resolver_collect(r);
	until_certain(r, newest);
	assert_string_equal(now(r, early)->name, "first");
	assert_string_equal(now(r, newest)->name, "second");
	assert_int_not_equal(now(r, before)->state, SYM_NAMED);
	assert_string_equal(now(r, then(r, next_ns()))->name, "third");
	assert_string_equal(now(r, then(r, begin + 299999999))->name, "first");
	assert_string_equal(now(r, then(r, begin + 300000000))->name, "second");
	resolver_destroy(r);
	jit_list_deinit(&l.list);
}

/* A source that was read before the sample was taken, and could not be read again since: its name is shown, but is not
 * certain. */
static void a_name_from_before_the_sample(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 1}, .read_ns = clock_ns(CLOCK_MONOTONIC)};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	apply_comm(r, 10, "java", false);
	map_code(r, 10);
	made_clock_advance(100 * MS);
	uint32_t sym = at(r, 10, code_at);
	for (int i = 0; i < 60; i++) {
		made_clock_advance(100 * MS);
		resolver_collect(r);
	}
	assert_string_equal(now(r, sym)->name, "10.0");
	assert_true(resolver_catalog(r)->syms[sym].may_change);
	w.read_ns = 0; /* up to the present */
	for (int i = 0; i < 20; i++) {
		made_clock_advance(100 * MS);
		resolver_collect(r);
	}
	assert_false(resolver_catalog(r)->syms[sym].may_change);
	resolver_destroy(r);
}

static void retire_unused(struct resolver *r)
{
	const struct catalog *cat = resolver_catalog(r);
	struct catalog_used used = {calloc(cat->tasks_n, 1), calloc(cat->syms_n, 1), cat->tasks_n, cat->syms_n};
	assert_true(used.tasks && used.syms);
	resolver_retire(r, &used);
	free(used.tasks);
	free(used.syms);
}

/* Samples that waited have their own symbols, which are retired once the samples have names. */
static void waiting_samples_do_not_grow_memory(void **state)
{
	(void)state;
	struct timed l = {.lock = PTHREAD_MUTEX_INITIALIZER};
	jit_list_init(&l.list);
	struct jit_ops ops = {timed_read, timed_close, &l, false};
	struct resolver *r = make(&ops);
	map_code(r, 10);
	load(&l, 1, "always");
	then(r, next_ns());
	uint32_t most = 0;
	for (int round = 0; round < 12; round++) {
		for (uint64_t i = 0; i < 5000; i++)
			/* becomes certain only with the read after that time */
			then(r, next_ns() + 60000000000 * (unsigned)round);
		resolver_settle(r, 0);
		resolver_collect(r);
		if (resolver_wants_retire(r, 0))
			retire_unused(r);
		if (round == 9)
			most = resolver_catalog(r)->syms_n;
	}
	assert_true(resolver_catalog(r)->syms_n <= 70000);
	assert_int_equal(resolver_catalog(r)->syms_n, most);
	resolver_destroy(r);
	jit_list_deinit(&l.list);
}

/* An unresolved sample may get a name as long as its process lives, and with the last read
 * after its end. */
static void a_name_that_comes_late(void **state)
{
	(void)state;
	struct world w = {.listed = {[10] = 1}};
	struct jit_ops ops = {world_read, world_close, &w, false};
	struct resolver *r = make(&ops);
	apply_task(r, RECORD_FORK, 10, 1, 1);
	map_code(r, 10);
	uint64_t long_ago = next_ns() - 60000000000;
	uint32_t named = resolver_symbol(r, resolver_task(r, 10, 10, 1), MISC_USER, code_at + 3 * SLOT, long_ago),
		 never = resolver_symbol(r, resolver_task(r, 10, 10, 1), MISC_USER, code_at + 9 * SLOT, long_ago);
	resolver_settle(r, -1);
	resolver_collect(r);
	assert_int_equal(now(r, named)->state, SYM_UNRESOLVED); /* still without a name */
	w.listed[10] = 4;
	apply_comm(r, 10, "next", true);
	assert_string_equal(now(r, named)->name, "10.3");
	assert_int_equal(now(r, never)->state, SYM_UNRESOLVED);
	assert_false(resolver_catalog(r)->syms[never].may_change);
	resolver_destroy(r);
	assert_int_equal(w.closes, w.opened);
}

/* ---- forks -------------------------------------------------------------------------- */

static void fork_at(struct resolver *r, uint32_t pid, uint32_t ppid)
{
	apply_task(r, RECORD_FORK, pid, ppid, next_ns());
}

/* A child runs the code of its parent, sampled before the fork or not; code that the child
 * makes has names of its own; after an exec the parent's code is gone. */
static void a_fork_has_its_parent_s_code(void **state)
{
	(void)state;
	for (int sampled = 0; sampled < 2; sampled++) {
		struct world w = {.listed = {[10] = 3}};
		struct jit_ops ops = {world_read, world_close, &w, false};
		struct resolver *r = make(&ops);
		apply_task(r, RECORD_FORK, 10, 1, 1);
		map_code(r, 10);
		if (sampled)
			at(r, 10, code_at);
		fork_at(r, 11, 10);
		fork_at(r, 12, 11); /* and a grandchild */
		assert_string_equal(now(r, at(r, 12, code_at + SLOT))->name, "10.1");
		assert_string_equal(now(r, at(r, 11, code_at + 2 * SLOT))->name, "10.2");
		assert_int_equal(now(r, at(r, 11, code_at + 7 * SLOT))->state, SYM_PENDING);
		/* the parent ends, the child goes on */
		if (sampled)
			apply_comm(r, 10, "next", true);
		assert_string_equal(now(r, at(r, 11, code_at))->name, "10.0");
		w.listed[11] = 2;
		resolver_settle(r, -1);
		at(r, 11, code_at + 9 * SLOT);
		resolver_settle(r, -1);
		assert_string_equal(now(r, at(r, 11, code_at))->name, "11.0");
		assert_string_equal(now(r, at(r, 11, code_at + 2 * SLOT))->name, "10.2");
		apply_comm(r, 11, "other", true);
		map_code(r, 11);
		w.listed[11] = 0;
		assert_int_not_equal(now(r, at(r, 11, code_at + 2 * SLOT))->state, SYM_NAMED);
		assert_string_equal(now(r, at(r, 12, code_at + 2 * SLOT))->name, "10.2");
		resolver_destroy(r);
		assert_int_equal(w.closes, w.opened);
	}
}

/* Only process 10 has a map. */
static void parents_read(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	if (key->pid == 10)
		timed_read(ctx, key, reader, ret);
}

/* Code that the parent made after the fork is not in the child. */
static void code_from_after_the_fork(void **state)
{
	(void)state;
	struct timed l = {.lock = PTHREAD_MUTEX_INITIALIZER};
	jit_list_init(&l.list);
	struct jit_ops ops = {parents_read, timed_close, &l, false};
	struct resolver *r = make(&ops);
	apply_task(r, RECORD_FORK, 10, 1, 1);
	map_code(r, 10);
	load(&l, 1, "first");
	then(r, next_ns());
	fork_at(r, 11, 10);
	load(&l, next_ns(), "second");
	uint64_t late = next_ns();
	uint32_t in_child = resolver_symbol(r, resolver_task(r, 11, 11, late), MISC_USER, code_at + 8, late);
	uint32_t in_parent = then(r, late);
	resolver_settle(r, -1);
	until_certain(r, in_parent);
	until_certain(r, in_child);
	assert_string_equal(now(r, in_parent)->name, "second");
	assert_string_equal(now(r, in_child)->name, "first");
	resolver_destroy(r);
	jit_list_deinit(&l.list);
}

int main(void)
{
	made_clock_stop();
	made_clock_ahead(3600); /* until threads must have ended */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_has_its_process_s_names),	 cmocka_unit_test(code_waits_for_its_name),
		cmocka_unit_test(settling_does_not_wait),	 cmocka_unit_test(an_old_map_is_not_waited_for),
		cmocka_unit_test(names_end_with_their_program),	 cmocka_unit_test(reused_addresses_have_new_names),
		cmocka_unit_test(waiting_samples_are_bounded),	 cmocka_unit_test(each_sample_has_the_code_of_its_time),
		cmocka_unit_test(a_name_from_before_the_sample), cmocka_unit_test(waiting_samples_do_not_grow_memory),
		cmocka_unit_test(a_name_that_comes_late),	 cmocka_unit_test(a_fork_has_its_parent_s_code),
		cmocka_unit_test(code_from_after_the_fork),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
