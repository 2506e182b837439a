/* Which JIT files are used for a recorded process. */
#include "resolve/kernel/vmlinux.h"
#include "resolve/recording/jit.h"
#include "resolve/recording/recording.h"
#include "test_resolve_recording_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <cmocka.h>

#define S 1000000000ll

static void files_are_matched_to_processes(void **state)
{
	(void)state;
	static const struct {
		const char *what;
		struct jit_file_facts file;
		enum jit_fit fit;
	} cases[] = {
		{"written while it was recorded", {true, 105 * S, 101 * S, 0, 100 * S, 110 * S}, JIT_FILE_FITS},
		{"of somebody else", {false, 105 * S, 101 * S, 0, 100 * S, 110 * S}, JIT_FILE_MISFIT},
		{"from before its exec", {true, 90 * S, 101 * S, 0, 100 * S, 110 * S}, JIT_FILE_MISFIT},
		{"from before this boot", {true, -S * 1000, 0, 0, 100 * S, 110 * S}, JIT_FILE_MISFIT},
		{"older than the recording, and the process is gone",
		 {true, 50 * S, 0, 0, 100 * S, 110 * S},
		 JIT_FILE_MAY_FIT},
		{"older than the recording, by a process that lives",
		 {true, 50 * S, 0, 40 * S, 100 * S, 110 * S},
		 JIT_FILE_FITS},
		{"older than the process that lives", {true, 30 * S, 0, 40 * S, 100 * S, 110 * S}, JIT_FILE_MISFIT},
		{"written later, and the process is gone",
		 {true, 200 * S, 101 * S, 0, 100 * S, 110 * S},
		 JIT_FILE_MAY_FIT},
		{"written later, by a process that lives",
		 {true, 200 * S, 101 * S, 101 * S, 100 * S, 110 * S},
		 JIT_FILE_FITS},
		{"written while it was recorded, and another process has the pid",
		 {true, 105 * S, 101 * S, 150 * S, 100 * S, 110 * S},
		 JIT_FILE_MISFIT},
		{"written later, by another one", {true, 200 * S, 101 * S, 150 * S, 100 * S, 110 * S}, JIT_FILE_MISFIT},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *why = NULL;
		if (jit_file_fit(&cases[i].file, &why) != cases[i].fit || !why != (cases[i].fit == JIT_FILE_FITS))
			fail_msg("%s", cases[i].what);
	}
}

static void fixed_places_are_not_random(void **state)
{
	(void)state;
	static const uint64_t fixed[] = {0x401000,	 0xfffff000,	 0x555555554000,
					 0x7ffff7ff0000, 0xaaaaaaaaa000, 0xfffff7ff0000};
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		assert_false(jit_is_at_random(fixed[i]));
	assert_true(jit_is_at_random(0x7f0c3f7c3000));
	assert_true(jit_is_at_random(0x3bc40104000));
}

static int64_t now_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return t.tv_sec * S + t.tv_nsec;
}

static void recordings_of_this_machine(void **state)
{
	(void)state;
	struct utsname u;
	char other[] = "another-host", old[] = "1.0.0", kernel[] = "[kernel.kallsyms]";
	assert_int_equal(uname(&u), 0);
	struct pd_build_id id = {.misc = MISC_KERNEL, .size = 20, .id = {1, 2, 3}, .path = kernel};
	struct pd_info info = {
		.hostname = u.nodename, .osrelease = u.release, .last_ns = (uint64_t)now_of(CLOCK_MONOTONIC)};
	struct recording_names_config config = {.info = &info, .written_ns = now_of(CLOCK_REALTIME)};
	assert_true(recorded_here(&config));
	info.hostname = other;
	assert_false(recorded_here(&config));
	info.hostname = NULL;
	assert_false(recorded_here(&config));
	info.hostname = u.nodename;
	info.osrelease = old;
	assert_false(recorded_here(&config));
	info.osrelease = u.release;
	struct build_id running;
	running_kernel_id(&running);
	info.build_ids = &id;
	info.build_ids_n = 1;
	if (running.size)
		assert_false(recorded_here(&config));
	info.build_ids_n = 0;
	/* the clocks differ: the recording is of another boot, or was copied later */
	config.written_ns += 3600 * S;
	assert_false(recorded_here(&config));
	config.written_ns -= 7200 * S;
	assert_false(recorded_here(&config));
	config.written_ns = 0;
	assert_false(recorded_here(&config));
	config.written_ns = now_of(CLOCK_REALTIME);
	info.last_ns += 10 * S;
	assert_false(recorded_here(&config));
	info.last_ns = 0;
	assert_false(recorded_here(&config));
	/* without SAMPLE_TIME the newest record tells */
	info.newest_ns = (uint64_t)now_of(CLOCK_MONOTONIC);
	assert_true(recorded_here(&config));
	/* what comes through a pipe is of now */
	config.written_ns = 0;
	assert_false(recorded_here(&config));
	config.flows = true;
	assert_true(recorded_here(&config));
	info.newest_ns -= 600 * S;
	assert_false(recorded_here(&config));
}

