/* Code that is found in the memory of a process: what a library exports there, and what was where when. */
#include "base/proc_maps.h"
#include "os/clock.h"
#include "resolve/elf/image.h"
#include "resolve/jit/store.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- exported symbols --------------------------------------------------------------------- */

struct search {
	const char *name;
	uint64_t address;
};

static void compare(void *ctx, const char *name, uint64_t address)
{
	struct search *s = ctx;
	if (strcmp(name, s->name) == 0)
		s->address = address;
}

/* The mapping of this process that has the address; its path is in `line`. */
static struct proc_map mapping_of(uint64_t address, char *line, int cap)
{
	struct proc_map map = {0};
	FILE *f = fopen("/proc/self/maps", "r");
	assert_non_null(f);
	while (fgets(line, cap, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (proc_maps_line(line, &map) && address >= map.start && address < map.end)
			break;
	}
	fclose(f);
	assert_true(address >= map.start && address < map.end);
	return map;
}

static void a_library_s_symbols_in_memory(void **state)
{
	(void)state;
	char line[4352];
	struct search s = {.name = "getline"};
	uint64_t address = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, s.name);
	assert_int_not_equal(address, 0);
	struct proc_map map = mapping_of(address, line, sizeof(line));
	int fd = open(map.path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		skip(); /* a C library in the program itself */
	assert_true(elf_exported(fd, map.offset, map.start, NULL, compare, &s));
	assert_int_equal(s.address, address);
	/* where the file has no code, nothing is known */
	assert_false(elf_exported(fd, UINT64_MAX / 2, map.start, NULL, compare, &s));
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_false(elf_exported(fd, 0, map.start, NULL, compare, &s));
	close(fd);
}

/* ---- what was where when ------------------------------------------------------------------ */

/* What is in memory: so many functions, each of 16 bytes. */
struct memory {
	const char *names[4];
	enum jit_look found; /* by the next look */
};

static enum jit_look look(void *ctx, jit_code_fn *add, void *add_ctx, struct limit_set *reached)
{
	const struct memory *m = ctx;
	(void)reached;
	for (unsigned i = 0; i < ARRAY_LEN(m->names); i++)
		if (m->names[i])
			add(add_ctx, &(struct jit_code){.addr = 4096 + i * 16,
							.size = 16,
							.name = m->names[i],
							.name_n = strlen(m->names[i])});
	return m->found;
}

/* Looks at the memory; the new table, or NULL if nothing is new. */
static struct jit_table *read_now(struct jit_file *f, struct memory *m, uint64_t *given)
{
	jit_memory_read(f, look, m);
	return jit_file_table(f, LIMIT_JIT_PROCESS_BYTES, false, given);
}

static const char *name_at(const struct jit_table *t, uint64_t addr, uint64_t time_ns)
{
	static struct symtab_hit hit;
	return jit_table_find(t, addr, time_ns, &hit) ? hit.name : "none";
}

static void code_gives_way_to_other_code(void **state)
{
	(void)state;
	struct memory m = {.names = {"a", "b"}, .found = JIT_LOOK_NEW};
	struct jit_store *s = jit_store_create();
	struct jit_file *f = jit_memory_get(s, 0);
	uint64_t given = 0;
	struct jit_table *t = read_now(f, &m, &given);
	assert_non_null(t);
	uint64_t first_ns = clock_ns(CLOCK_MONOTONIC);
	struct symtab_hit hit;
	assert_true(jit_table_find(t, 4096, first_ns, &hit));
	assert_int_equal(hit.origin, ORIGIN_JVM);
	jit_table_destroy(t);
	assert_null(read_now(f, &m, &given)); /* the same: no new table */

	/* another function takes the place, and the first comes back */
	m.names[0] = "other";
	jit_table_destroy(read_now(f, &m, &given));
	uint64_t second_ns = clock_ns(CLOCK_MONOTONIC);
	assert_null(read_now(f, &m, &given));
	m.names[0] = "a";
	t = read_now(f, &m, &given);
	assert_non_null(t);
	assert_string_equal(name_at(t, 4096, UINT64_MAX), "a");
	assert_string_equal(name_at(t, 4096, second_ns), "other");
	assert_string_equal(name_at(t, 4096 + 16, UINT64_MAX), "b");
	jit_table_destroy(t);

	/* a reading that fails changes nothing; what is no longer there keeps its name */
	m = (struct memory){.names = {"c"}, .found = JIT_LOOK_FAILED};
	assert_null(read_now(f, &m, &given));

	/* nor does one that finds all as it was; but code that comes later was not there then */
	m = (struct memory){.found = JIT_LOOK_SAME};
	uint64_t same_ns = clock_ns(CLOCK_MONOTONIC);
	assert_null(read_now(f, &m, &given));
	m = (struct memory){.names = {"c"}, .found = JIT_LOOK_NEW};
	t = read_now(f, &m, &given);
	assert_string_equal(name_at(t, 4096, same_ns - 1), "a");
	assert_string_equal(name_at(t, 4096, UINT64_MAX), "c");
	assert_string_equal(name_at(t, 4096 + 16, UINT64_MAX), "b");
	jit_table_destroy(t);
	jit_file_put(f);
	assert_int_equal(jit_store_bytes(s), 0);
	jit_store_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_s_symbols_in_memory),
		cmocka_unit_test(code_gives_way_to_other_code),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
