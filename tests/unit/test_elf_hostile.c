/* ELF files that are made to use much memory or time.  Each is read in a child process, whose
 * CPU time and peak memory must stay below a limit. */
#include "../lib/scratch.h"

#include "base/limits.h"
#include "base/alloc.h"
#include "resolve/elf/image.h"

#include <cyctop/resolve.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((uint64_t)1024 * 1024)

#if defined(__SANITIZE_ADDRESS__)
enum { MEMORY_MAX = 2000 };
#else
enum { MEMORY_MAX = 200 }; /* in MiB */
#endif
enum { SECONDS_MAX = 20 }; /* of CPU time, of which a file takes some tenths */

/* ---- files ------------------------------------------------------------------------ */

struct file {
	int fd;
	char path[SCRATCH_PATH];
	Elf64_Shdr sections[70000];
	unsigned n;
	uint64_t end;  /* end of the contents written so far */
	uint64_t note; /* offset of a segment of notes; 0: there is none */
	uint64_t note_size;
};

static struct file *begin(const char *name)
{
	struct file *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	scratch_path(f->path, "%s/%s", getenv("HOSTILE_DIR"), name);
	f->fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(f->fd >= 0);
	f->n = 1;
	f->end = 4096;
	return f;
}

static void put(const struct file *f, uint64_t at, const void *bytes, size_t n)
{
	assert_int_equal(pwrite(f->fd, bytes, n, (off_t)at), (ssize_t)n);
}

/* Adds a section header for contents at `offset`. */
static Elf64_Shdr *add(struct file *f, uint32_t type, uint64_t offset, uint64_t size)
{
	assert_true(f->n < ARRAY_LEN(f->sections));
	Elf64_Shdr *sh = &f->sections[f->n++];
	*sh = (Elf64_Shdr){.sh_type = type, .sh_offset = offset, .sh_size = size};
	return sh;
}

/* Adds a section with these contents. */
static Elf64_Shdr *add_bytes(struct file *f, uint32_t type, const void *bytes, size_t n)
{
	put(f, f->end, bytes, n);
	f->end += n;
	return add(f, type, f->end - n, n);
}

static void add_code(struct file *f)
{
	Elf64_Shdr *sh = add(f, SHT_PROGBITS, 0x1000, 0x40000000);
	sh->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	sh->sh_addr = 0x1000;
}

/* Writes the headers.  `names`: number of the section with the names of sections.  `claimed`:
 * number of sections in the file header; 0: the actual one. */
static void finish(struct file *f, unsigned names, uint64_t claimed)
{
	Elf64_Phdr ph[2] = {
		{.p_type = PT_LOAD, .p_flags = PF_X | PF_R, .p_offset = 0x1000, .p_vaddr = 0x1000},
		{.p_type = PT_NOTE, .p_offset = f->note, .p_filesz = f->note_size},
	};
	ph[0].p_filesz = ph[0].p_memsz = 0x40000000;
	Elf64_Ehdr eh = {.e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(eh),
			 .e_phentsize = sizeof(ph[0]),
			 .e_phnum = f->note ? 2 : 1,
			 .e_ehsize = sizeof(eh),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shoff = f->end,
			 .e_shstrndx = (uint16_t)names};
	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	f->sections[0].sh_size = claimed ? claimed : f->n;
	put(f, 0, &eh, sizeof(eh));
	put(f, sizeof(eh), ph, sizeof(ph));
	put(f, f->end, f->sections, f->n * sizeof(*f->sections));
}

/* Makes the file sparse: it gets this size with few contents. */
static void stretch(const struct file *f, uint64_t size)
{
	if (ftruncate(f->fd, (off_t)size) != 0)
		skip(); /* the file system does not allow such a size */
}

static void end(struct file *f)
{
	close(f->fd);
	unlink(f->path);
	free(f);
}

/* ---- measuring ------------------------------------------------------------------------- */