/* What says that it is of another boot, though names and times agree. */
static void a_kernel_at_another_address(void **state)
{
	(void)state;
	static const uint64_t here = 0xffffffff81000000;
	struct utsname u;
	assert_int_equal(uname(&u), 0);
	struct pd_info info = {.last_ns = (uint64_t)now_of(CLOCK_MONOTONIC), .kernel_addr = here + 0x1000000};
	struct recording_names_config config = {.info = &info, .written_ns = now_of(CLOCK_REALTIME)};
	for (int flows = 0; flows < 2; flows++) {
		config.flows = flows;
		info.hostname = info.osrelease = NULL;
		struct recording_names *n = recording_names_create(&config);
		n->running_read = true;
		n->running_addr = here;
		info.hostname = u.nodename;
		info.osrelease = u.release;
		recording_look(n);
		assert_false(recording_is_of_this_boot(n));
		assert_false(n->kernel_in_place);
		info.kernel_addr = here;
		recording_look(n);
		assert_true(recording_is_of_this_boot(n));
		assert_true(n->kernel_in_place);
		info.kernel_addr = here + 0x1000000;
		recording_names_destroy(n);
	}
}

/* ---- files below --symfs
 * --------------------------------------------------------------------- */

static void begin(struct stage *s)
{
	static char root[SCRATCH_PATH];
	scratch_path(root, "%s", stage_path(s, ""));
	s->config.symfs = root;
	stage_open(s);
	stage_maps(s, "//anon", NULL);
}

static const struct sym_info *sym(struct stage *s, uint64_t at)
{
	resolver_symbol(s->r, s->task, MISC_USER, STAGE_AT + at, 0);
	resolver_settle(s->r, -1);
	resolver_collect(s->r);
	return stage_sym(s, MISC_USER, STAGE_AT + at);
}

static void a_map_below_symfs(void **state)
{
	struct stage *s = *state;
	static const char map[] = "400100 40 first one\nnot a line\n400200 40 second\n400200 20 newer\n400300 10 last";
	stage_write(s, "/tmp/perf-10.map", map, sizeof(map) - 1);
	begin(s);
	assert_string_equal(sym(s, 0x110)->name, "first one");
	assert_int_equal(sym(s, 0x110)->origin, ORIGIN_PERF_MAP);
	assert_string_equal(sym(s, 0x210)->name, "newer");
	assert_string_equal(sym(s, 0x305)->name, "last");
	assert_int_equal(sym(s, 0x500)->state, SYM_UNRESOLVED);
	const char *file = resolver_catalog(s->r)->dsos[sym(s, 0x110)->dso].file;
	assert_non_null(strstr(file, "/tmp/perf-10.map"));
}

/* The map of process 10 on this machine is not used for a recording of another machine. */
static void maps_need_the_users_word(void **state)
{
	struct stage *s = *state;
	stage_open(s);
	stage_maps(s, "//anon", NULL);
	assert_int_equal(sym(s, 0x110)->state, SYM_UNRESOLVED);
}

static size_t add_u32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
	return sizeof(v);
}

static size_t add_u64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
	return sizeof(v);
}

/* Makes a jitdump with one function at `at`. */
static size_t make_dump(uint8_t *p, uint32_t pid, uint64_t at)
{
	static const char name[] = "dumped";
	size_t n = add_u32(p, 0x4A695444);
	n += add_u32(p + n, 1);
	n += add_u32(p + n, 40);
	n += add_u32(p + n, 62);
	n += add_u32(p + n, 0);
	n += add_u32(p + n, pid);
	n += add_u64(p + n, 1);
	n += add_u64(p + n, 0);
	n += add_u32(p + n, 0); /* JIT_CODE_LOAD */
	n += add_u32(p + n, 56 + sizeof(name) + 4);
	n += add_u64(p + n, 1);
	n += add_u32(p + n, pid);
	n += add_u32(p + n, pid);
	n += add_u64(p + n, at);
	n += add_u64(p + n, at);
	n += add_u64(p + n, 4);
	n += add_u64(p + n, 1);
	memcpy(p + n, name, sizeof(name));
	n += sizeof(name);
	n += add_u32(p + n, 0xc3c3c3c3);
	return n;
}

static void a_jitdump_of_the_right_process(void **state)
{
	struct stage *s = *state;
	uint8_t dump[256];
	for (uint32_t pid = 10; pid <= 11; pid++) {
		size_t n = make_dump(dump, pid, STAGE_AT + 0x100);
		stage_write(s, "/home/u/jit-10.dump", dump, n);
		begin(s);
		struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
		rec.u.mmap = (struct record_mmap){.pid = STAGE_PID,
						  .tid = STAGE_PID,
						  .start = 0x7000000,
						  .len = 0x1000,
						  .prot = 5,
						  .filename = "/home/u/jit-10.dump"};
		resolver_apply(s->r, &rec);
		const struct sym_info *found = sym(s, 0x101);
		assert_int_equal(found->state, pid == 10 ? SYM_NAMED : SYM_UNRESOLVED);
		if (pid == 10) {
			assert_string_equal(found->name, "dumped");
			assert_int_equal(found->origin, ORIGIN_JITDUMP);
		}
		stage_close(s);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_setup, stage_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_matched_to_processes),
		cmocka_unit_test(fixed_places_are_not_random),
		cmocka_unit_test(recordings_of_this_machine),
		cmocka_unit_test(a_kernel_at_another_address),
		TEST(a_map_below_symfs),
		TEST(maps_need_the_users_word),
		TEST(a_jitdump_of_the_right_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
