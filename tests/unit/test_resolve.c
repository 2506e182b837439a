/* Address spaces, symbols of addresses, and the loader. */
#include "../lib/made_clock.h"
#include "../lib/resolver_stats.h"
#include "base/alloc.h"
#include "resolve/elf/image.h"
#include "test_resolve_world.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 3600 }; /* until the end of a thread */

/* ---- maps ----------------------------------------------------------------------- */

static void newest_mapping_wins_and_splits(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_comm(r, 10, 10, "x", true);
	apply_mmap(r, 10, 0x10000, 0x8000, 0, "/a");
	assert_string_equal(name_at(r, t, 0x12000), "a2");
	assert_string_equal(name_at(r, t, 0x14000), "a4");
	apply_mmap(r, 10, 0x12000, 0x2000, 0, "/b"); /* in the middle */
	assert_string_equal(name_at(r, t, 0x11fff), "a1");
	assert_string_equal(name_at(r, t, 0x12000), "b0");
	assert_string_equal(name_at(r, t, 0x13000), "b1");
	assert_string_equal(name_at(r, t, 0x14000), "a4");
	assert_string_equal(name_at(r, t, 0x17fff), "a7");
	apply_mmap(r, 10, 0x11000, 0x4000, 0, "/c"); /* over both ends */
	assert_string_equal(name_at(r, t, 0x10fff), "a0");
	assert_string_equal(name_at(r, t, 0x11000), "c0");
	assert_string_equal(name_at(r, t, 0x14fff), "c3");
	assert_string_equal(name_at(r, t, 0x15000), "a5");
	apply_mmap(r, 10, 0xf000, 0x20000, 0, "/d"); /* over all */
	assert_string_equal(name_at(r, t, 0x11000), "d2");
	assert_string_equal(name_at(r, t, 0x15000), "d6");
	apply_mmap(r, 10, 0x30000, 0x1000, 0, "/e"); /* not joined with its neighbour */
	apply_mmap(r, 10, 0x31000, 0x1000, 0x1000, "/e");
	assert_string_equal(name_at(r, t, 0x30fff), "e0");
	assert_string_equal(name_at(r, t, 0x31000), "e1");
	apply_mmap(r, 10, UINT64_MAX - 10, 100, 0, "/f"); /* an invalid mapping is ignored */
	apply_mmap(r, 10, 0x40000, 0, 0, "/f");
	assert_string_equal(name_at(r, t, 0x40000), "[unknown]");
	resolver_destroy(r);
}

/* Compares random mappings with a page table. */
static void maps_agree_with_a_page_table(void **state)
{
	(void)state;
	enum { PAGES = 64 };
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_comm(r, 10, 10, "x", true);
	char page[PAGES][16] = {{0}};
	uint64_t seed = 1;
	for (int round = 0; round < 2000; round++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		unsigned at = seed >> 40 & (PAGES - 1), len = 1 + (seed >> 50 & 7), file = seed >> 58 & 3;
		char path[16];
		snprintf(path, sizeof(path), "/m%u_", file);
		if (at + len > PAGES)
			len = PAGES - at;
		apply_mmap(r, 10, 0x100000 + at * 0x1000ull, len * 0x1000ull, 0x2000, path);
		for (unsigned i = 0; i < len; i++)
			snprintf(page[at + i], sizeof(page[0]), "m%u_%u", file, 2 + i);
		for (unsigned i = 0; i < PAGES; i++)
			assert_string_equal(name_at(r, t, 0x100800 + i * 0x1000ull),
					    page[i][0] ? page[i] : "[unknown]");
	}
	resolver_destroy(r);
}

static void data_mappings_and_the_kernels_are_ignored(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){.pid = 10, .start = 0x400000, .len = 0x1000, .prot = 1, .filename = "/d"};
	resolver_apply(r, &rec);
	assert_string_equal(name_at(r, t, 0x400000), "prog0");
	rec.type = RECORD_MMAP;
	rec.misc = MISC_USER | MISC_MMAP_DATA;
	resolver_apply(r, &rec);
	assert_string_equal(name_at(r, t, 0x400000), "prog0");
	rec.misc = MISC_KERNEL;
	resolver_apply(r, &rec);
	assert_string_equal(name_at(r, t, 0x400000), "prog0");
	rec.misc = MISC_USER;
	resolver_apply(r, &rec);
	assert_string_equal(name_at(r, t, 0x400000), "d0");
	resolver_destroy(r);
}

