/* Symbol tables, kallsyms, and the readers of /proc. */
#include "../lib/scratch.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "resolve/kernel/hidden.h"
#include "resolve/elf/image.h"
#include "resolve/table/symtab.h"

#include <cyctop/resolve.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *find(const struct symtab *t, uint64_t addr)
{
	struct symtab_hit hit;
	return symtab_find(t, addr, &hit) ? hit.name : NULL;
}

static void lookups_at_every_edge(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	symtab_add(b, 0x3000, 0, "open_end", 0, NULL);
	symtab_add(b, 0x1000, 0x10, "sized", 0, NULL);
	symtab_add(b, 0x2000, 0, "to_next", 0, NULL);
	struct symtab *t = symtab_finish(b);
	assert_int_equal(symtab_count(t), 3);
	assert_true(symtab_bytes(t) > 0);
	assert_null(find(t, 0));
	assert_null(find(t, 0xfff));
	assert_string_equal(find(t, 0x1000), "sized");
	assert_string_equal(find(t, 0x100f), "sized");
	assert_null(find(t, 0x1010));
	assert_string_equal(find(t, 0x2000), "to_next");
	assert_string_equal(find(t, 0x2fff), "to_next");
	assert_string_equal(find(t, 0x3000), "open_end");
	assert_string_equal(find(t, 0x3fff), "open_end");
	assert_null(find(t, 0x3000000));
	assert_null(find(t, UINT64_MAX));
	struct symtab_hit hit;
	assert_true(symtab_find(t, 0x2004, &hit));
	assert_int_equal(hit.addr, 0x2000);
	assert_int_equal(hit.size, 0x1000);
	assert_int_equal(hit.index, 1);
	assert_null(hit.module);
	symtab_destroy(t);
}

static void the_better_name_stays(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	symtab_add(b, 0x10, 4, "local", 0, NULL);
	symtab_add(b, 0x10, 4, "global", 2, NULL);
	symtab_add(b, 0x10, 4, "weak", 1, NULL);
	symtab_add(b, 0x20, 4, "__same", 1, NULL);
	symtab_add(b, 0x20, 4, "same_long", 1, NULL);
	symtab_add(b, 0x20, 4, "same", 1, NULL);
	symtab_add(b, 0x20, 4, "samf", 1, NULL);
	symtab_add(b, 0x30, 8, "low", 0, NULL);
	symtab_add(b, 0x30, 0, "high", 1, NULL); /* gets the size of the other symbol */
	symtab_add(b, 0x30, 0, "", 5, NULL);
	struct symtab *t = symtab_finish(b);
	assert_int_equal(symtab_count(t), 3);
	assert_string_equal(find(t, 0x10), "global");
	assert_string_equal(find(t, 0x20), "same");
	assert_string_equal(find(t, 0x37), "high");
	assert_null(find(t, 0x38));
	symtab_destroy(t);
}

static void functions_inside_functions(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	symtab_add(b, 0x1000, 0x1000, "outer", 0, NULL);
	symtab_add(b, 0x1100, 0x10, "inner", 0, NULL);
	symtab_add(b, 0x1200, 0, "label", 0, NULL);
	symtab_add(b, 0x3000, 0, "tail", 0, NULL);
	symtab_add_gap(b, 0x3100);
	symtab_add_gap(b, 0x1000);
	struct symtab *t = symtab_finish(b);
	assert_string_equal(find(t, 0x1050), "outer");
	assert_string_equal(find(t, 0x1100), "inner");
	assert_string_equal(find(t, 0x1110), "outer");
	assert_string_equal(find(t, 0x1200), "outer");
	assert_string_equal(find(t, 0x1fff), "outer");
	assert_null(find(t, 0x2000));
	assert_string_equal(find(t, 0x30ff), "tail");
	assert_null(find(t, 0x3100));
	symtab_destroy(t);
}

static void far_apart_and_empty_tables(void **state)
{
	(void)state;
	struct symtab *t = symtab_finish(symtab_builder_create());
	assert_int_equal(symtab_count(t), 0);
	assert_null(find(t, 0));
	assert_null(find(t, UINT64_MAX));
	symtab_destroy(t);
	struct symtab_builder *b = symtab_builder_create();
	symtab_add(b, UINT64_MAX, 0, "last", 0, "mod_b");
	symtab_add(b, 0, UINT64_MAX, "first", 0, NULL);
	symtab_add(b, 1ull << 40, 16, "middle", 0, "mod_a");
	t = symtab_finish(b);
	struct symtab_hit hit;
	assert_string_equal(find(t, 0), "first");
	assert_string_equal(find(t, UINT32_MAX - 1ull), "first"); /* sizes are limited to UINT32_MAX */
	assert_null(find(t, 1ull << 33));
	assert_true(symtab_find(t, (1ull << 40) + 15, &hit));
	assert_string_equal(hit.module, "mod_a");
	assert_true(symtab_find(t, UINT64_MAX, &hit));
	assert_string_equal(hit.module, "mod_b");
	symtab_destroy(t);
	symtab_destroy(NULL);
	symtab_builder_destroy(NULL);
	symtab_builder_destroy(symtab_builder_create());
}

