/* The running kernel, whose symbol table changes while it is used. */
#include "../lib/scratch.h"

#include "resolve/kernel/modules.h"
#include "resolve/naming/kernel.h"
#include "resolve/kernel/vmlinux.h"

#include <cyctop/resolve.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t TEXT = 0xffffffff81000000, MODULE = 0xffffffffc0200000, BPF = 0xffffffffc0800000;

static char kallsyms[SCRATCH_PATH], modules[SCRATCH_PATH];

static int setup(void **state)
{
	close(scratch_file(kallsyms));
	close(scratch_file(modules));
	*state = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(kallsyms);
	unlink(modules);
	return 0;
}

/* The parts of the resolver, without the processes. */
struct world {
	struct names names;
	struct dsos *dsos;
	struct loader *loader;
	struct kernel kernel;
};

static void open_world(struct world *w, bool modules_apart)
{
	const struct symbolizer chain[] = {{.name = "kallsyms", .load = symbolizer_kallsyms.load, .ctx = kallsyms}};
	assert_int_equal(loader_create(chain, 1, false, &w->loader, NULL), 0);
	names_init(&w->names);
	w->dsos = dsos_create(&w->names, w->loader, &(struct dsos_config){.background = false});
	kernel_init(&w->kernel, w->dsos);
	w->kernel.modules_path = modules;
	kernel_set_live(&w->kernel, modules_apart);
}

static void close_world(struct world *w)
{
	loader_destroy(w->loader);
	kernel_deinit(&w->kernel);
	dsos_destroy(w->dsos);
	names_deinit(&w->names);
}

static const struct sym_info *sym_at(struct world *w, uint64_t addr)
{
	uint32_t id = kernel_symbol(&w->kernel, addr, false);
	return &w->names.cat.syms[w->names.cat.syms[id].resolved];
}

static const char *dso_at(struct world *w, uint64_t addr)
{
	return w->names.cat.dsos[sym_at(w, addr)->dso].path;
}

static void seconds(struct world *w, int n)
{
	for (int i = 0; i < n; i++) {
		kernel_tend(&w->kernel);
		dsos_collect(w->dsos);
		dsos_shrink(w->dsos);
		kernel_adopted(&w->kernel);
	}
}

/* A file that does not answer, until the pipe is closed. */
static int load_never(void *ctx, const struct dso_key *key, struct dso_image *image)
{
	char byte;
	(void)key;
	(void)image;
	return read(*(int *)ctx, &byte, 1) < 0 ? -errno : -ENOENT;
}

static void who_waits_for_a_table_can_stop(void **state)
{
	(void)state;
	struct world w = {.loader = NULL};
	int silent[2], stop[2];
	assert_int_equal(pipe(silent), 0);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "", 1), 1);
	const struct symbolizer chain[] = {{.name = "silent", .load = load_never, .ctx = &silent[0]}};
	assert_int_equal(loader_create(chain, 1, true, &w.loader, NULL), 0);
	names_init(&w.names);
	w.dsos = dsos_create(&w.names, w.loader, &(struct dsos_config){.background = true, .stop_fd = stop[0]});
	kernel_init(&w.kernel, w.dsos);
	assert_int_equal(sym_at(&w, TEXT)->state, SYM_PENDING);
	dsos_await(w.dsos, w.kernel.dso);
	assert_int_equal(sym_at(&w, TEXT)->state, SYM_PENDING);
	close(silent[1]);
	char byte;
	assert_int_equal(read(stop[0], &byte, 1), 1);
	dsos_await(w.dsos, w.kernel.dso);
	assert_int_not_equal(sym_at(&w, TEXT)->state, SYM_PENDING);
	close_world(&w);
	close(silent[0]);
	close(stop[0]);
	close(stop[1]);
}

static void ksymbol(struct world *w, uint64_t addr, uint32_t len, const char *name, int type, bool gone)
{
	struct record rec = {.type = RECORD_KSYMBOL};
	rec.u.ksymbol.addr = addr;
	rec.u.ksymbol.len = len;
	rec.u.ksymbol.ksym_type = (uint16_t)type;
	rec.u.ksymbol.flags = gone;
	rec.u.ksymbol.name = name;
	kernel_ksymbol(&w->kernel, &rec);
}