static void memory_without_a_file_is_grouped(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	static const struct {
		const char *path, *name;
	} cases[] = {
		{"//anon", "[anon]"},	      {"", "[anon]"},
		{"[anon:jit]", "[anon:jit]"}, {"/dev/zero (deleted)", "[anon]"},
		{"[heap]", "[heap]"},	      {"[stack:12]", "[stack]"},
		{"/memfd:x", "memfd:x"},      {"/usr/lib/libc.so.6", "libc.so.6"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		apply_mmap(r, 10, 0x1000000, 0x1000, 0, cases[i].path);
		const struct sym_info *s = sym_at(r, t, MISC_USER, 0x1000000);
		assert_string_equal(dso_name(r, s), cases[i].name);
		if (i < 6) { /* the others are real files, which may have symbol tables */
			assert_int_equal(s->state, SYM_UNRESOLVED);
			assert_non_null(resolver_catalog(r)->dsos[s->dso].why);
		}
	}
	resolver_destroy(r);
}

static void files_are_told_apart_by_inode(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	uint32_t ids[3];
	for (unsigned i = 0; i < 3; i++) {
		struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
		rec.u.mmap = (struct record_mmap){
			.pid = 10, .start = 0x400000, .len = 0x1000, .prot = 5, .filename = "/same", .ino = i % 2};
		resolver_apply(r, &rec);
		ids[i] = resolver_symbol(r, t, MISC_USER, 0x400000, 0);
	}
	assert_int_not_equal(ids[0], ids[1]);
	assert_int_equal(ids[0], ids[2]);
	resolver_destroy(r);
}

/* ---- symbols -------------------------------------------------------------------- */

static void addresses_of_a_function_are_one_symbol(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	uint32_t a = resolver_symbol(r, t, MISC_USER, 0x401000, 0);
	assert_int_equal(resolver_symbol(r, t, MISC_USER, 0x401ffc, 0), a);
	assert_int_not_equal(resolver_symbol(r, t, MISC_USER, 0x402000, 0), a);
	struct resolver_stats before, after;
	resolver_stats_get(r, &before);
	assert_int_equal(resolver_symbol(r, t, MISC_USER, 0x401000, 0), a);
	resolver_stats_get(r, &after);
	assert_int_equal(after.misses, before.misses);
	assert_int_equal(after.lookups, before.lookups + 1);
	assert_true(after.symtab_bytes > 0);
	const struct sym_info *s = &resolver_catalog(r)->syms[a];
	assert_int_equal(s->addr, 0x1000);
	assert_int_equal(s->resolved, a);
	assert_int_equal(s->state, SYM_NAMED);
	assert_null(s->pretty);
	assert_string_equal(resolver_pretty(r, a), "prog1");
	assert_non_null(resolver_catalog(r)->syms[a].pretty);
	/* All addresses outside of symbols are one entry of the DSO. */
	apply_mmap(r, 10, 0x400000, 0x40000, 0, "/prog");
	uint32_t none = resolver_symbol(r, t, MISC_USER, 0x420000, 0);
	assert_int_equal(resolver_symbol(r, t, MISC_USER, 0x430000, 0), none);
	assert_int_equal(resolver_catalog(r)->syms[none].state, SYM_UNRESOLVED);
	assert_string_equal(resolver_catalog(r)->syms[none].name, "[no symbol]");
	assert_string_equal(resolver_pretty(r, none), "[no symbol]");
	resolver_destroy(r);
}

static void modes_other_than_user_and_kernel(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	const struct sym_info *s = sym_at(r, t, MISC_KERNEL, 0xf010);
	assert_string_equal(dso_name(r, s), "[ext4]");
	assert_true(s->kernel);
	assert_string_equal(dso_name(r, sym_at(r, t, MISC_KERNEL, 0x2000)), "[kernel]");
	assert_string_equal(dso_name(r, sym_at(r, t, MISC_GUEST_KERNEL, 0x2000)), "[guest]");
	assert_string_equal(dso_name(r, sym_at(r, t, MISC_GUEST_USER, 0x2000)), "[guest]");
	assert_string_equal(dso_name(r, sym_at(r, t, MISC_HYPERVISOR, 0x2000)), "[hypervisor]");
	s = sym_at(r, t, MISC_USER, 0xffffffffff600000ull);
	assert_int_equal(s->state, SYM_NO_DSO);
	assert_string_equal(dso_name(r, s), "[unknown]");
	assert_string_equal(sym_at(r, t, 0, 0x401000)->name, "prog1");
	assert_true(sym_at(r, t, 0, 0xffffffff81000000ull)->kernel);
	assert_int_equal(resolver_symbol(r, 12345, MISC_USER, 1, 0), resolver_symbol(r, t, MISC_USER, 1, 0));
	resolver_destroy(r);
}

static void ksymbols_come_and_go(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x5100)->name, "k5");
	apply_ksymbol(r, 0x5000, 0x200, "bpf_prog_1", false);
	apply_ksymbol(r, 0x5200, 0x200, "bpf_prog_2", false);
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x5100)->name, "bpf_prog_1");
	assert_string_equal(dso_name(r, sym_at(r, 0, MISC_KERNEL, 0x5100)), "[bpf]");
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x53ff)->name, "bpf_prog_2");
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x5400)->name, "k5");
	apply_ksymbol(r, 0x5100, 0x180, "bpf_prog_3", false); /* overlaps both */
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x5100)->name, "bpf_prog_3");
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x5000)->name, "k5");
	apply_ksymbol(r, 0x5100, 0x180, "bpf_prog_3", true);
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x5100)->name, "k5");
	apply_ksymbol(r, 0x5100, 0x180, "never there", true);
	apply_ksymbol(r, 0x5100, 0, "empty", false);
	apply_ksymbol(r, UINT64_MAX - 1, UINT32_MAX, "at the end", false);
	assert_string_equal(sym_at(r, 0, MISC_KERNEL, 0x5100)->name, "k5");
	resolver_destroy(r);
}