/* A table that is large enough for its own pages; symbols are added in random order. */
static void a_large_table_in_random_order(void **state)
{
	(void)state;
	enum { N = 50000 };
	struct symtab_builder *b = symtab_builder_create();
	for (uint64_t i = 0; i < N; i++) {
		uint64_t k = i * 7919 % N;
		char name[32];
		snprintf(name, sizeof(name), "function_%llu", (unsigned long long)k);
		symtab_add(b, 0xffffffff80000000ull + k * 16, 0, name, 0, k % 1000 == 0 ? "odd" : NULL);
	}
	struct symtab *t = symtab_finish(b);
	assert_int_equal(symtab_count(t), N);
	for (uint64_t k = 0; k < N; k++) {
		char name[32];
		snprintf(name, sizeof(name), "function_%llu", (unsigned long long)k);
		struct symtab_hit hit;
		assert_true(symtab_find(t, 0xffffffff80000000ull + k * 16 + k % 16, &hit));
		assert_string_equal(hit.name, name);
		assert_int_equal(hit.module != NULL, k % 1000 == 0);
	}
	assert_true(symtab_bytes(t) < N * 40);
	symtab_destroy(t);
}

static void long_names_are_cut(void **state)
{
	(void)state;
	char *name = malloc(100001);
	assert_non_null(name);
	memset(name, 'x', 100000);
	name[100000] = '\0';
	struct symtab_builder *b = symtab_builder_create();
	symtab_add(b, 1, 1, name, 0, NULL);
	struct symtab *t = symtab_finish(b);
	assert_int_equal(strlen(find(t, 1)), SYMTAB_NAME_MAX);
	symtab_destroy(t);
	free(name);
}

/* ---- kallsyms -------------------------------------------------------------------- */

static int kallsyms(const char *text, size_t n, struct dso_image *ret)
{
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
	struct dso_key key = {.path = "[kernel]", .pid = -1};
	*ret = (struct dso_image){0};
	int r = symbolizer_kallsyms.load(path, &key, ret);
	unlink(path);
	return r;
}

static void kallsyms_as_it_is(void **state)
{
	(void)state;
	static const char text[] = "0000000000000000 A fixed_percpu_data\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000010 t __pfx_do_one\n"
				   "ffffffff81000020 t do_one\n"
				   "ffffffff81000040 W weak_one\n"
				   "ffffffff81000050 D not_code\n"
				   "this is not a line of it\n"
				   "\n"
				   "ffffffff8100006g T not_hex\n"
				   "ffffffff81000070 TT two_types\n"
				   "ffffffff81000080 T \n"
				   "ffffffff81000090 t $x\n"
				   "ffffffffc0000000 t ext4_read\t[ext4]\n"
				   "ffffffffc0001000 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n"
				   "ffffffffc0002000 t odd\t[broken\n"
				   "ffffffffc0003000 T no_newline";
	struct dso_image image;
	assert_int_equal(kallsyms(text, sizeof(text) - 1, &image), 0);
	const struct symtab *t = image.symtab;
	struct symtab_hit hit;
	assert_string_equal(find(t, 0xffffffff81000000ull), "_text"); /* the shorter name */
	assert_string_equal(find(t, 0xffffffff81000010ull), "_text");
	assert_string_equal(find(t, 0xffffffff81000020ull), "do_one");
	assert_string_equal(find(t, 0xffffffff81000055ull), "weak_one");
	assert_string_equal(find(t, 0xffffffff81000075ull), "weak_one");
	assert_null(find(t, 0xffffffff80ffffffull));
	assert_true(symtab_find(t, 0xffffffffc0000123ull, &hit));
	assert_string_equal(hit.name, "ext4_read");
	assert_string_equal(hit.module, "ext4");
	assert_true(symtab_find(t, 0xffffffffc0001000ull, &hit));
	assert_string_equal(hit.module, "bpf");
	assert_string_equal(find(t, 0xffffffffc0002000ull), "odd");
	assert_string_equal(find(t, 0xffffffffc0003000ull), "no_newline");
	dso_image_deinit(&image);
}

