/* Reads symbols of ELF files: real ones from the linker, hand-made ones of every class and byte
 * order, damaged ones. */
#include "../lib/scratch.h"
#include "base/alloc.h"
#include "resolve/elf/image.h"

#include <cyctop/resolve.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers --------------------------------------------------------------------- */

static int load(const char *path, int32_t pid, uint64_t ino, struct dso_image *ret)
{
	struct dso_key key = {.path = path, .pid = pid, .ino = ino};
	*ret = (struct dso_image){0};
	return symbolizer_elf.load(symbolizer_elf.ctx, &key, ret);
}

/* The name of the function at a file offset; "": there is none. */
static const char *name_at(const struct dso_image *image, uint64_t offset)
{
	for (size_t i = 0; i < image->segments_n; i++) {
		const struct segment *s = &image->segments[i];
		struct symtab_hit hit;
		if (offset >= s->offset && offset - s->offset < s->size)
			return symtab_find(image->symtab, offset - s->offset + s->vaddr, &hit) ? hit.name : "";
	}
	return "";
}

struct place {
	uint64_t start, offset;
	uint64_t at;
	char path[4096];
};

static void find_place(void *ctx, const struct record_mmap *m)
{
	struct place *p = ctx;
	if (p->at < m->start || p->at >= m->start + m->len)
		return;
	p->start = m->start;
	p->offset = p->at - m->start + m->pgoff;
	snprintf(p->path, sizeof(p->path), "%s", m->filename);
}

static struct place place_of(uintptr_t address)
{
	struct place p = {.at = address};
	assert_int_equal(proc_live.maps(proc_live.ctx, getpid(), 0, find_place, &p), 0);
	return p;
}

/* ---- files of the linker --------------------------------------------------------- */

static bool is_fixture(const char *name)
{
	return strncmp(name, "where_", 6) == 0 && !strchr(name, '.');
}

static void programs_linked_in_several_ways(void **state)
{
	(void)state;
	DIR *dir = opendir(FIXTURE_DIR);
	assert_non_null(dir);
	int seen = 0;
	for (struct dirent *e; (e = readdir(dir));) {
		if (!is_fixture(e->d_name))
			continue;
		char program[SCRATCH_PATH], said[SCRATCH_PATH + 32], path[SCRATCH_PATH];
		unsigned long offset;
		scratch_path(program, "%s/%s", FIXTURE_DIR, e->d_name);
		const char *const argv[] = {program, NULL};
		assert_int_equal(scratch_run(NULL, argv, said, sizeof(said)), 0);
		assert_int_equal(sscanf(said, "%lx %4095[^\n]", &offset, path), 2);
		struct dso_image image;
		int r = load(path, -1, 0, &image);
		if (strcmp(e->d_name, "where_stripped") == 0 && r < 0) {
			assert_non_null(strstr(image.why, "stripped"));
		} else {
			assert_int_equal(r, 0);
			if (strcmp(e->d_name, "where_stripped") != 0)
				assert_string_equal(name_at(&image, offset), "fixture_function");
			assert_string_not_equal(name_at(&image, offset + 100000000), "fixture_function");
		}
		dso_image_deinit(&image);
		seen++;
	}
	closedir(dir);
	assert_true(seen >= 3);
}

static void a_shared_library(void **state)
{
	(void)state;
	void *lib = dlopen(FIXTURE_DIR "/libwhere.so", RTLD_NOW);
	assert_non_null(lib);
	void *fn = dlsym(lib, "fixture_function");
	assert_non_null(fn);
	struct place p = place_of((uintptr_t)fn);
	struct dso_image image;
	assert_int_equal(load(p.path, getpid(), 0, &image), 0);
	assert_string_equal(name_at(&image, p.offset), "fixture_function");
	dso_image_deinit(&image);
	dlclose(lib);
}

