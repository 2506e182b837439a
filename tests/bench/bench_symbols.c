/* What names cost: bench_symbols [ELF-FILE]
 * Loads the kernel's symbols and the file's, and looks addresses up in the kernel's text:
 * all over it (cold), and the same thousand again and again (warm). */
#include <cyctop/resolve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOKUPS = 2000000, WARM = 1000 };

static double cpu_seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Million lookups a second among `n` of the addresses. */
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
		printf("%s: %s\n", what, image.why);
		return;
	}
	double took = cpu_seconds() - begin;
	uint64_t *addr = calloc(LOOKUPS, sizeof(*addr)), x = 1;
	if (!addr)
		abort();
	for (size_t i = 0; i < LOOKUPS; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		addr[i] = low + (x >> 20) % (span ? span : 1);
	}
	size_t n = symtab_count(image.symtab), bytes = symtab_bytes(image.symtab);
	printf("%-10s %9zu symbols in %.3f s, %.1f MB, %.0f bytes each\n", what, n, took, (double)bytes / 1e6,
	       n ? (double)bytes / (double)n : 0);
	if (span)
		printf("%-10s million lookups a second: %.1f cold, %.1f warm\n", "", rate(image.symtab, addr, LOOKUPS),
		       rate(image.symtab, addr, WARM));
	free(addr);
	symtab_destroy(image.symtab);
	free(image.segments);
	free(image.file);
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
	measure("kallsyms", &symbolizer_kallsyms, "[kernel]", text, 12000000);
	if (argc > 1)
		measure("file", &symbolizer_elf, argv[1], 0, 0);
	return 0;
}