static const char plain[] = "ffffffff81000000 T _text\n"
			    "ffffffff81000100 T do_one\n";
static const char with_module[] = "ffffffff81000000 T _text\n"
				  "ffffffff81000100 T do_one\n"
				  "ffffffffc0200000 t mod_one\t[mod]\n";
static const char with_other[] = "ffffffff81000000 T _text\n"
				 "ffffffff81000100 T do_one\n"
				 "ffffffffc0200000 t other_one\t[other]\n";

static void open_plain(struct world *w)
{
	scratch_text(kallsyms, plain);
	scratch_text(modules, "");
	open_world(w, false);
	assert_string_equal(sym_at(w, TEXT + 0x180)->name, "do_one");
}

static void now_has(struct world *w, const char *symbols, const char *list)
{
	scratch_text(kallsyms, symbols);
	scratch_text(modules, list);
	seconds(w, 5);
}

static void a_module_that_comes_is_named(void **state)
{
	(void)state;
	struct world w;
	open_plain(&w);
	assert_int_equal(sym_at(&w, MODULE + 0x10)->state, SYM_UNRESOLVED);
	now_has(&w, with_module, "mod 16384 0 - Live 0xffffffffc0200000\n");
	assert_string_equal(sym_at(&w, MODULE + 0x10)->name, "mod_one");
	assert_string_equal(dso_at(&w, MODULE + 0x10), "[mod]");
	/* another module at the same address */
	now_has(&w, with_other, "other 16384 0 - Live 0xffffffffc0200000\n");
	assert_string_equal(sym_at(&w, MODULE + 0x10)->name, "other_one");
	/* a new use count is not a change */
	uint32_t asked = w.kernel.asked_at;
	scratch_text(modules, "other 16384 7 - Live 0xffffffffc0200000\n");
	seconds(&w, 10);
	assert_int_equal(w.kernel.asked_at, asked);
	/* if the table cannot be read again, the old one stays */
	now_has(&w, "", "more 16384 7 - Live 0xffffffffc0300000\n");
	assert_string_equal(sym_at(&w, MODULE + 0x10)->name, "other_one");
	close_world(&w);
}

/* The list of modules cannot be read, so that an unknown address makes the table be read again. */
static void an_unknown_address_renews_the_table(void **state)
{
	(void)state;
	struct world w;
	open_plain(&w);
	seconds(&w, 5);
	scratch_text(kallsyms, with_module);
	assert_string_equal(sym_at(&w, MODULE + 0x10)->name, "mod_one");
	/* the waiting time grows if that does not help */
	int read = 0;
	for (int i = 0; i < 600; i++) {
		uint32_t asked = w.kernel.asked_at;
		assert_int_equal(sym_at(&w, BPF)->state, SYM_UNRESOLVED);
		read += w.kernel.asked_at != asked;
		seconds(&w, 1);
	}
	assert_in_range(read, 2, 10);
	close_world(&w);
}