/* Lists the names in order, each with the number of bytes that it covers. */
static void list_names(const struct dso_image *image, char *buf, size_t cap)
{
	size_t used = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < image->segments_n; i++) {
		const struct segment *s = &image->segments[i];
		for (uint64_t a = 0, next; a < s->size; a = next) {
			struct symtab_hit hit, there;
			next = a + 1;
			if (!symtab_find(image->symtab, s->vaddr + a, &hit))
				continue;
			while (next < s->size && symtab_find(image->symtab, s->vaddr + next, &there) &&
			       there.addr == hit.addr)
				next++;
			int n = snprintf(buf + used, cap - used, "%s:%d ", hit.name, (int)(next - a));
			assert_true(n > 0 && (size_t)n < cap - used);
			used += (size_t)n;
		}
	}
}

/* The assembler code of unsized.c. */
static void functions_without_type_or_size(void **state)
{
	(void)state;
	struct dso_image image;
	char names[1024];
	assert_int_equal(load(FIXTURE_DIR "/libunsized.so", -1, 0, &image), 0);
	list_names(&image, names, sizeof(names));
	dso_image_deinit(&image);
	assert_string_equal(names, "plain:32 inner:16 typed:80 quiet:8 other:24 sized:40 ");
}

/* Finds the functions of this test through the whole resolver. */
static void own_functions_through_the_resolver(void **state)
{
	(void)state;
	struct symbolizer chain[] = {symbolizer_vdso, symbolizer_elf};
	struct resolver_config config = {.chain = chain,
					 .chain_n = ARRAY_LEN(chain),
					 .proc = proc_live,
					 .self_pid = getpid(),
					 .background = true};
	struct resolver *r;
	struct error err;
	assert_int_equal(resolver_create(&config, &r, &err), 0);
	uint32_t me = resolver_task(r, (uint32_t)getpid(), (uint32_t)getpid(), 1);
	uint32_t id = resolver_symbol(r, me, MISC_USER, (uintptr_t)&place_of, 0);
	resolver_settle(r, -1);
	const struct catalog *cat = resolver_catalog(r);
	const struct sym_info *s = &cat->syms[cat->syms[id].resolved];
	assert_string_equal(s->name, "place_of");
	assert_int_equal(s->state, SYM_NAMED);
	assert_non_null(strstr(cat->dsos[s->dso].name, "test_resolve_elf"));
	assert_true(cat->tasks[me].self);
	assert_int_equal(cat->tasks[me].uid, getuid());
	assert_string_equal(cat->tasks[me].comm, "test_resolve_el");
	resolver_destroy(r);
}

static bool has_name(const struct dso_image *image, const char *suffix)
{
	struct symtab_hit hit;
	size_t n = strlen(suffix);
	for (size_t i = 0; i < image->segments_n; i++)
		for (uint64_t a = 0; a < image->segments[i].size; a += 4)
			if (symtab_find(image->symtab, image->segments[i].vaddr + a, &hit) && strlen(hit.name) >= n &&
			    strcmp(hit.name + strlen(hit.name) - n, suffix) == 0)
				return true;
	return false;
}

/* ---- paths that are not regular files ----------------------------------------------- */