static void kallsyms_hidden_or_empty(void **state)
{
	(void)state;
	static const char zeros[] = "0000000000000000 T _stext\n0000000000000000 t do_one\n";
	struct dso_image image;
	assert_int_equal(kallsyms(zeros, sizeof(zeros) - 1, &image), -EPERM);
	assert_null(image.symtab);
	struct hiding how;
	char why[sizeof(image.why)];
	hiding_read(&how);
	hidden_why(&how, why, sizeof(why));
	assert_string_equal(image.why, why);
	assert_int_equal(kallsyms("", 0, &image), -ENODATA);
	assert_int_equal(kallsyms("\0\0\0\n\xff\xfe", 6, &image), -ENODATA);
	struct dso_key key = {.path = "[kernel]"};
	image = (struct dso_image){0};
	char nowhere[] = "/nowhere/kallsyms", endless[] = "/dev/zero";
	assert_int_equal(symbolizer_kallsyms.load(endless, &key, &image), -ENODATA);
	image = (struct dso_image){0};
	assert_int_equal(symbolizer_kallsyms.load(nowhere, &key, &image), -ENODATA);
	assert_true(image.why[0]);
	key.path = "/bin/sh";
	assert_int_equal(symbolizer_kallsyms.load(NULL, &key, &image), -ENOENT);
}

/* A terabyte that takes no room on the disk. */
static void kallsyms_of_any_size(void **state)
{
	(void)state;
	struct dso_key key = {.path = "[kernel]", .pid = -1};
	struct dso_image image = {0};
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	close(fd);
	assert_int_equal(symbolizer_kallsyms.load(path, &key, &image), -ENODATA);
	assert_true(limit_is_reached(&image.limits, REACHED_KERNEL_SYMBOLS));
	unlink(path);
}

/* Lines across the borders of the pieces that are read, and a line longer than a piece. */
static void kallsyms_in_pieces(void **state)
{
	(void)state;
	enum { N = 20000, LONG = 200000 };
	char *text = malloc(N * 48 + LONG + 100);
	assert_non_null(text);
	size_t n = 0;
	for (int i = 0; i < N; i++) {
		n += (size_t)sprintf(text + n, "%016llx t fn_%d%s\n", 0xffffffff81000000ull + (unsigned)i * 16, i,
				     i % 3 ? "" : "\t[mod]");
		if (i == N / 2) {
			memset(text + n, 'a', LONG);
			n += LONG;
			text[n++] = '\n';
		}
	}
	struct dso_image image;
	assert_int_equal(kallsyms(text, n, &image), 0);
	assert_int_equal(symtab_count(image.symtab), N);
	for (int i = 0; i < N; i++) {
		char name[32];
		struct symtab_hit hit;
		snprintf(name, sizeof(name), "fn_%d", i);
		assert_true(symtab_find(image.symtab, 0xffffffff81000000ull + (unsigned)i * 16, &hit));
		assert_string_equal(hit.name, name);
		assert_int_equal(hit.module == NULL, i % 3 != 0);
	}
	dso_image_deinit(&image);
	free(text);
}

static void hidden_kernel_is_one_row(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	static const char zeros[] = "0000000000000000 T _stext\n";
	assert_int_equal(write(fd, zeros, sizeof(zeros) - 1), sizeof(zeros) - 1);
	close(fd);
	struct symbolizer chain[] = {symbolizer_kallsyms};
	chain[0].ctx = path;
	struct resolver_config config = {.chain = chain, .chain_n = 1, .proc = proc_none};
	struct resolver *r;
	assert_int_equal(resolver_create(&config, &r, NULL), 0);
	uint32_t a = resolver_symbol(r, 0, MISC_KERNEL, 0xffffffff81000000ull, 0);
	assert_int_equal(resolver_symbol(r, 0, MISC_KERNEL, 0xffffffff82000000ull, 0), a);
	const struct catalog *cat = resolver_catalog(r);
	assert_string_equal(cat->syms[a].name, "[kernel]");
	assert_string_equal(cat->dsos[cat->syms[a].dso].path, "[kernel]");
	assert_non_null(strstr(cat->dsos[cat->syms[a].dso].why, "kernel"));
	assert_true(cat->syms[a].kernel);
	resolver_destroy(r);
	unlink(path);
}