static void unloaded_code_has_no_name(void **state)
{
	(void)state;
	struct world w;
	scratch_text(kallsyms, "ffffffff81000000 T _text\n"
			       "ffffffffc0800000 t bpf_prog_1_old\t[bpf]\n"
			       "ffffffffc0800100 t bpf_prog_2_old\t[bpf]\n"
			       "ffffffffc0900000 t ftrace_trampoline\t[__builtin__ftrace]\n");
	scratch_text(modules, "");
	open_world(&w, false);
	assert_string_equal(sym_at(&w, BPF + 0x110)->name, "bpf_prog_2_old");
	assert_string_equal(dso_at(&w, BPF + 0x110), "[bpf]");
	assert_string_equal(sym_at(&w, 0xffffffffc0900010)->name, "ftrace_trampoline");
	assert_string_equal(dso_at(&w, 0xffffffffc0900010), "[kernel]");
	ksymbol(&w, BPF + 0x100, 0x80, "bpf_prog_2_old", 1, true);
	assert_int_equal(sym_at(&w, BPF + 0x110)->state, SYM_UNRESOLVED);
	assert_string_equal(sym_at(&w, BPF + 0x10)->name, "bpf_prog_1_old");
	/* the address is reused */
	ksymbol(&w, BPF + 0x100, 0x40, "bpf_prog_3_new", 1, false);
	assert_string_equal(sym_at(&w, BPF + 0x110)->name, "bpf_prog_3_new");
	assert_int_equal(sym_at(&w, BPF + 0x110)->origin, ORIGIN_KSYMBOL);
	/* out-of-line code belongs to the kernel itself */
	ksymbol(&w, 0xffffffffc0a00000, 0x1000, "kprobe_insn_page", 2, false);
	assert_string_equal(sym_at(&w, 0xffffffffc0a00010)->name, "kprobe_insn_page");
	assert_string_equal(dso_at(&w, 0xffffffffc0a00010), "[kernel]");
	ksymbol(&w, 0xffffffffc0a00000, 0x1000, "kprobe_insn_page", 2, true);
	assert_int_equal(sym_at(&w, 0xffffffffc0a00010)->state, SYM_UNRESOLVED);
	/* a newer table has the code that is there now */
	scratch_text(kallsyms, "ffffffff81000000 T _text\n"
			       "ffffffffc0a00000 t mod_here\t[mod]\n");
	scratch_text(modules, "mod 16384 0 - Live 0xffffffffc0a00000\n");
	seconds(&w, 6);
	assert_string_equal(sym_at(&w, 0xffffffffc0a00010)->name, "mod_here");
	close_world(&w);
}

static void modules_apart_from_the_kernel(void **state)
{
	(void)state;
	struct world w;
	scratch_text(kallsyms, with_module);
	scratch_text(modules, "");
	open_world(&w, true);
	/* here the kernel and the modules are in one file, so that the kernel's own names come
	 * first */
	assert_string_equal(sym_at(&w, TEXT + 0x180)->name, "do_one");
	assert_string_equal(sym_at(&w, MODULE + 0x10)->name, "mod_one");
	uint32_t id = kernel_symbol(&w.kernel, TEXT - 0x10, false);
	assert_int_equal(w.names.cat.syms[id].state, SYM_UNRESOLVED);
	assert_string_equal(dso_at(&w, TEXT - 0x10), "[kernel]");
	close_world(&w);
	struct dso_key key = {.path = "[modules]"};
	struct dso_image image = {0};
	assert_int_equal(symbolizer_kallsyms.load(kallsyms, &key, &image), 0);
	assert_int_equal(symtab_count(image.symtab), 1);
	dso_image_deinit(&image);
}

static void the_list_of_modules(void **state)
{
	(void)state;
	struct limit_set limits = {0};
	assert_int_equal(modules_fingerprint("/nowhere/modules", &limits), 0);
	scratch_text(modules, "");
	assert_int_equal(modules_fingerprint(modules, &limits), 0);
	scratch_text(modules, "a 1 0 - Live 0x1\nb 2 0 - Live 0x2\n");
	uint64_t print = modules_fingerprint(modules, &limits);
	assert_int_not_equal(print, 0);
	scratch_text(modules, "a 1 4 b,c Live 0x1\nb 2 0 - Live 0x2 (OE)\n");
	assert_int_equal(modules_fingerprint(modules, &limits), print);
	scratch_text(modules, "a 1 4 b,c Live 0x1\nb 2 0 - Live 0x3\n");
	assert_int_not_equal(modules_fingerprint(modules, &limits), print);
	scratch_text(modules, "a\n\n      \nb 2 0 - Live");
	assert_int_not_equal(modules_fingerprint(modules, &limits), print);
}

static void a_vmlinux_has_to_be_there(void **state)
{
	(void)state;
	struct error err;
	assert_int_equal(vmlinux_check("/nowhere/vmlinux", &err), -ENOENT);
	assert_non_null(strstr(err.text, "--vmlinux"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_that_comes_is_named), cmocka_unit_test(an_unknown_address_renews_the_table),
		cmocka_unit_test(unloaded_code_has_no_name),	cmocka_unit_test(modules_apart_from_the_kernel),
		cmocka_unit_test(the_list_of_modules),		cmocka_unit_test(who_waits_for_a_table_can_stop),
		cmocka_unit_test(a_vmlinux_has_to_be_there),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