static void only_regular_files_are_opened(void **state)
{
	(void)state;
	char dir[SCRATCH_PATH], fifo[SCRATCH_PATH], text[SCRATCH_PATH], gone[SCRATCH_PATH];
	scratch_dir(dir);
	scratch_path(fifo, "%s/fifo", dir);
	scratch_path(text, "%s/text", dir);
	scratch_path(gone, "%s (deleted)", text);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	scratch_text(text, "not an ELF file, whatever it may seem\n");
	struct stat st;
	assert_int_equal(stat(text, &st), 0);
	struct dso_image image;
	assert_true(load(fifo, -1, 0, &image) < 0); /* does not wait for a writer */
	assert_non_null(strstr(image.why, "regular"));
	assert_true(load("/dev/null", getpid(), 0, &image) < 0);
	assert_true(load(dir, -1, 0, &image) < 0);
	assert_int_equal(load(text, getpid(), st.st_ino, &image), -ENOEXEC);
	assert_non_null(strstr(image.why, "ELF"));
	assert_true(load(text, getpid(), st.st_ino + 1, &image) < 0);
	assert_non_null(strstr(image.why, "replaced"));
	assert_int_equal(load(gone, getpid(), 0, &image), -ESRCH); /* this process does not map the file */
	assert_non_null(strstr(image.why, "deleted"));
	assert_int_equal(load("/nowhere/at/all", -1, 0, &image), -ENOENT);
	assert_true(image.why[0]);
	assert_int_equal(load("[heap]", -1, 0, &image), -ENOENT);
	scratch_remove(dir);
}

/* A file is that of a mapping only if all bits of its inode number are the mapping's. */
static void inode_numbers_are_compared_whole(void **state)
{
	(void)state;
	char path[64];
	struct stat st;
	struct dso_image image;
	int fd = memfd_create("program", MFD_CLOEXEC); /* not on overlayfs, whose numbers differ in the upper half */
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "no ELF file", 11), 11);
	assert_int_equal(fstat(fd, &st), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(load(path, -1, st.st_ino, &image), -ENOEXEC);
	assert_int_equal(load(path, -1, st.st_ino ^ (uint64_t)1 << 32, &image), -ESTALE);
	close(fd);
}