/* A build server: each process maps its own program, and ends. */
static void unmapped_files_are_forgotten(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t keeper = resolver_task(r, 5, 5, 1), first = CATALOG_NONE, first_sym = 0;
	apply_mmap(r, 5, 0x800000, 0x1000, 0, "/keeper");
	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t t = 10 + (uint64_t)i * 10000000;
		uint32_t pid = 1000 + i % 1000;
		char path[32];
		apply_task(r, RECORD_FORK, pid, pid, 5, 5, t);
		apply_comm(r, pid, pid, "conftest", true);
		snprintf(path, sizeof(path), "/tmp%u_", i);
		apply_mmap(r, pid, 0x400000, 0x10000, 0, path);
		if (i % 10 == 0) {
			uint32_t task = resolver_task(r, pid, pid, t + 1);
			uint32_t sym = resolver_symbol(r, task, MISC_USER, 0x402000, 0);
			if (i == 0) {
				first = task;
				first_sym = sym;
			}
		}
		apply_task(r, RECORD_EXIT, pid, pid, 5, 5, t + 2);
	}
	const struct catalog *cat = resolver_catalog(r);
	assert_true(cat->dsos_n < 8000); /* fewer than the number of programs that ran */
	assert_string_equal(cat->syms[first_sym].name, "tmp0_2");
	assert_string_equal(cat->dsos[cat->syms[first_sym].dso].path, "/tmp0_");
	assert_true(task_of(r, first)->exit_ns != 0);
	struct resolver_stats stats;
	resolver_stats_get(r, &stats);
	struct symtab *one = world_table("x");
	assert_true(stats.symtab_bytes < 1000 * symtab_bytes(one));
	symtab_destroy(one);
	assert_string_equal(name_at(r, keeper, 0x800000), "keeper0");
	/* one of the programs runs again */
	apply_mmap(r, 5, 0x400000, 0x10000, 0, "/tmp0_");
	assert_int_equal(resolver_symbol(r, keeper, MISC_USER, 0x402004, 0), first_sym);
	assert_string_equal(name_at(r, keeper, 0x403000), "tmp0_3");
	resolver_destroy(r);
}

/* Large tables in which nothing was looked up for a while are dropped, and read again when
 * needed. */