static void read_it(const struct file *f, enum limit limit)
{
	char dir[] = "/";
	struct debug_places places = {.path = f->path, .roots = {dir}};
	struct dso_image image = {0};
	struct stat st;
	struct build_id id;
	if (fstat(f->fd, &st) != 0)
		_exit(2);
	elf_build_id_file(f->fd, &image.limits, &id);
	int r = elf_read_program(f->fd, (uint64_t)st.st_size, &places, &image);
	if (limit < LIMITS_N && !limit_is_reached(&image.limits, limit))
		_exit(3);
	_exit(r == 0 || image.why[0] ? 0 : 1);
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* `limit`: the one that is reached, which is noted; LIMITS_N: none. */
static void assert_cheap(const struct file *f, enum limit limit)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(600);
		read_it(f, limit);
	}
	int status;
	struct rusage used;
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	double seconds = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
	print_message("%.2f s, %ld MiB\n", seconds, used.ru_maxrss / 1024);
	assert_true(seconds < SECONDS_MAX);
	assert_true(used.ru_maxrss / 1024 < MEMORY_MAX);
}

/* ---- attacks ------------------------------------------------------------------------ */

static void thousands_of_note_sections(void **state)
{
	(void)state;
	struct file *f = begin("notes");
	uint64_t at = f->end;
	stretch(f, at + MIB);
	f->end += MIB;
	add_code(f);
	for (int i = 0; i < 2500; i++)
		add(f, SHT_NOTE, at + (unsigned)i, MIB - (unsigned)i);
	finish(f, 0, 0);
	assert_cheap(f, REACHED_ELF_NOTES_BYTES);
	end(f);
}

/* The kernel reads the build-id from the first page of a program.  Sections of notes that are too many
 * must not hide it: a build-id that is not found does not match, and the program would have no names. */
static void build_id_behind_notes(void **state)
{
	(void)state;
	struct file *f = begin("notes-id");
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[20];
	} note = {{sizeof(note.name), sizeof(note.id), NT_GNU_BUILD_ID}, "GNU", {1, 2, 3}};
	f->note = 0x200;
	f->note_size = sizeof(note);
	put(f, f->note, &note, sizeof(note));
	uint64_t at = f->end;
	stretch(f, at + MIB);
	f->end += MIB;
	for (int i = 0; i < 100; i++)
		add(f, SHT_NOTE, at + (unsigned)i, MIB - (unsigned)i);
	finish(f, 0, 0);
	struct build_id id;
	struct limit_set limits = {0};
	elf_build_id_file(f->fd, &limits, &id);
	assert_true(limit_is_reached(&limits, REACHED_ELF_NOTES_BYTES));
	assert_int_equal(id.size, sizeof(note.id));
	assert_memory_equal(id.bytes, note.id, sizeof(note.id));
	end(f);
}

static void sparse_section_names(void **state)
{
	(void)state;
	struct file *f = begin("shstrtab");
	add_code(f);
	add(f, SHT_STRTAB, MIB, 4096 * MIB);
	finish(f, f->n - 1, 0);
	stretch(f, 8192 * MIB);
	assert_cheap(f, REACHED_ELF_SECTION_NAMES);
	end(f);
}

static void millions_of_sections(void **state)
{
	(void)state;
	struct file *f = begin("sections");
	add_code(f);
	finish(f, 0, 100000000);
	stretch(f, 8192 * MIB);
	assert_cheap(f, REACHED_ELF_SECTIONS);
	end(f);
}

static void section_names_without_an_end(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__)
	skip(); /* with the sanitizer option strict_string_checks, each comparison reads all names */
#endif
	struct file *f = begin("no-nul");
	char *a = malloc(4 * MIB);
	assert_non_null(a);
	memset(a, '.', 4 * MIB);
	add_bytes(f, SHT_STRTAB, a, 4 * MIB);
	for (unsigned i = 0; i < 65000; i++) {
		Elf64_Shdr *sh = add(f, SHT_PROGBITS, 0x1000, 16);
		sh->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
		sh->sh_name = i;
	}
	finish(f, 1, 0);
	assert_cheap(f, LIMITS_N);
	free(a);
	end(f);
}