static void a_program_deleted_while_it_runs(void **state)
{
	(void)state;
	char dir[SCRATCH_PATH], path[SCRATCH_PATH], gone[SCRATCH_PATH], byte;
	size_t n;
	uint8_t *bytes = scratch_read(FIXTURE_DIR "/where_pie", &n);
	scratch_dir(dir);
	scratch_path(path, "%s/where", dir);
	scratch_path(gone, "%s (deleted)", path);
	scratch_write(path, bytes, n);
	free(bytes);
	assert_int_equal(chmod(path, 0700), 0);
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	int in[2], begun[2]; /* exec() closes `begun` */
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(begun, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		scratch_inherit(in[0], STDIN_FILENO);
		execl(path, path, "wait", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(begun[1]);
	assert_int_equal(read(begun[0], &byte, 1), 0);
	close(begun[0]);
	scratch_remove(dir);
	struct dso_image image;
	int r = load(gone, pid, st.st_ino, &image);
	assert_int_equal(r, 0);
	assert_true(has_name(&image, "fixture_function"));
	dso_image_deinit(&image);
	close(in[1]);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- made files ------------------------------------------------------------------ */

/* A small ELF file: code at 0x401000 (file offset 0x1000), three functions, a mapping symbol, a
 * data object. */
struct maker {
	uint8_t data[8192];
	size_t n;
	bool big, wide; /* byte order; 64-bit */
};

static void put(struct maker *m, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->data[m->n + i] = (uint8_t)(v >> 8 * (m->big ? n - 1 - i : i));
	m->n += n;
}

static void put_word(struct maker *m, uint64_t v)
{
	put(m, v, m->wide ? 8 : 4);
}

static void put_symbol(struct maker *m, uint32_t name, uint8_t info, uint16_t section, uint64_t value, uint64_t size)
{
	put(m, name, 4);
	if (!m->wide) {
		put(m, value, 4);
		put(m, size, 4);
	}
	put(m, info, 1);
	put(m, 0, 1);
	put(m, section, 2);
	if (m->wide) {
		put(m, value, 8);
		put(m, size, 8);
	}
}

struct made_section {
	uint32_t type, link, info;
	uint64_t flags, addr, offset, size, entsize;
};

static void put_section(struct maker *m, struct made_section s)
{
	put(m, 0, 4);
	put(m, s.type, 4);
	put_word(m, s.flags);
	put_word(m, s.addr);
	put_word(m, s.offset);
	put_word(m, s.size);
	put(m, s.link, 4);
	put(m, s.info, 4);
	put_word(m, 1);
	put_word(m, s.entsize);
}

static const char made_strings[] = "\0first\0second@@V1\0last\0$x\0thing";

static void make_elf(struct maker *m, bool wide, bool big, uint16_t machine)
{
	*m = (struct maker){.big = big, .wide = wide};
	const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', wide ? 2 : 1, big ? 2 : 1, 1};
	size_t ehdr = wide ? 64 : 52, phdr = wide ? 56 : 32, shdr = wide ? 64 : 40, sym = wide ? 24 : 16;
	size_t symtab = ehdr + phdr, strtab = symtab + 6 * sym, sections = (strtab + sizeof(made_strings) + 7) / 8 * 8;
	memcpy(m->data, ident, 16);
	m->n = 16;
	put(m, 2, 2); /* ET_EXEC */
	put(m, machine, 2);
	put(m, 1, 4);
	put_word(m, 0x401000);
	put_word(m, ehdr);
	put_word(m, sections);
	put(m, 0, 4);
	const size_t halves[] = {ehdr, phdr, 1, shdr, 4, 0};
	for (size_t i = 0; i < ARRAY_LEN(halves); i++)
		put(m, halves[i], 2);
	put(m, 1, 4); /* PT_LOAD */
	if (wide)
		put(m, 5, 4); /* p_flags: PF_R | PF_X */
	put_word(m, 0x1000);
	put_word(m, 0x401000);
	put_word(m, 0x401000);
	put_word(m, 0x800);
	put_word(m, 0x800);
	if (!wide)
		put(m, 5, 4);
	put_word(m, 0x1000);
	put_symbol(m, 0, 0, 0, 0, 0);
	put_symbol(m, 1, 0x12, 1, 0x401000 | (machine == 40), 0x10); /* GLOBAL FUNC, Thumb on ARM */
	put_symbol(m, 7, 0x12, 1, 0x401010, 0x20);
	put_symbol(m, 18, 0x02, 1, 0x401100, 0); /* LOCAL FUNC, without a size */
	put_symbol(m, 23, 0x00, 1, 0x401014, 4);
	put_symbol(m, 26, 0x11, 1, 0x401040, 8); /* OBJECT */
	memcpy(m->data + m->n, made_strings, sizeof(made_strings));
	m->n = sections;
	put_section(m, (struct made_section){0});
	put_section(m, (struct made_section){.type = 1, .flags = 6, .addr = 0x401000, .offset = 0x1000, .size = 0x200});
	put_section(m, (struct made_section){
			       .type = 2, .link = 3, .info = 1, .offset = symtab, .size = 6 * sym, .entsize = sym});
	put_section(m, (struct made_section){.type = 3, .offset = strtab, .size = sizeof(made_strings)});
}

static void any_class_and_byte_order(void **state)
{
	(void)state;
	static const uint16_t machines[] = {62, 40, 183};
	for (size_t i = 0; i < 12; i++) {
		struct maker m;
		make_elf(&m, i & 1, i & 2, machines[i / 4]);
		struct dso_image image = {0};
		assert_int_equal(elf_read_memory(m.data, m.n, &image), 0);
		assert_int_equal(image.segments_n, 1);
		assert_int_equal(image.segments[0].offset, 0x1000);
		assert_int_equal(image.segments[0].vaddr, 0x401000);
		assert_string_equal(name_at(&image, 0x1000), "first");
		assert_string_equal(name_at(&image, 0x100f), "first");
		assert_string_equal(name_at(&image, 0x1010), "second"); /* the version suffix is removed */
		assert_string_equal(name_at(&image, 0x1014), "second"); /* the mapping symbol $x is ignored */
		assert_string_equal(name_at(&image, 0x1030), "");
		assert_string_equal(name_at(&image, 0x1040), "");
		assert_string_equal(name_at(&image, 0x1100), "last");
		assert_string_equal(name_at(&image, 0x11ff), "last");
		assert_string_equal(name_at(&image, 0x1200), ""); /* a symbol without a size ends with its section */
		dso_image_deinit(&image);
	}
}

/* Reads the bytes from a file and from memory; a resulting table must be usable. */
static void try_bytes(const uint8_t *bytes, size_t n)
{
	uint8_t *exact = malloc(n ? n : 1); /* exact size, so that the sanitizer detects a read beyond the end */
	assert_non_null(exact);
	memcpy(exact, bytes, n);
	struct dso_image image = {0};
	int r = elf_read_memory(exact, n, &image);
	assert_true(r <= 0);
	if (r == 0) {
		for (uint64_t off = 0; off < 0x3000; off += 64)
			assert_non_null(name_at(&image, off));
	} else {
		assert_null(image.symtab);
		assert_true(image.why[0]);
	}
	dso_image_deinit(&image);
	free(exact);
}

static void every_truncation_is_survived(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct maker m;
		make_elf(&m, kind & 1, kind & 2, 62);
		for (size_t n = 0; n < m.n; n++)
			try_bytes(m.data, n);
	}
}

static void every_damaged_byte_is_survived(void **state)
{
	(void)state;
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	for (int kind = 0; kind < 2; kind++) {
		struct maker m;
		make_elf(&m, kind & 1, false, 62);
		for (size_t i = 0; i < m.n; i++) {
			uint8_t was = m.data[i];
			for (size_t v = 0; v < ARRAY_LEN(values); v++) {
				m.data[i] = values[v];
				try_bytes(m.data, m.n);
			}
			m.data[i] = was;
		}
	}
}

/* Reads real files, cut off and with flipped bits, through a file descriptor. */
static void damaged_files_are_survived(void **state)
{
	(void)state;
	FILE *in = fopen(FIXTURE_DIR "/libwhere.so", "r");
	assert_non_null(in);
	static uint8_t whole[256 * 1024];
	size_t n = fread(whole, 1, sizeof(whole), in);
	fclose(in);
	assert_true(n > 1000);
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	scratch_remove(path);
	uint64_t seed = 12345;
	for (int round = 0; round < 400; round++) {
		size_t len = round < 200 ? n * (size_t)round / 200 : n;
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, whole, len, 0), len);
		for (int flips = 0; round >= 200 && flips < 8; flips++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			/* half of the flipped bits are in the headers, where they matter most */
			size_t at = (seed >> 33) % (flips & 1 ? n : 1024);
			uint8_t b = (uint8_t)(whole[at] ^ 1u << (seed >> 24 & 7));
			assert_int_equal(pwrite(fd, &b, 1, (off_t)at), 1);
		}
		struct dso_image image = {0};
		int r = elf_read_program(fd, len, NULL, &image);
		if (r == 0)
			assert_non_null(image.symtab);
		dso_image_deinit(&image);
	}
	/* the file is truncated after its size was read */
	assert_int_equal(pwrite(fd, whole, n, 0), n);
	assert_int_equal(ftruncate(fd, (off_t)n / 3), 0);
	struct dso_image image = {0};
	assert_true(elf_read_program(fd, n, NULL, &image) <= 0);
	dso_image_deinit(&image);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_linked_in_several_ways),
		cmocka_unit_test(a_shared_library),
		cmocka_unit_test(functions_without_type_or_size),
		cmocka_unit_test(own_functions_through_the_resolver),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(a_program_deleted_while_it_runs),
		cmocka_unit_test(any_class_and_byte_order),
		cmocka_unit_test(every_truncation_is_survived),
		cmocka_unit_test(every_damaged_byte_is_survived),
		cmocka_unit_test(damaged_files_are_survived),
		cmocka_unit_test(inode_numbers_are_compared_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
