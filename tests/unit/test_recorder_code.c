/* What a recorder knows of JIT code that has no name. */
#include "recorder/code.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CODE_AT = 0x7000000, FILE_AT = 0x8000000 };

static void apply_map(struct code_names *c, uint32_t pid, uint64_t start, const char *path)
{
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = pid, .tid = pid, .start = start, .len = 0x10000, .prot = 5, .filename = path};
	code_names_record(c, &rec);
}

/* Samples count while they wait for a name, and afterwards; those of files do not. */
static void samples_without_a_name_are_counted(void **state)
{
	(void)state;
	struct code_names *c;
	struct error err;
	const struct jit_runtime *maker;
	pid_t child = fork();
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child); /* its pid is nobody's */
	uint32_t pid = (uint32_t)child;
	assert_int_equal(code_names_create(&c, &err), 0);
	assert_int_equal(code_names_unnamed(c, &maker), 0);
	apply_map(c, pid, CODE_AT, "//anon");
	apply_map(c, pid, FILE_AT, "/usr/bin/node");
	struct sample_core samples[5];
	for (unsigned i = 0; i < 5; i++)
		samples[i] = (struct sample_core){.ip = i < 3 ? CODE_AT + i * 16 : FILE_AT + i * 16,
						  .misc = MISC_USER,
						  .pid = pid,
						  .tid = pid,
						  .time_ns = 1000 + i};
	code_names_samples(c, samples, 5);
	code_names_settle(c);
	assert_int_equal(code_names_unnamed(c, &maker), 3);
	assert_string_equal(maker->how, "node --perf-basic-prof");
	struct record exited = {.type = RECORD_EXIT};
	exited.u.task.pid = exited.u.task.tid = pid;
	exited.u.task.time_ns = 2000;
	code_names_record(c, &exited);
	code_names_tend(c, 10000000000);
	code_names_settle(c);
	code_names_tend(c, 20000000000);
	assert_int_equal(code_names_unnamed(c, &maker), 3);
	code_names_destroy(c);
}

/* Names of callers are kept, too, if user code called them: those of a perf map of a process that lives. */
static void callers_have_names(void **state)
{
	(void)state;
	struct code_names *c;
	struct error err;
	struct pd_info info;
	const struct jit_runtime *maker;
	struct limit_counts limits = {0};
	char path[64];
	pid_t child = fork();
	if (!child) {
		alarm(600); /* if this test fails */
		pause();
		_exit(0);
	}
	uint32_t pid = (uint32_t)child;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	FILE *map = fopen(path, "we");
	assert_non_null(map);
	fprintf(map, "%x 10 leaf\n%x 10 caller\n%x 10 not_called\n", CODE_AT, CODE_AT + 0x100, CODE_AT + 0x200);
	fclose(map);
	assert_int_equal(code_names_create(&c, &err), 0);
	apply_map(c, pid, CODE_AT, "//anon");
	const struct sample_core sample = {
		.ip = CODE_AT + 4, .misc = MISC_USER, .pid = pid, .tid = pid, .time_ns = 1000};
	const uint64_t chain[] = {CALLCHAIN_KERNEL, CODE_AT + 0x204, CALLCHAIN_USER, CODE_AT + 4, CODE_AT + 0x110};
	code_names_samples(c, &sample, 1);
	code_names_callers(c, &sample, (struct record_words){.data = chain, .n = ARRAY_LEN(chain)});
	for (uint64_t i = 1; i < 60 && (i == 1 || code_names_unnamed(c, &maker)); i++) { /* a machine may be busy */
		code_names_tend(c, i * 10000000000);
		code_names_settle(c);
	}
	pd_info_init(&info);
	code_names_get(c, &info, &limits);
	assert_int_equal(info.code_n, 1);
	assert_int_equal(info.code[0].functions_n, 2);
	pd_info_deinit(&info);
	code_names_destroy(c);
	unlink(path);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_without_a_name_are_counted),
		cmocka_unit_test(callers_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