/* A million and a half symbols with overlapping names of 4,000 bytes in a file of 36 MB. */
static void long_names_that_overlap(void **state)
{
	(void)state;
	enum { N = 1500000, NAMES = 12000 };
	struct file *f = begin("long");
	Elf64_Sym *syms = calloc(N, sizeof(*syms));
	char names[NAMES];
	assert_non_null(syms);
	for (unsigned i = 0; i < NAMES; i++)
		names[i] = (char)('a' + i * 7919 % 26);
	for (unsigned i = 1; i < N; i++)
		syms[i] = (Elf64_Sym){.st_name = i % 8000,
				      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				      .st_shndx = 1,
				      .st_value = 0x1000 + i * 16,
				      .st_size = 16};
	add_code(f);
	Elf64_Shdr *sh = add_bytes(f, SHT_SYMTAB, syms, N * sizeof(*syms));
	sh->sh_link = f->n;
	sh->sh_entsize = sizeof(*syms);
	add_bytes(f, SHT_STRTAB, names, NAMES);
	finish(f, 0, 0);
	assert_cheap(f, REACHED_NAMES_WORK);
	free(syms);
	end(f);
}

static void a_checksum_of_400_gigabytes(void **state)
{
	(void)state;
	static const char link[16] = "link.debug\0\0\1\2\3\4";
	static const char names[] = "\0.gnu_debuglink";
	struct file *debug = begin("link.debug"), *f = begin("program");
	add_code(debug);
	Elf64_Shdr *sh = add(debug, SHT_SYMTAB, 4096, 4096);
	sh->sh_entsize = sizeof(Elf64_Sym);
	finish(debug, 0, 0);
	stretch(debug, 400 * 1024 * MIB);
	add_code(f);
	add_bytes(f, SHT_PROGBITS, link, sizeof(link))->sh_name = 1;
	add_bytes(f, SHT_STRTAB, names, sizeof(names));
	finish(f, f->n - 1, 0);
	assert_cheap(f, REACHED_CHECKSUM_BYTES);
	end(f);
	end(debug);
}

static void sparse_unwind_tables(void **state)
{
	(void)state;
	static const char names[] = "\0.eh_frame\0.eh_frame_hdr";
	struct file *f = begin("unwind");
	add_code(f);
	add(f, SHT_PROGBITS, MIB, 200 * MIB)->sh_name = 1;
	add(f, SHT_PROGBITS, MIB, 200 * MIB)->sh_name = 11;
	add_bytes(f, SHT_STRTAB, names, sizeof(names));
	finish(f, f->n - 1, 0);
	stretch(f, 1024 * MIB);
	assert_cheap(f, REACHED_UNWIND_BYTES);
	end(f);
}

/* Sixteen sections of stubs of the largest size that is read. */
static void sparse_stubs(void **state)
{
	(void)state;
	static const char names[] = "\0.plt";
	struct file *f = begin("plt");
	for (int i = 0; i < 16; i++) {
		Elf64_Shdr *sh = add(f, SHT_PROGBITS, MIB, 63 * MIB);
		sh->sh_name = 1;
		sh->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	}
	add_bytes(f, SHT_STRTAB, names, sizeof(names));
	finish(f, f->n - 1, 0);
	stretch(f, 1024 * MIB);
	assert_cheap(f, REACHED_PLT_BYTES);
	end(f);
}

/* Reading a file of /proc, /sys and the like may have an effect, so none is opened. */
static void files_that_act_are_not_opened(void **state)
{
	(void)state;
	static const char *const paths[] = {"/proc/self/maps", "/proc/version", "/sys/kernel/notes"};
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct stat st;
		if (stat(paths[i], &st) != 0)
			continue;
		struct dso_key key = {.path = paths[i], .pid = getpid(), .ino = i == 1 ? 0 : st.st_ino};
		struct dso_image image = {0};
		assert_int_equal(symbolizer_elf.load(symbolizer_elf.ctx, &key, &image), -EINVAL);
		assert_non_null(strstr(image.why, "regular file"));
	}
}

int main(void)
{
	char dir[SCRATCH_PATH];
	scratch_dir(dir);
	if (setenv("HOSTILE_DIR", dir, 1) != 0)
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thousands_of_note_sections),
		cmocka_unit_test(build_id_behind_notes),
		cmocka_unit_test(sparse_section_names),
		cmocka_unit_test(millions_of_sections),
		cmocka_unit_test(section_names_without_an_end),
		cmocka_unit_test(long_names_that_overlap),
		cmocka_unit_test(a_checksum_of_400_gigabytes),
		cmocka_unit_test(sparse_unwind_tables),
		cmocka_unit_test(sparse_stubs),
		cmocka_unit_test(files_that_act_are_not_opened),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(dir);
	return r;
}
