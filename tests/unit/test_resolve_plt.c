/* Code without symbols from a compiler: PLT stubs of programs linked in different ways,
 * compared with objdump, and of other machines by their instructions; and assembler symbols
 * without types and sizes. */
#include "resolve/elf/image.h"
#include "resolve/elf/stub.h"

#include <cyctop/resolve.h>

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char source[] = "#include <stdio.h>\n"
			     "#include <stdlib.h>\n"
			     "int main(int c, char **v) { void *p = malloc(c); free(p);\n"
			     "return printf(v[0], p) + atoi(v[0]) + puts(v[0]) + (p == (void *)free); }\n";

static bool load(const char *path, struct dso_image *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*ret = (struct dso_image){0};
	int r = elf_read_file(fd, (uint64_t)st.st_size, ret);
	close(fd);
	return r == 0;
}

/* Compares the name of each stub with objdump's.  Returns the number of stubs; -1: there is no
 * objdump. */
static int compare_stubs(const char *objdump, const char *path)
{
	char command[512], line[4096];
	struct dso_image image;
	assert_true(load(path, &image));
	snprintf(command, sizeof(command), "%s -d '%s' 2>/dev/null", objdump, path);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	int n = 0;
	while (fgets(line, sizeof(line), f)) {
		char name[512], *end = strstr(line, "@plt>:");
		uint64_t addr;
		if (!end || sscanf(line, "%" SCNx64 " <%500[^>]>", &addr, name) != 2)
			continue;
		struct symtab_hit hit = {0};
		assert_true(symtab_find(image.symtab, addr, &hit));
		assert_string_equal(hit.name, name);
		assert_int_equal(hit.origin, ORIGIN_PLT);
		assert_int_equal(hit.addr, addr);
		assert_true(hit.size >= 8 && hit.size <= 32);
		n++;
	}
	bool ran = pclose(f) == 0;
	dso_image_deinit(&image);
	return ran ? n : -1;
}

static void programs_linked_in_several_ways(void **state)
{
	(void)state;
	static const char *const ways[] = {
		"-no-pie -Wl,-z,lazy",
		"-fPIE -pie -Wl,-z,now",
		"-fPIE -pie -Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt",
		"-fPIE -pie -Wl,-z,now -fcf-protection=full -Wl,-z,ibt",
		"-fno-plt -fPIE -pie",
		"-s -fPIE -pie",
		"-m32 -no-pie",
		"-m32 -fPIE -pie",
		"-m32 -fPIE -pie -Wl,-z,now",
		"-fuse-ld=lld -fPIE -pie",
		"-fuse-ld=lld -m32 -fPIE -pie",
	};
	char dir[] = "/tmp/cyctop-test-XXXXXX", path[64], command[512];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/prog.c", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(source, f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/prog", dir);
	int most = -1;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(command, sizeof(command), "cc -O1 %s -o %s %s.c >/dev/null 2>&1", ways[i], path, path);
		if (system(command) != 0)
			continue; /* this linker does not support the flags */
		int n = compare_stubs("objdump", path);
		most = n > most ? n : most;
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	if (most < 0)
		skip(); /* no compiler, no objdump */
	assert_true(most >= 4);
}

/* ---- instructions ------------------------------------------------------------------- */

#define CODE(m, w, at, text)                                                                                           \
	(struct stub_code)                                                                                             \
	{                                                                                                              \
		.machine = (m), .wide = (w), .got = 0x4000, .bytes = (const uint8_t *)(text), .n = sizeof(text) - 1,   \
		.addr = (at)                                                                                           \
	}

