/* Makes records of the kernel's mapping, and of code that the kernel generated before the recording: BPF programs,
 * their trampolines, and out-of-line code of kprobes and ftrace.  /proc/kallsyms has the addresses and names of this
 * code; only bpf(2) has the lengths of BPF programs.  /proc/kallsyms is read only once, because the kernel takes a
 * tenth of a second to generate it. */
#include "recorder/describe.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	KSYMBOL_BPF = 1,
	KSYMBOL_OOL = 2,
	PROGRAMS_MAX = 65536,
	FUNCTIONS_MAX = 4096, /* limit on the functions of one program */
	PAGE = 4096,
};

struct code {
	uint64_t addr;
	uint32_t len; /* length in bytes; 0: unknown */
	uint16_t type;
	char *name;
};

struct codes {
	struct code *data;
	size_t n, cap;
};

/* ---- reading the lengths of BPF programs --------------------------------------------- */

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	long r = syscall(SYS_bpf, cmd, attr, sizeof(*attr));
	return r < 0 ? -errno : (int)r;
}

static int program_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* Adds the functions of a BPF program with their addresses, which are 0 if cyctop lacks privileges, and lengths. */
static void add_functions(int fd, struct codes *ret)
{
	struct bpf_prog_info info;
	memset(&info, 0, sizeof(info));
	if (program_info(fd, &info) < 0 || !info.nr_jited_ksyms || info.nr_jited_ksyms > FUNCTIONS_MAX)
		return;
	uint32_t n = info.nr_jited_ksyms;
	uint64_t *addrs = mem_calloc(n, sizeof(*addrs));
	uint32_t *lens = mem_calloc(n, sizeof(*lens));
	memset(&info, 0, sizeof(info));
	info.nr_jited_ksyms = info.nr_jited_func_lens = n;
	info.jited_ksyms = (uintptr_t)addrs;
	info.jited_func_lens = (uintptr_t)lens;
	if (program_info(fd, &info) == 0 && info.nr_jited_ksyms == n && info.nr_jited_func_lens == n)
		for (uint32_t i = 0; i < n; i++)
			vec_push(ret) = (struct code){.addr = addrs[i], .len = lens[i]};
	free(addrs);
	free(lens);
}

static void add_lengths(struct codes *ret)
{
	uint32_t id = 0;
	for (int i = 0; i < PROGRAMS_MAX; i++) {
		union bpf_attr attr;
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			return; /* no more programs, or cyctop lacks the privilege */
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		int fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue; /* the program was unloaded meanwhile */
		add_functions(fd, ret);
		close(fd);
	}
}

/* ---- reading addresses and names from kallsyms ---------------------------------------- */

/* Addresses of the kernel's own code and data: where they begin and end; 0: not found, or hidden. */
struct kernel_ends {
	uint64_t text, stext, etext, edata;
};

/* Sets the address of struct kernel_ends whose symbol a line of kallsyms has, if any: "ffffffff81000000 T _text". */
static void take_end(struct kernel_ends *ends, const char *line)
{
	char *name;
	uint64_t addr = strtoull(line, &name, 16);
	if (name[0] != ' ' || !name[1] || name[2] != ' ')
		return;
	name += 3;
	if (strcmp(name, "_text") == 0)
		ends->text = addr;
	else if (strcmp(name, "_stext") == 0)
		ends->stext = addr;
	else if (strcmp(name, "_etext") == 0)
		ends->etext = addr;
	else if (strcmp(name, "_edata") == 0)
		ends->edata = addr;
}

