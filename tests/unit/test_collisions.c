/* Keys that others choose so that they collide in a hash without a seed: in the indexes they do not. */
#include "recorder/stats.h"
#include "resolve/jit/jit.h"
#include "resolve/naming/contexts.h"
#include "resolve/naming/dsos.h"
#include "resolve/task/process.h"
#include "session/leader.h"

#include <cyctop/model.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* LONGEST: with the random seed of an index no search is nearly as long, and without one it is KEYS long. */
enum { KEYS = 2000, LONGEST = 500 };

/* The most slots that a search looks into. */
static size_t longest_search(const struct index *ix)
{
	size_t longest = 0;
	for (size_t i = 0; i < ix->slots_n; i++) {
		size_t home = index_home(ix, ix->slots[i]), from_home = i >= home ? i - home : i + ix->slots_n - home;
		if (ix->slots[i] && from_home >= longest)
			longest = from_home + 1;
	}
	return longest;
}

/* The number whose hash_u64() is `h`. */
static uint64_t unhash(uint64_t h)
{
	h ^= h >> 31 ^ h >> 62;
	h *= 0x319642b2d24d8ec3ull; /* the inverses of its factors */
	h ^= h >> 27 ^ h >> 54;
	h *= 0x96de1b173f119089ull;
	return h ^ h >> 30 ^ h >> 60;
}

/* A number whose hash differs from that of others in its lower half alone. */
static uint64_t bad_number(uint32_t i)
{
	return unhash(i);
}

/* A path of 16 bytes, with the same hash without a seed as all others. */
static void bad_path(uint32_t *i, char path[17])
{
	uint64_t first, second, start = hash_u64(0x9e3779b97f4a7c15ull) ^ 16;
	do {
		snprintf(path, 17, "/bin/%03x", ++*i & 0xfff);
		path[1] = (char)('a' + (*i >> 12) % 26), path[2] = (char)('a' + (*i >> 12) / 26);
		memcpy(&first, path, 8);
		second = hash_u64(start ^ first) ^ 0x5e5e5e5e5e5e5e5eull;
		memcpy(path + 8, &second, 8);
		path[16] = '\0';
	} while (strlen(path) != 16);
}

static void they_collide_without_a_seed(void **state)
{
	(void)state;
	char a[17], b[17];
	uint32_t i = 0;
	bad_path(&i, a);
	bad_path(&i, b);
	assert_string_not_equal(a, b);
	assert_int_equal(hash_bytes(a, 16, 0), hash_bytes(b, 16, 0));
	for (uint32_t k = 0; k < KEYS; k++)
		assert_int_equal(hash_u64(bad_number(k)) >> 32, 0);
	struct index ix;
	index_init(&ix);
	for (uint32_t k = 0; k < KEYS; k++)
		index_add(&ix, hash_u64(bad_number(k)), k);
	assert_int_equal(longest_search(&ix), KEYS);
	index_deinit(&ix);
}

static int no_identity(void *ctx, int32_t pid, int32_t tid, struct proc_identity *ret)
{
	(void)ctx, (void)pid, (void)tid, (void)ret;
	return -ESRCH;
}

struct world {
	struct loader *loader;
	struct names names;
	struct dsos *dsos;
	struct contexts contexts;
	struct processes processes;
};

static int setup(void **state)
{
	struct world *w = mem_calloc(1, sizeof(*w));
	struct error err;
	assert_int_equal(loader_create(NULL, 0, false, &w->loader, &err), 0);
	names_init(&w->names);
	contexts_init(&w->contexts, &w->names.cat);
	w->dsos = dsos_create(&w->names, w->loader, &(struct dsos_config){.background = false});
	processes_init(&w->processes, &w->names, w->dsos, &(struct proc_ops){.identity = no_identity});
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	processes_deinit(&w->processes);
	loader_destroy(w->loader);
	dsos_destroy(w->dsos);
	contexts_deinit(&w->contexts);
	names_deinit(&w->names);
	free(w);
	return 0;
}

static void paths_of_files(void **state)
{
	struct world *w = *state;
	char path[17];
	for (uint32_t n = 0, i = 0; n < KEYS; n++) {
		bad_path(&i, path);
		dsos_of_mapping(w->dsos, &(struct dso_key){.path = path, .pid = -1});
	}
	assert_int_equal(w->dsos->by_key.n, KEYS);
	assert_true(longest_search(&w->dsos->by_key) < LONGEST);
}

static void build_ids(void **state)
{
	struct world *w = *state;
	for (uint32_t n = 0, i = 0; n < KEYS; n++) {
		struct dso_key key = {.path = "/lib/x", .pid = -1, .build_id.size = 16};
		char id[17];
		bad_path(&i, id);
		memcpy(key.build_id.bytes, id, 16);
		dsos_of_mapping(w->dsos, &key);
	}
	assert_int_equal(w->dsos->by_key.n, KEYS);
	assert_true(longest_search(&w->dsos->by_key) < LONGEST);
}