/* Stubs made by the linkers for these machines, with the addresses that objdump shows. */
static void instructions_of_any_machine(void **state)
{
	(void)state;
	const struct {
		struct stub_code code;
		uint64_t word;
		size_t n;
	} cases[] = {
		{CODE(EM_X86_64, true, 0x26030, "\xff\x25\xda\xcf\x1a\x00"), 0x1d3010, 6},
		{CODE(EM_X86_64, true, 0x1050, "\xf3\x0f\x1e\xfa\xff\x25\x76\x2f\x00\x00"), 0x3fd0, 10},
		{CODE(EM_X86_64, true, 0x1050, "\xf3\x0f\x1e\xfa\xf2\xff\x25\x75\x2f\x00\x00"), 0x3fd0, 11},
		{CODE(EM_X86_64, true, 0x1050, "\xf3\x0f\x1e\xfa\x41\xbb\1\0\0\0\xff\x25\x70\xff\xff\xff"), 0xfd0, 16},
		{CODE(EM_386, false, 0x1050, "\xff\x25\x0c\xc0\x04\x08"), 0x804c00c, 6},
		{CODE(EM_386, false, 0x1050, "\xff\xa3\x0c\0\0\0"), 0x400c, 6},
		{CODE(EM_386, false, 0x1050, "\xf3\x0f\x1e\xfb\xff\xa3\xf8\xff\xff\xff"), 0x3ff8, 10},
		{CODE(EM_AARCH64, true, 0x340, "\x10\x01\x00\x90\x11\x06\x40\xf9"), 0x20008, 8},
		{CODE(EM_AARCH64, true, 0x340, "\x5f\x24\x03\xd5\x10\x01\x00\x90\x11\x06\x40\xf9"), 0x20008, 12},
		/* the stub refers to a word at a lower address */
		{CODE(EM_AARCH64, true, 0x40340, "\xf0\xff\xff\xf0\x11\x06\x40\xf9"), 0x3f008, 8},
		{CODE(EM_ARM, false, 0x1b4, "\x00\xc6\x8f\xe2\x01\xca\x8c\xe2\x50\xfe\xbc\xe5"), 0x200c, 12},
		{CODE(EM_ARM, false, 0x1b4, "\x78\x47\xc0\x46\x00\xc6\x8f\xe2\x01\xca\x8c\xe2\x50\xfe\xbc\xe5"), 0x2010,
		 16},
		{CODE(EM_ARM, false, 0x1b4, "\x00\xc2\x8f\xe2\x00\xc6\x8c\xe2\x01\xca\x8c\xe2\x50\xfe\xbc\xe5"), 0x200c,
		 16},
		{CODE(EM_ARM, false, 0x10250, "\x00\xc6\x8f\xe2\x20\xca\x8c\xe2\x7c\xf0\xbc\xe5"), 0x302d4, 12},
		{CODE(EM_ARM, false, 0x1000, "\x04\xc0\x9f\xe5\x0f\xc0\x8c\xe0\x00\xf0\x9c\xe5\xf4\x1f\0\0"), 0x3000,
		 16},
		{CODE(EM_RISCV, true, 0x320, "\x17\x2e\x00\x00\x03\x3e\x8e\xcf"), 0x2018, 8},
		{CODE(EM_RISCV, false, 0x320, "\x17\x2e\x00\x00\x03\x2e\x8e\xcf"), 0x2018, 8},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stub stub;
		assert_true(stub_decode(&cases[i].code, 0, &stub));
		assert_false(stub.lazy);
		assert_int_equal(stub.word, cases[i].word);
		assert_int_equal(stub.n, cases[i].n);
		assert_true(stub_step(&cases[i].code) > 0);
		struct stub_code cut = cases[i].code;
		while (cut.n--) {
			uint8_t *exact = malloc(cut.n + 1);
			assert_non_null(exact);
			memcpy(exact + 1, cases[i].code.bytes, cut.n);
			cut.bytes = exact + 1;
			assert_false(stub_decode(&cut, 0, &stub));
			assert_false(stub_decode(&cut, cut.n, &stub));
			free(exact);
		}
	}
	struct stub stub;
	struct stub_code lazy =
		CODE(EM_X86_64, true, 0x1020, "\xf3\x0f\x1e\xfa\x68\x03\x00\x00\x00\xe9\xe2\xff\xff\xff");
	assert_true(stub_decode(&lazy, 0, &stub));
	assert_true(stub.lazy);
	assert_int_equal(stub.push, 3);
	struct stub_code head = CODE(EM_X86_64, true, 0x1020, "\xff\x35\xe2\x2f\x00\x00\xff\x25\xe4\x2f\x00\x00");
	assert_false(stub_decode(&head, 0, &stub));
	struct stub_code other = CODE(EM_S390, true, 0x1020, "\xff\x25\xda\xcf\x1a\x00");
	assert_false(stub_decode(&other, 0, &stub));
	assert_int_equal(stub_step(&other), 0);
}