/* Adds generated code from its line in kallsyms: "ffffffffc0201000 t bpf_prog_3c49b9875dae6714_name\t[bpf]" */
static void take_code(struct codes *ret, const char *line, const char *module)
{
	static const struct {
		const char *module;
		uint16_t type;
	} made[] = {
		{"[bpf]", KSYMBOL_BPF}, {"[__builtin__kprobes]", KSYMBOL_OOL}, {"[__builtin__ftrace]", KSYMBOL_OOL}};
	char *end;
	errno = 0;
	uint64_t addr = strtoull(line, &end, 16);
	if (errno || !addr || end[0] != ' ' || !end[1] || end[2] != ' ' || module <= end + 3)
		return;
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		if (strcmp(module + 1, made[i].module) != 0)
			continue;
		size_t n = (size_t)(module - end) - 3;
		char *name = mem_calloc(n + 1, 1);
		memcpy(name, end + 3, n);
		vec_push(ret) = (struct code){.addr = addr, .type = made[i].type, .name = name};
	}
}

static void read_kallsyms(const char *kallsyms, struct kernel_ends *ends, struct codes *ret)
{
	FILE *f = fopen(kallsyms, "re");
	char *line = NULL;
	size_t cap = 0;
	while (f && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		const char *module = strchr(line, '\t');
		if (module)
			take_code(ret, line, module);
		else
			take_end(ends, line);
	}
	free(line);
	if (f)
		fclose(f);
}

/* ---- joining lengths and names --------------------------------------------------------- */

static void sort(struct codes *codes)
{
	sort_by_number(codes->data, codes->n, sizeof(*codes->data), offsetof(struct code, addr));
}

/* Returns a length for code of unknown length: it is assumed to reach to the next code, or to the end of its page. */
static uint32_t reach(const struct codes *names, size_t i)
{
	uint64_t addr = names->data[i].addr, end = (addr | (PAGE - 1)) + 1;
	if (i + 1 < names->n && names->data[i + 1].addr < end)
		end = names->data[i + 1].addr;
	return (uint32_t)(end - addr);
}

static void codes_free(struct codes *codes)
{
	for (size_t i = 0; i < codes->n; i++)
		free(codes->data[i].name);
	free(codes->data);
}

/* Writes the kernel's mapping.  From it perf computes how far KASLR moved the kernel: the mapping's name ends with a
 * symbol, and its file offset is the symbol's address.  Writes nothing if the kernel hides its addresses. */
static int put_kernel(const struct kernel_ends *ends, put_record_fn *put, void *ctx)
{
	uint64_t start = ends->text ? ends->text : ends->stext;
	uint64_t end = ends->edata > start ? ends->edata : ends->etext;
	struct record rec = {
		.type = RECORD_MMAP,
		.misc = MISC_KERNEL,
		.id = {.pid = UINT32_MAX},
		.u.mmap = {.pid = UINT32_MAX,
			   .start = start,
			   .len = end > start ? end - start : UINT64_MAX - start,
			   .pgoff = start,
			   .filename = ends->text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext"},
	};
	return start ? put(ctx, &rec) : 0;
}

int describe_kernel(const char *kallsyms, put_record_fn *put, void *ctx)
{
	struct codes names = {0}, lengths = {0};
	struct kernel_ends ends = {0};
	read_kallsyms(kallsyms, &ends, &names);
	int rc = put_kernel(&ends, put, ctx);
	if (names.n)
		add_lengths(&lengths);
	sort(&names);
	sort(&lengths);
	for (size_t i = 0; i < names.n && !rc; i++) {
		const struct code *c = &names.data[i];
		const struct code *known =
			sorted_find(lengths.data, lengths.n, sizeof(*c), offsetof(struct code, addr), c->addr);
		struct record rec = {
			.type = RECORD_KSYMBOL,
			.misc = MISC_KERNEL,
			.id = {.pid = UINT32_MAX},
			.u.ksymbol = {.addr = c->addr,
				      .len = known && known->len ? known->len : reach(&names, i),
				      .ksym_type = c->type,
				      .name = c->name},
		};
		if (rec.u.ksymbol.len)
			rc = put(ctx, &rec);
	}
	codes_free(&names);
	codes_free(&lengths);
	return rc;
}