static void unused_tables_are_dropped_and_come_back(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_comm(r, 10, 10, "x", true);
	for (uint64_t i = 0; i < 4; i++) {
		char path[32];
		snprintf(path, sizeof(path), "/huge%d_", (int)i);
		apply_mmap(r, 10, i << 32, 1ull << 32, 0, path);
		assert_int_equal(sym_at(r, t, MISC_USER, (i << 32) + 0x1000)->state, SYM_NAMED);
	}
	struct resolver_stats before, after;
	resolver_stats_get(r, &before);
	assert_true(before.symtab_bytes > 8000000);
	for (uint64_t i = 0; i < 100; i++) {
		resolver_collect(r);
		assert_int_equal(sym_at(r, t, MISC_USER, 0x100000 + i)->state, SYM_NAMED);
	}
	resolver_stats_get(r, &after);
	assert_true(after.symtab_bytes < before.symtab_bytes);
	assert_true(after.symtab_bytes > 0);
	assert_string_equal(name_at(r, t, (3ull << 32) + 0x1004), "huge3_1");
	assert_string_equal(name_at(r, t, (1ull << 32) + 0x2004), "huge1_2");
	assert_string_equal(name_at(r, t, 0x3004), "huge0_3");
	resolver_destroy(r);
}

static void a_dso_without_names_says_why(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_mmap(r, 10, 0x400000, 0x1000, 0, "/none");
	const struct sym_info *s = sym_at(r, t, MISC_USER, 0x400000);
	assert_int_equal(s->state, SYM_UNRESOLVED);
	assert_string_equal(resolver_catalog(r)->dsos[s->dso].why, "there is nothing in it");
	apply_mmap(r, 10, 0x400000, 0x1000, 0, "/other");
	s = sym_at(r, t, MISC_USER, 0x400000);
	assert_non_null(resolver_catalog(r)->dsos[s->dso].why);
	resolver_destroy(r);
}

/* ---- the loader ------------------------------------------------------------------ */

static void pending_symbols_are_settled(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, true);
	assert_true(resolver_fd(r) >= 0);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_mmap(r, 10, 0x400000, 0x20000, 0, "/slow");
	uint32_t a = resolver_symbol(r, t, MISC_USER, 0x401000, 0), b = resolver_symbol(r, t, MISC_USER, 0x401004, 0),
		 c = resolver_symbol(r, t, MISC_USER, 0x41f000, 0);
	assert_int_not_equal(a, b);
	const struct catalog *cat = resolver_catalog(r);
	assert_int_equal(cat->syms[a].state, SYM_PENDING);
	assert_int_equal(cat->syms[a].resolved, a);
	assert_int_equal(catalog_sym_row(cat, b), catalog_sym_row(cat, a));
	assert_string_equal(resolver_pretty(r, a), "[loading]");
	struct resolver_stats stats;
	resolver_stats_get(r, &stats);
	assert_int_equal(stats.loading, 1);
	assert_false(resolver_collect(r));
	resolver_settle(r, 10); /* the table is not ready in that time */
	assert_int_equal(resolver_symbol(r, t, MISC_USER, 0x401000, 0), a);
	atomic_store(&w.go, true);
	struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};
	assert_int_equal(poll(&p, 1, -1), 1);
	assert_true(resolver_collect(r));
	assert_false(resolver_collect(r));
	assert_int_equal(poll(&p, 1, 0), 0);
	uint32_t named = resolver_symbol(r, t, MISC_USER, 0x401000, 0);
	cat = resolver_catalog(r);
	assert_int_equal(cat->syms[named].state, SYM_NAMED);
	assert_string_equal(cat->syms[named].name, "slow1");
	assert_int_equal(cat->syms[a].resolved, named);
	assert_int_equal(cat->syms[b].resolved, named);
	assert_string_equal(cat->syms[a].name, "slow1");
	assert_int_not_equal(cat->syms[a].state, SYM_PENDING);
	assert_int_equal(catalog_sym_row(cat, a), catalog_sym_row(cat, named));
	assert_string_equal(cat->syms[cat->syms[c].resolved].name, "[no symbol]");
	resolver_destroy(r);
}

