/* Which processes can be asked for names, and whether code of theirs lacks names. */
#include "resolve/jit/jit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const uint64_t code_at = 0x10000;
enum { PID = 10, SLOT = 0x100 };

/* The perf map of every process names so many slots from code_at on. */
static atomic_uint listed;

static void read_map(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	struct jit_list l;
	(void)ctx;
	*reader = &listed;
	unsigned n = listed;
	jit_list_init(&l);
	for (unsigned i = 0; i < n; i++)
		jit_list_add(&l, &(struct jit_code){
					 .addr = code_at + i * SLOT, .size = SLOT, .name = "method", .name_n = 6});
	if (!n && key->is_jvm)
		snprintf(ret->why, sizeof(ret->why), "and the JVM is not ready");
	if (n)
		ret->table = jit_table_create(&l, ORIGIN_PERF_MAP, false);
	jit_list_deinit(&l);
}

static void close_map(void *ctx, void *reader)
{
	(void)ctx, (void)reader;
}

static const struct jit_ops ops = {.read = read_map, .close = close_map};

static struct resolver *make(void)
{
	struct resolver_config config = {.proc = proc_none, .jit = &ops, .background = true};
	struct resolver *r;
	struct error err;
	listed = 0;
	assert_int_equal(resolver_create(&config, &r, &err), 0);
	return r;
}

static void apply_map(struct resolver *r, uint32_t pid, uint64_t start, const char *path)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = pid, .start = start, .len = 0x10000, .pgoff = start, .prot = 5, .filename = path};
	resolver_apply(r, &rec);
}

static void apply_comm(struct resolver *r, uint32_t pid, const char *comm, bool exec)
{
	struct record rec = {.type = RECORD_COMM, .misc = exec ? MISC_COMM_EXEC : 0};
	rec.u.comm.pid = rec.u.comm.tid = pid;
	rec.u.comm.comm = comm;
	resolver_apply(r, &rec);
}

static enum runtime_kind runtime_of(struct resolver *r, uint32_t pid)
{
	uint32_t task = resolver_task(r, pid, pid, 1);
	return resolver_catalog(r)->tasks[resolver_catalog(r)->tasks[task].leader].runtime;
}

static const char libjvm[] = "/usr/lib/jvm/java-17/lib/server/libjvm.so";

static void runtimes_are_known_by_their_library(void **state)
{
	(void)state;
	struct resolver *r = make();
	apply_comm(r, PID, "java", true);
	apply_map(r, PID, 0x100000, "/usr/lib/jvm/java-17/lib/libjava.so");
	assert_int_equal(runtime_of(r, PID), RUNTIME_NONE);
	apply_map(r, PID, 0x200000, libjvm);
	apply_map(r, PID, 0x300000, "/usr/lib/libc.so.6");
	assert_int_equal(runtime_of(r, PID), RUNTIME_JVM);
	/* a thread is of its process, which alone has the mark */
	uint32_t thread = resolver_task(r, PID, PID + 1, 1);
	assert_int_equal(resolver_catalog(r)->tasks[thread].runtime, RUNTIME_NONE);
	/* mapped before its first sample */
	apply_comm(r, 20, "jsvc", true);
	apply_map(r, 20, 0x200000, libjvm);
	assert_int_equal(runtime_of(r, 20), RUNTIME_JVM);
	assert_int_equal(runtime_of(r, 30), RUNTIME_NONE);
	/* an app that is named after itself, one that is a single file, and one that hosts the other runtime */
	apply_comm(r, 40, "weather", true);
	apply_map(r, 40, 0x200000, "/opt/weather/libcoreclr.so");
	assert_int_equal(runtime_of(r, 40), RUNTIME_DOTNET);
	apply_comm(r, 50, "single", true);
	apply_map(r, 50, 0x200000, "/memfd:doublemapper (deleted)");
	assert_int_equal(runtime_of(r, 50), RUNTIME_DOTNET);
	apply_map(r, PID, 0x400000, "/opt/weather/libcoreclr.so");
	assert_int_equal(runtime_of(r, PID), RUNTIME_JVM);
	apply_comm(r, PID, "sh", true);
	assert_int_equal(runtime_of(r, PID), RUNTIME_NONE);
	resolver_destroy(r);
}

static const char *maker_of(struct resolver *r, uint32_t pid)
{
	uint32_t task = resolver_task(r, pid, pid, 1);
	const struct catalog *cat = resolver_catalog(r);
	const struct jit_runtime *m = cat->tasks[cat->tasks[task].leader].jit_runtime;
	return m ? m->comm : "";
}

