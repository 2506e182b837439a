/* Names of what every process of this machine shares: its libc, its vdso, its kernel.  What is hidden here is
 * skipped. */
#include "resolve/kernel/vmlinux.h"
#include "test_resolve_recording_world.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- libc and vdso -------------------------------------------------------------------- */

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

static void libc_by_its_dynamic_symbols(void **state)
{
	(void)state;
	struct place p = place_of((uintptr_t)dlsym(RTLD_DEFAULT, "lfind"));
	if (!strstr(p.path, "libc"))
		skip(); /* a libc without this symbol */
	struct dso_image image;
	assert_int_equal(load(p.path, getpid(), 0, &image), 0);
	assert_string_equal(name_at(&image, p.offset), "lfind");
	assert_string_equal(name_at(&image, p.offset + 1), "lfind");
	dso_image_deinit(&image);
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

static void the_vdso_has_names(void **state)
{
	(void)state;
	struct dso_key key = {.path = "[vdso]", .pid = -1};
	struct dso_image image = {0};
	int r = symbolizer_vdso.load(NULL, &key, &image);
	if (r < 0) {
		assert_true(image.why[0]); /* under valgrind and on some kernels there is no vdso */
		skip();
	}
	assert_true(has_name(&image, "clock_gettime"));
	dso_image_deinit(&image);
	key.path = "/bin/sh";
	assert_int_equal(symbolizer_vdso.load(NULL, &key, &image), -ENOENT);
}

/* ---- the kernel --------------------------------------------------------------------------- */

static void a_vmlinux_has_to_be_of_this_kernel(void **state)
{
	(void)state;
	struct error err;
	char path[SCRATCH_PATH];
	struct build_id id;
	running_kernel_id(&id);
	if (!id.size)
		skip();
	close(scratch_file(path));
	scratch_text(path, "no kernel");
	assert_int_equal(vmlinux_check(path, &err), -ENODATA);
	scratch_remove(path);
	assert_int_equal(vmlinux_check("/proc/self/exe", &err), -ESTALE);
	assert_non_null(strstr(err.text, "build-id differs"));
}

static const char *name_of(struct stage *s, uint64_t ip)
{
	return stage_sym(s, MISC_KERNEL, ip)->name;
}

static void assert_no_name(struct stage *s, uint64_t ip, const char *why)
{
	const struct sym_info *sym = stage_sym(s, MISC_KERNEL, ip);
	assert_int_equal(sym->state, SYM_UNRESOLVED);
	assert_non_null(strstr(stage_why(s, sym), why));
}

/* Finds a function of the running kernel. */
static bool running_kernel(uint64_t *text_ret, uint64_t *ip_ret, char name[128], struct build_id *id_ret)
{
	uint8_t notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, notes, sizeof(notes));
	close(fd);
	if (n <= 0)
		return false;
	notes_build_id(notes, (size_t)n, false, id_ret);
	struct dso_image image = {0};
	if (!id_ret->size || kallsyms_read("/proc/kallsyms", "_text", text_ret, &image) < 0)
		return false;
	struct symtab_hit hit;
	bool ok = *text_ret && symtab_find(image.symtab, *text_ret + 0x20000, &hit);
	if (ok) {
		*ip_ret = hit.addr;
		snprintf(name, 128, "%s", hit.name);
	}
	dso_image_deinit(&image);
	return ok;
}

static void the_running_kernel(void **state)
{
	struct stage *s = *state;
	uint64_t text, ip;
	char name[128];
	struct build_id id;
	if (!running_kernel(&text, &ip, name, &id)) {
		print_message("the kernel's addresses are hidden here\n");
		skip();
	}
	stage_says(s, MISC_KERNEL, "[kernel.kallsyms]", &id);
	stage_open(s);
	stage_maps_kernel(s, text, 0x1000000, text, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(s, ip), name);
	stage_close(s);
	stage_open(s); /* another boot of the kernel */
	stage_maps_kernel(s, text + 0x600000, 0x1000000, text + 0x600000, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(s, ip + 0x600000), name);
	stage_close(s);
	s->ids[0].id[5] ^= 1;
	stage_open(s);
	stage_maps_kernel(s, text, 0x1000000, text, "[kernel.kallsyms]_text");
	assert_no_name(s, ip, "another kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libc_by_its_dynamic_symbols),
		cmocka_unit_test(the_vdso_has_names),
		cmocka_unit_test(a_vmlinux_has_to_be_of_this_kernel),
		cmocka_unit_test_setup_teardown(the_running_kernel, stage_setup, stage_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