static void settle_waits_and_collect_reports_it(void **state)
{
	(void)state;
	struct world w = {.go = true};
	struct resolver *r = make(&w, true);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_mmap(r, 10, 0x500000, 0x10000, 0, "/slow");
	apply_mmap(r, 10, 0x600000, 0x10000, 0, "/none");
	uint32_t ids[] = {resolver_symbol(r, t, MISC_USER, 0x402000, 0), resolver_symbol(r, t, MISC_USER, 0x502000, 0),
			  resolver_symbol(r, t, MISC_USER, 0x602000, 0), resolver_symbol(r, t, MISC_KERNEL, 0x2000, 0)};
	resolver_settle(r, -1);
	static const char *const want[] = {"prog2", "slow2", "[no symbol]", "k2"};
	const struct catalog *cat = resolver_catalog(r);
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		assert_string_equal(cat->syms[cat->syms[ids[i]].resolved].name, want[i]);
	assert_true(resolver_collect(r));
	assert_false(resolver_collect(r));
	resolver_destroy(r);
}

/* If the user quits while a file server does not answer, the program does not wait for the
 * loader thread, and frees nothing that this thread still uses. */
static void quitting_while_a_load_hangs(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__)
	skip(); /* the memory that the thread uses is never freed, which the leak sanitizer reports */
#endif
	struct world *w = calloc(1, sizeof(*w));
	assert_non_null(w);
	struct resolver *r = make(w, true);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_mmap(r, 10, 0x400000, 0x20000, 0, "/slow");
	resolver_symbol(r, t, MISC_USER, 0x401000, 0);
	while (!atomic_load(&w->loads))
		usleep(1000);
	made_clock_ahead(-60); /* what it waits until is over */
	assert_false(resolver_destroy(r));
	made_clock_ahead(PATIENCE_S);
	/* The thread continues, and its data still exists. */
	atomic_store(&w->go, true);
	while (!atomic_load(&w->loaded))
		usleep(1000);
	free(w);
	w = calloc(1, sizeof(*w));
	assert_non_null(w);
	assert_true(resolver_destroy(make(w, true)));
	free(w);
}

static void a_shortage_of_descriptors_is_retried(void **state)
{
	(void)state;
	struct world w = {.shortages = 1};
	struct resolver *r = make(&w, false);
	/* a shortage of descriptors while reading mappings */
	uint64_t second = 1000000000;
	uint32_t t = resolver_task(r, 10, 10, second);
	uint32_t sym = resolver_symbol(r, t, MISC_USER, 0x401000, second);
	assert_int_equal(resolver_catalog(r)->syms[sym].state, SYM_NO_DSO);
	sym = resolver_symbol(r, t, MISC_USER, 0x401000, 3 * second);
	assert_string_equal(resolver_catalog(r)->syms[sym].name, "prog1");
	/* a shortage while reading a symbol table */
	w.shortages = 1;
	apply_mmap(r, 10, 0x500000, 0x10000, 0, "/lib");
	assert_int_equal(sym_at(r, t, MISC_USER, 0x501000)->state, SYM_UNRESOLVED);
	for (int i = 0; i < 10; i++)
		resolver_collect(r);
	apply_mmap(r, 10, 0x600000, 0x10000, 0, "/lib");
	assert_string_equal(name_at(r, t, 0x601000), "lib1");
	resolver_destroy(r);
}

static void many_pending_addresses_stay_bounded(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, true);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_mmap(r, 10, 0x400000, 0x10000000, 0, "/slow");
	uint32_t *ids = calloc(200000, sizeof(*ids));
	assert_non_null(ids);
	for (uint64_t i = 0; i < 200000; i++)
		ids[i] = resolver_symbol(r, t, MISC_USER, 0x400000 + i, 0);
	uint32_t n = resolver_catalog(r)->syms_n;
	assert_in_range(n, 65536, 70000);
	atomic_store(&w.go, true);
	resolver_settle(r, -1);
	const struct catalog *cat = resolver_catalog(r);
	for (uint32_t i = 0; i < 200000; i++)
		assert_int_not_equal(cat->syms[ids[i]].state, SYM_PENDING);
	free(ids);
	resolver_destroy(r);
}

static void destroy_during_a_load(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, true);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_mmap(r, 10, 0x500000, 0x10000, 0, "/slow");
	resolver_symbol(r, t, MISC_USER, 0x500000, 0);
	resolver_symbol(r, t, MISC_USER, 0x400000, 0); /* the next request in the queue */
	while (!atomic_load(&w.loads))
		usleep(1000);
	atomic_store(&w.go, true);
	assert_true(resolver_destroy(r));
	resolver_destroy(NULL);
}