/* Real files of another machine, if there is an assembler and a linker for it. */
static void an_arm_library(void **state)
{
	(void)state;
	static const char *const linkers[] = {"ld", "ld --long-plt"};
	static const char text[] = ".globl f\n.type f, %function\nf: push {lr}\nbl first(PLT)\n"
				   "bl second(PLT)\npop {pc}\n.size f, .-f\n";
	int built = 0;
	for (size_t i = 0; i < sizeof(linkers) / sizeof(linkers[0]); i++) {
		char dir[] = "/tmp/cyctop-test-XXXXXX", command[512], path[64];
		assert_non_null(mkdtemp(dir));
		snprintf(path, sizeof(path), "%s/a.so", dir);
		snprintf(command, sizeof(command),
			 "cd %s && { printf '%%s' '%s' | arm-linux-gnueabihf-as -o a.o && "
			 "arm-linux-gnueabihf-%s -shared -o a.so a.o; } 2>/dev/null",
			 dir, text, linkers[i]);
		if (system(command) == 0) {
			int n = compare_stubs("arm-linux-gnueabihf-objdump", path);
			assert_int_equal(n, 2);
			built++;
		}
		snprintf(command, sizeof(command), "rm -r %s", dir);
		assert_int_equal(system(command), 0);
	}
	if (!built)
		skip(); /* no tools for ARM */
}

/* ---- assembler code ------------------------------------------------------------------------ */

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

static void functions_without_type_or_size(void **state)
{
	(void)state;
	static const char text[] = "\t.text\n"
				   "\t.globl plain, typed, other, _other, sized\n"
				   "\t.type typed, %function\n\t.type other, %function\n\t.type _other, %function\n"
				   "\t.type sized, %function\n\t.hidden quiet\n"
				   "plain: .skip 32\n"
				   "inner: .skip 16\n"
				   "typed: .skip 64\n"
				   "mark: .skip 16\n"
				   "\t.size typed, . - typed\n"
				   "quiet: .skip 8\n"
				   "_other: other: .skip 24\n"
				   "\t.size _other, . - _other\n"
				   "begin: sized: .skip 40\n"
				   "\t.size sized, . - sized\n"
				   "\t.globl end\nend:\n"
				   "\t.data\nthing: .long 1\n"
				   "\t.section .note.GNU-stack,\"\"\n";
	char dir[] = "/tmp/cyctop-test-XXXXXX", path[64], command[512], names[1024];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/code.s", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/code.so", dir);
	snprintf(command, sizeof(command), "cc -nostdlib -shared -o %s %s/code.s >/dev/null 2>&1", path, dir);
	struct dso_image image;
	bool built = system(command) == 0;
	if (built) {
		assert_true(load(path, &image));
		list_names(&image, names, sizeof(names));
		dso_image_deinit(&image);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	if (!built)
		skip(); /* no assembler */
	assert_string_equal(names, "plain:32 inner:16 typed:80 quiet:8 other:24 sized:40 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_without_type_or_size),
		cmocka_unit_test(programs_linked_in_several_ways),
		cmocka_unit_test(instructions_of_any_machine),
		cmocka_unit_test(an_arm_library),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
