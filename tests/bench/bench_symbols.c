/* Speed of symbol lookups:
 *   bench_symbols [ELF-FILE]
 * Loads the symbols of the kernel and of the file; looks up addresses in the kernel's table; and
 * looks up addresses of the kernel and of this program in the whole resolver (task, mapping, file,
 * symbol), for 64 tasks that map the program at different addresses.  Cold: all addresses in
 * random order; warm: the same thousand addresses repeatedly.  Prints "KEY VALUE" lines. */
#include <cyctop/abi.h>
#include <cyctop/resolve.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { LOOKUPS = 2000000, WARM = 1000, TASKS = 64, AT_ONCE = 250, KERNEL_SPAN = 12000000 };

static double cpu_seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint64_t any(uint64_t *state, uint64_t span)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 20) % span;
}

/* Millions of lookups per second in random order among the first `n` addresses. */
static double rate(const struct symtab *t, const uint64_t *addr, size_t n)
{
	struct symtab_hit hit;
	size_t found = 0;
	double begin = cpu_seconds();
	for (size_t i = 0; i < LOOKUPS; i++)
		found += symtab_find(t, addr[i % n], &hit);
	double took = cpu_seconds() - begin;
	return found ? LOOKUPS / took / 1e6 : 0;
}

static void measure(const char *what, const struct symbolizer *s, const char *path, uint64_t low, uint64_t span)
{
	struct dso_key key = {.path = path, .pid = -1};
	struct dso_image image = {0};
	double begin = cpu_seconds();
	if (s->load(s->ctx, &key, &image) != 0) {
		fprintf(stderr, "%s: %s\n", what, image.why);
		return;
	}
	printf("%s_s %.4f\n", what, cpu_seconds() - begin);
	size_t n = symtab_count(image.symtab), bytes = symtab_bytes(image.symtab);
	printf("%s_symbols %zu\n%s_kb %zu\n%s_bytes %.1f\n", what, n, what, bytes / 1024, what,
	       n ? (double)bytes / (double)n : 0);
	if (span) {
		uint64_t *addr = calloc(LOOKUPS, sizeof(*addr)), x = 1;
		if (!addr)
			abort();
		for (size_t i = 0; i < LOOKUPS; i++)
			addr[i] = low + any(&x, span);
		printf("table_cold %.2f\ntable_warm %.2f\n", rate(image.symtab, addr, LOOKUPS),
		       rate(image.symtab, addr, WARM));
		free(addr);
	}
	symtab_destroy(image.symtab);
	free(image.segments);
	free(image.file);
}

/* ---- the whole resolver ---------------------------------------------------------- */

struct program {
	char path[4096];
	struct stat st;
	Elf64_Phdr text;
};

/* Finds this program's file, and its segment with code. */
static bool look_at_self(struct program *p)
{
	ssize_t n = readlink("/proc/self/exe", p->path, sizeof(p->path) - 1);
	int fd = n > 0 ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
	Elf64_Ehdr head;
	if (fd < 0 || fstat(fd, &p->st) != 0 || read(fd, &head, sizeof(head)) != sizeof(head) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (int i = 0; i < head.e_phnum && !(p->text.p_flags & PF_X); i++)
		if (pread(fd, &p->text, sizeof(p->text), (off_t)(head.e_phoff + (size_t)i * sizeof(p->text))) < 0)
			break;
	close(fd);
	return p->text.p_flags & PF_X;
}

static uint64_t base_of(unsigned t)
{
	return 0x100000000u * (t + 1);
}

static void begin_tasks(struct resolver *r, const struct program *p, uint32_t *tasks)
{
	for (unsigned t = 0; t < TASKS; t++) {
		struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
		rec.u.mmap = (struct record_mmap){
			.pid = 1000 + t,
			.tid = 1000 + t,
			.start = base_of(t),
			.len = p->text.p_filesz,
			.pgoff = p->text.p_offset,
			.prot = 5,
			.filename = p->path,
			.maj = major(p->st.st_dev),
			.min = minor(p->st.st_dev),
			.ino = p->st.st_ino,
		};
		resolver_apply(r, &rec);
		tasks[t] = resolver_task(r, 1000 + t, 1000 + t, 1);
	}
}

/* Millions of lookups per second among the first `n` addresses, in batches as large as those of
 * a drain. */
static double resolve_rate(struct resolver *r, const struct resolver_lookup *all, size_t n, double *named_ret)
{
	struct resolver_lookup some[AT_ONCE];
	size_t named = 0;
	double took = 0;
	for (size_t i = 0; i < LOOKUPS; i += AT_ONCE) {
		memcpy(some, all + i % n, sizeof(some));
		double begin = cpu_seconds();
		resolver_symbols(r, some, AT_ONCE);
		took += cpu_seconds() - begin;
		const struct catalog *cat = resolver_catalog(r);
		for (size_t k = 0; k < AT_ONCE; k++)
			named += cat->syms[some[k].sym].state == SYM_NAMED;
	}
	*named_ret = (double)named / LOOKUPS;
	return LOOKUPS / took / 1e6;
}

static void measure_resolver(uint64_t kernel, uint64_t span)
{
	const struct symbolizer chain[] = {symbolizer_kallsyms, symbolizer_elf};
	struct resolver_config config = {.chain = chain, .chain_n = 2, .proc = proc_none};
	struct program self = {0};
	struct resolver *r;
	struct error err;
	uint32_t tasks[TASKS];
	if (!kernel || !look_at_self(&self) || resolver_create(&config, &r, &err) != 0)
		return;
	struct resolver_lookup *all = calloc(LOOKUPS, sizeof(*all));
	if (!all)
		abort();
	begin_tasks(r, &self, tasks);
	uint64_t x = 1;
	for (size_t i = 0; i < LOOKUPS; i++) {
		unsigned t = (unsigned)any(&x, TASKS);
		bool user = any(&x, 2);
		all[i] = (struct resolver_lookup){
			.task = tasks[t],
			.misc = user ? MISC_USER : MISC_KERNEL,
			.ip = user ? base_of(t) + any(&x, self.text.p_filesz) : kernel + any(&x, span),
		};
	}
	double named, cold;
	resolve_rate(r, all, WARM, &named); /* the first run reads the symbol tables */
	cold = resolve_rate(r, all, LOOKUPS, &named);
	printf("resolver_cold %.2f\nresolver_named %.3f\nresolver_warm %.2f\n", cold, named,
	       resolve_rate(r, all, WARM, &named));
	free(all);
	resolver_destroy(r);
}

int main(int argc, char **argv)
{
	unsigned long long text = 0;
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512];
	while (f && !text && fgets(line, sizeof(line), f))
		if (strstr(line, " _text\n"))
			text = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	measure("kallsyms", &symbolizer_kallsyms, "[kernel]", text, KERNEL_SPAN);
	measure_resolver(text, KERNEL_SPAN);
	if (argc > 1)
		measure("file", &symbolizer_elf, argv[1], 0, 0);
	return 0;
}