/* ---- files written over ------------------------------------------------------------ */

struct written {
	struct world w;
	char path[32];
};

/* The names in the file of `path` begin with its contents; all else is as in the scripted world. */
static int written_load(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	struct written *f = ctx;
	struct stat st;
	char prefix[16] = "";
	if (strcmp(key->path, f->path) != 0)
		return world_load(&f->w, key, ret);
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	bool read_it = fstat(fd, &st) == 0 && read(fd, prefix, sizeof(prefix) - 1) > 0;
	close(fd);
	if (!read_it)
		return -EIO;
	ret->symtab = world_table(prefix);
	ret->stamp = (struct file_stamp){
		.ino = (uint64_t)st.st_ino, .size = (uint64_t)st.st_size, .changed_ns = file_time_ns(&st)};
	return 0;
}

static void write_over(const struct written *f, const char *text)
{
	int fd = open(f->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Whether a file was written over asks its file system, which may not answer: only the loader's thread does
 * that.  While that thread hangs, the old names are used, and nobody waits for it. */
static void a_file_is_compared_by_the_loaders_thread(void **state)
{
	(void)state;
	struct written f = {.path = "/tmp/cyctop-written-XXXXXX"};
	int fd = mkstemp(f.path);
	assert_true(fd >= 0);
	close(fd);
	write_over(&f, "old");
	made_clock_stop();
	struct symbolizer chain[] = {{.name = "written", .load = written_load, .ctx = &f}};
	struct resolver_config config = {.chain = chain, .chain_n = 1, .proc = proc_none, .background = true};
	struct resolver *r;
	assert_int_equal(resolver_create(&config, &r, NULL), 0);
	uint32_t pid = (uint32_t)getpid(), t = resolver_task(r, pid, pid, 1);
	apply_mmap(r, pid, 0x400000, 0x10000, 0, f.path);
	resolver_symbol(r, t, MISC_USER, 0x401000, 0);
	resolver_settle(r, -1);
	assert_true(resolver_collect(r));
	assert_string_equal(name_at(r, t, 0x401000), "old1");

	apply_mmap(r, pid, 0x600000, 0x10000, 0, "/slow");
	resolver_symbol(r, t, MISC_USER, 0x601000, 0);
	while (!atomic_load(&f.w.loads))
		usleep(1000);
	write_over(&f, "newer");
	apply_mmap(r, pid, 0x500000, 0x10000, 0, f.path);
	made_clock_advance(1000000000);
	assert_string_equal(name_at(r, t, 0x501000), "old1");
	assert_false(resolver_collect(r));
	assert_string_equal(name_at(r, t, 0x502000), "old2");

	atomic_store(&f.w.go, true);
	struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};
	for (uint64_t at = 0x503000; strcmp(name_at(r, t, at), "newer3") != 0;) {
		assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
		resolver_collect(r);
	}
	assert_true(resolver_destroy(r));
	assert_int_equal(unlink(f.path), 0);
}

int main(void)
{
	made_clock_ahead(PATIENCE_S);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_mapping_wins_and_splits),
		cmocka_unit_test(maps_agree_with_a_page_table),
		cmocka_unit_test(data_mappings_and_the_kernels_are_ignored),
		cmocka_unit_test(memory_without_a_file_is_grouped),
		cmocka_unit_test(files_are_told_apart_by_inode),
		cmocka_unit_test(addresses_of_a_function_are_one_symbol),
		cmocka_unit_test(modes_other_than_user_and_kernel),
		cmocka_unit_test(ksymbols_come_and_go),
		cmocka_unit_test(unmapped_files_are_forgotten),
		cmocka_unit_test(unused_tables_are_dropped_and_come_back),
		cmocka_unit_test(a_dso_without_names_says_why),
		cmocka_unit_test(pending_symbols_are_settled),
		cmocka_unit_test(settle_waits_and_collect_reports_it),
		cmocka_unit_test(many_pending_addresses_stay_bounded),
		cmocka_unit_test(quitting_while_a_load_hangs),
		cmocka_unit_test(a_shortage_of_descriptors_is_retried),
		cmocka_unit_test(destroy_during_a_load),
		cmocka_unit_test(a_file_is_compared_by_the_loaders_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