static void hidden_symbols_have_an_explanation(void **state)
{
	(void)state;
	static const struct {
		struct hiding how;
		const char *says;
	} cases[] = {
		{{2, 2, true, true}, "sysctl kernel.kptr_restrict=1"},
		{{2, 2, false, false}, "sysctl kernel.kptr_restrict=1"},
		{{0, 2, false, false}, "sysctl kernel.perf_event_paranoid=1"},
		{{1, 2, false, false}, "CAP_SYSLOG"},
		{{1, -1, true, false}, "container"},
		{{0, 2, true, true}, "on the host"},
		{{-1, -1, false, false}, "run as root"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char why[256];
		hidden_why(&cases[i].how, why, sizeof(why));
		assert_non_null(strstr(why, cases[i].says));
		assert_true(strlen(why) < sizeof(((struct dso_image *)0)->why));
	}
}

/* ---- /proc ------------------------------------------------------------------------ */

static void *named_thread(void *arg)
{
	int *fds = arg;
	char c;
	prctl(PR_SET_NAME, "odd) S (name");
	int32_t tid = gettid();
	if (write(fds[1], &tid, sizeof(tid)) != sizeof(tid) || read(fds[2], &c, 1) != 1)
		return NULL;
	return NULL;
}

static void identity_of_a_thread(void **state)
{
	(void)state;
	int out[2], in[2];
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(in), 0);
	int fds[3] = {out[0], out[1], in[0]};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, named_thread, fds), 0);
	int32_t tid;
	assert_int_equal(read(out[0], &tid, sizeof(tid)), sizeof(tid));
	struct proc_identity id;
	assert_int_equal(proc_live.identity(proc_live.ctx, getpid(), tid, &id), 0);
	assert_string_equal(id.comm, "odd) S (name");
	assert_int_equal(id.uid, getuid());
	assert_int_equal(id.ppid, getppid());
	assert_false(id.kernel);
	assert_int_equal(write(in[1], "x", 1), 1);
	pthread_join(thread, NULL);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	assert_true(proc_live.identity(proc_live.ctx, INT32_MAX, INT32_MAX, &id) < 0);
}

struct seen {
	uint64_t wanted;
	struct record_mmap map;
	char path[256];
	int n, writable;
};

static void see(void *ctx, const struct record_mmap *map)
{
	struct seen *s = ctx;
	s->n++;
	if (s->wanted < map->start || s->wanted - map->start >= map->len)
		return;
	s->map = *map;
	snprintf(s->path, sizeof(s->path), "%s", map->filename);
}

static void maps_of_ourselves(void **state)
{
	(void)state;
	void *jit = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(jit != MAP_FAILED);
	struct seen code = {.wanted = (uintptr_t)&see}, anon = {.wanted = (uintptr_t)jit},
		    data = {.wanted = (uintptr_t)&code};
	assert_int_equal(proc_live.maps(NULL, getpid(), 0, see, &code), 0);
	assert_int_equal(proc_live.maps(NULL, getpid(), 0, see, &anon), 0);
	assert_int_equal(proc_live.maps(NULL, getpid(), 0, see, &data), 0);
	assert_non_null(strstr(code.path, "test_resolve_symtab"));
	assert_true(code.map.ino != 0);
	assert_int_equal(code.map.pid, getpid());
	assert_string_equal(anon.path, "//anon");
	assert_int_equal(anon.map.pgoff, anon.map.start);
	assert_string_equal(data.path, ""); /* the stack is not executable */
	munmap(jit, 8192);
	assert_true(proc_live.maps(NULL, INT32_MAX, 0, see, &data) < 0);
}

/* A range bounds code without a name, and any symbol replaces it. */
/* As in an assembler file: labels without a size, and one unwind entry for all of them. */
static void one_range_over_many_functions(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	symtab_add_range(b, 0x1000, 0x400);
	symtab_add(b, 0x1000, 0, "first", 0, NULL);
	symtab_add(b, 0x1100, 0, "second", 0, NULL);
	symtab_add(b, 0x1200, 0x10, "sized", 0, NULL);
	symtab_add_range(b, 0x2000, 0x100);
	symtab_add(b, 0x2040, 0x20, "stub", 0, NULL);
	struct symtab *t = symtab_finish(b);
	assert_string_equal(find(t, 0x10ff), "first");
	assert_string_equal(find(t, 0x1100), "second");
	assert_string_equal(find(t, 0x11ff), "second");
	assert_string_equal(find(t, 0x1200), "sized");
	assert_null(find(t, 0x1400));
	assert_string_equal(find(t, 0x203f), "");
	assert_string_equal(find(t, 0x205f), "stub");
	assert_string_equal(find(t, 0x2060), "");
	symtab_destroy(t);
}