/* A process may call itself what it likes; its program and libraries have names. */
static void makers_are_known_by_their_files(void **state)
{
	(void)state;
	static const struct {
		const char *path, *maker;
	} cases[] = {
		{"/usr/bin/node", "node"},
		{"/usr/lib/x86_64-linux-gnu/libnode.so.108", "node"},
		{"/opt/node (deleted)", "node"},
		{"/usr/bin/python3.11", "python"},
		{"/usr/lib/libpython3.12.so.1.0", "python"},
		{"/usr/lib/libruby-3.1.so.3.1", "ruby"},
		{"/usr/sbin/php-fpm8.2", "php"},
		{"/usr/lib/erlang/erts-13/bin/beam.smp", "beam"},
		{"/opt/app/libcoreclr.so", "dotnet"},
		{libjvm, "java"},
		{"/usr/bin/node_exporter", ""},
		{"/usr/lib/libc.so.6", ""},
		{"//anon", ""},
	};
	struct resolver *r = make();
	for (uint32_t i = 0; i < ARRAY_LEN(cases); i++) {
		apply_comm(r, 100 + i, "MainThread", true);
		apply_map(r, 100 + i, 0x100000, cases[i].path);
		if (strcmp(maker_of(r, 100 + i), cases[i].maker) != 0)
			fail_msg("%s: %s", cases[i].path, maker_of(r, 100 + i));
	}
	/* a child has its parent's mappings, until it calls exec() */
	struct record fork = {.type = RECORD_FORK};
	fork.u.task.pid = fork.u.task.tid = 300;
	fork.u.task.ppid = fork.u.task.ptid = 100;
	resolver_apply(r, &fork);
	assert_string_equal(maker_of(r, 300), "node");
	apply_comm(r, 300, "node", true);
	assert_string_equal(maker_of(r, 300), "");
	resolver_destroy(r);
}

static uint64_t clock_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void code_without_a_name(void **state)
{
	(void)state;
	struct resolver *r = make();
	apply_comm(r, PID, "java", true);
	apply_map(r, PID, code_at, "//anon");
	uint32_t task = resolver_task(r, PID, PID, 1);
	assert_false(resolver_lacks_code(r, task, 0)); /* no samples */
	assert_false(resolver_lacks_code(r, CATALOG_NONE, 0));
	uint64_t before = clock_now();
	uint32_t sym = resolver_symbol(r, task, MISC_USER, code_at + SLOT, 0);
	assert_true(resolver_settle(r, 120000));
	assert_true(resolver_lacks_code(r, task, 0));
	assert_true(resolver_lacks_code(r, task, before));
	assert_false(resolver_lacks_code(r, task, clock_now()));
	/* it is asked, and writes its map */
	listed = 4;
	resolver_code_written(r, task);
	const struct catalog *cat = resolver_catalog(r);
	for (int tries = 0; tries < 1200 && resolver_lacks_code(r, task, 0); tries++) {
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		resolver_collect(r);
	}
	assert_false(resolver_lacks_code(r, task, 0));
	cat = resolver_catalog(r);
	assert_string_equal(cat->syms[cat->syms[sym].resolved].name, "method");
	resolver_destroy(r);
}

static const char *why_of(struct resolver *r, uint32_t sym)
{
	const struct catalog *cat = resolver_catalog(r);
	return cat->dsos[cat->syms[sym].dso].why;
}

/* Who reads code is told of a JVM's library, whenever it is mapped; what the reader says of a failure is said no longer
 * when there are names. */
static void a_jvm_that_is_not_ready(void **state)
{
	(void)state;
	struct resolver *r = make();
	apply_comm(r, PID, "java", true);
	apply_map(r, PID, code_at, "//anon");
	uint32_t task = resolver_task(r, PID, PID, 1);
	uint32_t sym = resolver_symbol(r, task, MISC_USER, code_at + 8 * SLOT, 0);
	assert_true(resolver_settle(r, 120000));
	assert_non_null(strstr(why_of(r, sym), "no perf map"));
	apply_map(r, PID, 0x200000, libjvm);
	resolver_code_written(r, task); /* asks at once */
	assert_true(resolver_settle(r, 120000));
	for (int tries = 0; tries < 1200 && !strstr(why_of(r, sym), "not ready"); tries++) {
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		resolver_collect(r);
	}
	assert_string_equal(why_of(r, sym), "JIT code, and the JVM is not ready");
	listed = 4;
	resolver_code_written(r, task);
	for (int tries = 0; tries < 1200 && strstr(why_of(r, sym), "not ready"); tries++) {
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		resolver_collect(r);
	}
	assert_non_null(strstr(why_of(r, sym), "no perf map"));
	resolver_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runtimes_are_known_by_their_library),
		cmocka_unit_test(makers_are_known_by_their_files),
		cmocka_unit_test(code_without_a_name),
		cmocka_unit_test(a_jvm_that_is_not_ready),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