/* JIT code: one name at one address, of different sizes. */
static void sizes_of_symbols(void **state)
{
	struct world *w = *state;
	names_add_dso(&w->names, &(struct dso_info){.path = "/lib/x", .name = "x"});
	for (uint64_t i = 0; i < KEYS; i++)
		names_sym(&w->names, &(struct sym_info){.name = "f", .addr = 0x1000, .size = i << 24, .by_name = true});
	assert_int_equal(w->names.by_code.n, KEYS);
	assert_true(longest_search(&w->names.by_code) < LONGEST);
}

static void addresses_without_a_name(void **state)
{
	struct world *w = *state;
	uint32_t dso = dsos_of_mapping(w->dsos, &(struct dso_key){.path = "/lib/x", .pid = -1});
	for (uint32_t i = 0; i < KEYS; i++)
		dsos_pending(w->dsos, dso, unhash(unhash(i) - dso), false);
	assert_int_equal(w->dsos->by_addr.n, KEYS);
	assert_true(longest_search(&w->dsos->by_addr) < LONGEST);
}

static void cgroups_of_recordings(void **state)
{
	struct world *w = *state;
	for (uint32_t i = 0; i < KEYS; i++)
		contexts_name(&w->contexts, bad_number(i), "/job");
	assert_true(longest_search(&w->contexts.by_cgroup_id) < LONGEST);
}

static void processes_of_recordings(void **state)
{
	struct world *w = *state;
	uint32_t pid = 0;
	for (uint32_t n = 0; n < KEYS; n++) {
		while (hash_u64(++pid) >> 54)
			;
		process_get(&w->processes, pid, 1);
	}
	assert_true(longest_search(&w->processes.by_pid) < LONGEST);
	assert_true(longest_search(&w->processes.by_tid) < LONGEST);
}

static void code_of_a_jitdump(void **state)
{
	(void)state;
	struct jit_list l;
	jit_list_init(&l);
	for (uint32_t i = 0; i < KEYS; i++)
		jit_list_add(&l, &(struct jit_code){.addr = 0x1000 + 16 * i,
						    .size = 16,
						    .index = bad_number(i),
						    .numbered = true,
						    .name = "f",
						    .name_n = 1});
	assert_int_equal(l.by_index.n, KEYS);
	assert_true(longest_search(&l.by_index) < LONGEST);
	jit_list_deinit(&l);
}

static void counts_of_groups(void **state)
{
	(void)state;
	struct leader l;
	leader_init(&l);
	for (uint32_t i = 0; i < KEYS; i++)
		leader_step(&l, bad_number(i), 0, 1, false);
	assert_true(longest_search(&l.by_id) < LONGEST);
	leader_deinit(&l);
}

static void files_of_a_recording_that_is_written(void **state)
{
	(void)state;
	struct recording_stats s;
	recording_stats_init(&s, NULL, NULL);
	for (uint32_t n = 0, i = 0; n < KEYS; n++) {
		char path[17];
		bad_path(&i, path);
		recording_stats_add_decoded(&s, &(struct record){.type = RECORD_MMAP, .u.mmap.filename = path});
	}
	assert_int_equal(s.by_path.n, KEYS);
	assert_true(longest_search(&s.by_path) < LONGEST);
	recording_stats_deinit(&s);
}

/* A command whose name is made to collide is not summed with another's. */
static void keys_of_commands(void **state)
{
	struct world *w = *state;
	char a[17], b[17];
	uint32_t i = 0;
	bad_path(&i, a);
	bad_path(&i, b);
	uint32_t ids[] = {
		names_add_task(&w->names, &(struct task_info){.comm = a}),
		names_add_task(&w->names, &(struct task_info){.comm = b}),
		names_add_task(&w->names, &(struct task_info){.comm = a}),
	};
	const struct model_names names = {.cat = &w->names.cat};
	uint64_t keys[ARRAY_LEN(ids)];
	for (size_t k = 0; k < ARRAY_LEN(ids); k++)
		keys[k] = dimension_key(&names, DIM_COMM, ids[k]);
	assert_int_not_equal(keys[0], keys[1]);
	assert_int_equal(keys[0], keys[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_collide_without_a_seed),
		cmocka_unit_test_setup_teardown(paths_of_files, setup, teardown),
		cmocka_unit_test_setup_teardown(build_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(sizes_of_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(addresses_without_a_name, setup, teardown),
		cmocka_unit_test_setup_teardown(cgroups_of_recordings, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_of_recordings, setup, teardown),
		cmocka_unit_test(code_of_a_jitdump),
		cmocka_unit_test(counts_of_groups),
		cmocka_unit_test(files_of_a_recording_that_is_written),
		cmocka_unit_test_setup_teardown(keys_of_commands, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