/* The end of a range ends a label within it, too, however far the next symbol is. */
static void a_label_ends_with_its_range(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	symtab_add_range(b, 0x1000, 0x400);
	symtab_add(b, 0x1100, 0, "label", 0, NULL);
	symtab_add_range(b, 0x2000, 0x100);
	symtab_add(b, 0x2000, 0, "first", 0, NULL);
	symtab_add(b, 0x2080, 0, "second", 0, NULL);
	symtab_add(b, 0x9000, 0x10, "far", 0, NULL);
	struct symtab *t = symtab_finish(b);
	assert_string_equal(find(t, 0x10ff), "");
	assert_string_equal(find(t, 0x13ff), "label");
	assert_null(find(t, 0x1400));
	assert_string_equal(find(t, 0x207f), "first");
	assert_string_equal(find(t, 0x20ff), "second");
	assert_null(find(t, 0x2100));
	symtab_destroy(t);
}

/* In a stripped file the next symbol is not the next function: a label of its assembler code has its name for a page,
 * unless a symbol, a range or the section ends it; what is behind that has no name. */
static void a_label_of_a_stripped_file_does_not_reach_far(void **state)
{
	(void)state;
	for (int lacks = 0; lacks < 2; lacks++) {
		struct symtab_builder *b = symtab_builder_create();
		if (lacks)
			symtab_lacks_names(b);
		symtab_add(b, 0x10000, 0, "near", 0, NULL);
		symtab_add(b, 0x10040, 0, "label", 0, NULL);
		symtab_add(b, 0x30000, 0x8000, "sized", 0, NULL);
		symtab_add(b, 0x40000, 0, "to_range", 0, NULL);
		symtab_add_range(b, 0x40800, 0x100);
		symtab_add(b, 0x50000, 0, "last", 0, NULL);
		symtab_add_gap(b, 0x50100);
		struct symtab *t = symtab_finish(b);
		assert_string_equal(find(t, 0x1003f), "near");
		assert_string_equal(find(t, 0x1103f), "label");
		if (lacks)
			assert_null(find(t, 0x11040));
		else
			assert_string_equal(find(t, 0x2ffff), "label");
		assert_string_equal(find(t, 0x37fff), "sized");
		assert_string_equal(find(t, 0x407ff), "to_range");
		assert_string_equal(find(t, 0x40800), "");
		assert_string_equal(find(t, 0x500ff), "last");
		assert_null(find(t, 0x50100));
		symtab_destroy(t);
	}
}

static void test_ranges(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	symtab_add_range(b, 0x1000, 0x100);
	symtab_add_range(b, 0x1100, 0x80);
	symtab_add_range(b, 0x1200, 0x40);
	symtab_origin(b, ORIGIN_DYNSYM);
	symtab_add(b, 0x1100, 0, "sized_by_its_range", 0, NULL);
	symtab_add(b, 0x1210, 0x10, "inside", 0, NULL);
	struct symtab *t = symtab_finish(b);
	struct symtab_hit hit;
	assert_true(symtab_find(t, 0x10ff, &hit));
	assert_string_equal(hit.name, "");
	assert_int_equal(hit.origin, ORIGIN_UNWIND);
	assert_int_equal(hit.addr, 0x1000);
	assert_true(symtab_find(t, 0x117f, &hit));
	assert_string_equal(hit.name, "sized_by_its_range");
	assert_int_equal(hit.origin, ORIGIN_DYNSYM);
	assert_false(symtab_find(t, 0x1180, &hit));
	assert_true(symtab_find(t, 0x121f, &hit));
	assert_string_equal(hit.name, "inside");
	assert_true(symtab_find(t, 0x1220, &hit));
	assert_string_equal(hit.name, "");
	assert_int_equal(hit.addr, 0x1200);
	assert_false(symtab_find(t, 0x1240, &hit));
	symtab_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_range_over_many_functions),
		cmocka_unit_test(a_label_ends_with_its_range),
		cmocka_unit_test(a_label_of_a_stripped_file_does_not_reach_far),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(lookups_at_every_edge),
		cmocka_unit_test(the_better_name_stays),
		cmocka_unit_test(functions_inside_functions),
		cmocka_unit_test(far_apart_and_empty_tables),
		cmocka_unit_test(a_large_table_in_random_order),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(kallsyms_as_it_is),
		cmocka_unit_test(kallsyms_hidden_or_empty),
		cmocka_unit_test(kallsyms_of_any_size),
		cmocka_unit_test(kallsyms_in_pieces),
		cmocka_unit_test(hidden_kernel_is_one_row),
		cmocka_unit_test(hidden_symbols_have_an_explanation),
		cmocka_unit_test(identity_of_a_thread),
		cmocka_unit_test(maps_of_ourselves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
