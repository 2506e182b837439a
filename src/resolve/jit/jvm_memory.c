#include "resolve/jit/jvm_memory.h"

#include "os/clock.h"
#include "os/maps.h"
#include "resolve/elf/image.h"
#include "resolve/elf/live_file.h"
#include "resolve/jit/hotspot.h"
#include "resolve/jit/jvm_budget.h"

#include <cyctop/runtime.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	SYMBOLS = 64, /* maximum symbols to keep; the tables need fewer */
	PAGE = 4096,
	PAGES = 512,  /* cached pages; page i is at i % PAGES */
	CHECKED = 64, /* calls of copy() between two checks of the clock */
	AT_ONCE = 256 /* maximum pieces per process_vm_readv() */
};
static const uint64_t ms = 1000000;
/* Limits of the loader thread's CPU time for one JVM: for one reading, and per minute. */
static const uint64_t reading_ns = 500 * ms, minutely_ns = 40 * ms;
/* Time between two readings: soon_ns while some code has no name; later_ns otherwise, because new code may replace
 * known code at its address. */
static const uint64_t soon_ns = 800 * ms, later_ns = 10000 * ms;

struct jvm_memory {
	int32_t pid;
	bool is_jvm, is_refused; /* the process maps a libjvm.so; the kernel refused to read its memory */
	struct hotspot *hotspot;
	size_t symbols_n;
	struct {
		char *name;
		uint64_t address;
	} symbols[SYMBOLS];
	struct jvm_spent spent; /* CPU time that reading this JVM took, as of the last reading; at_ns 0: not read yet */
};

/* ---- finding libjvm.so ----------------------------------------------------------------- */

static void take_symbol(void *ctx, const char *name, uint64_t address)
{
	struct jvm_memory *j = ctx;
	if (strncmp(name, "gHotSpotVM", 10) != 0 || j->symbols_n == SYMBOLS)
		return;
	j->symbols[j->symbols_n].name = mem_strdup(name);
	j->symbols[j->symbols_n++].address = address;
}

static int take_library(void *ctx, const struct proc_map *map)
{
	struct jvm_memory *j = ctx;
	struct dso_key key = {.path = map->path, .pid = j->pid, .maj = map->maj, .min = map->min, .ino = map->ino};
	struct dso_image why = {0};
	struct live_file f;
	if (runtime_library(RUNTIME_JVM, map->path) != LIBRARY_RUNTIME)
		return 0;
	j->is_jvm = true;
	int rc = live_file_open(&key, &f, &why);
	dso_image_deinit(&why);
	if (rc < 0)
		return rc;
	(void)elf_exported(f.fd, map->offset, map->start, NULL, take_symbol, j);
	close(f.fd);
	return 1;
}

struct jvm_memory *jvm_memory_find(int32_t pid, char why[JVM_WHY])
{
	struct jvm_memory *j = mem_calloc(1, sizeof(*j));
	j->pid = pid;
	j->hotspot = hotspot_create();
	why[0] = '\0';
	int rc = maps_read(pid, take_library, j, NULL);
	if (rc == 1 && j->symbols_n)
		return j;
	if (j->is_jvm)
		snprintf(why, JVM_WHY,
			 rc < 0 ? "and the libjvm.so of the JVM (pid %d) cannot be opened"
				: "and the libjvm.so of the JVM (pid %d) has no tables that tell its methods",
			 pid);
	jvm_memory_free(j);
	return NULL;
}

void jvm_memory_why(const struct jvm_memory *j, char why[JVM_WHY])
{
	if (j->is_refused)
		snprintf(why, JVM_WHY, "and the kernel does not let cyctop read the memory of the JVM (pid %d)",
			 j->pid);
	else
		snprintf(why, JVM_WHY,
			 hotspot_knows_tables(j->hotspot)
				 ? "and no code with a name was found in the memory of the JVM (pid %d)"
				 : "and the tables of the JVM (pid %d) are not of a version that is known",
			 j->pid);
}

void jvm_memory_free(struct jvm_memory *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->symbols_n; i++)
		free(j->symbols[i].name);
	hotspot_destroy(j->hotspot);
	free(j);
}

size_t jvm_memory_bytes(const struct jvm_memory *j)
{
	return j ? hotspot_bytes(j->hotspot) : 0;
}

void jvm_memory_forget(struct jvm_memory *j)
{
	hotspot_forget(j->hotspot);
}

/* ---- reading memory --------------------------------------------------------------------- */

/* A cache of the process's pages, which lives for one reading. */
struct pages {
	struct jvm_memory *jvm;
	uint64_t until_ns; /* CLOCK_THREAD_CPUTIME_ID at which reading stops */
	unsigned calls;
	bool over;
	uint64_t number[PAGES]; /* page number in each slot; 0: empty, since no process maps page 0 */
	uint8_t page[PAGES][PAGE];
	uint8_t copied[64 * PAGE];
};

/* Copies pieces of the process's memory, `n` bytes in all, up to the first unreadable piece. Returns how many bytes
 * were copied. */
static size_t copy(struct pages *m, const struct iovec *from, size_t count, void *buf, size_t n)
{
	struct iovec to = {buf, n};
	if (m->calls++ % CHECKED == 0)
		m->over = clock_ns(CLOCK_THREAD_CPUTIME_ID) >= m->until_ns;
	ssize_t got = m->over ? -1 : process_vm_readv(m->jvm->pid, &to, 1, from, count, 0);
	m->jvm->is_refused |= got < 0 && !m->over && errno == EPERM;
	return got > 0 ? (size_t)got : 0;
}

static struct iovec remote(uint64_t address, size_t n)
{
	return (struct iovec){(void *)(uintptr_t)address, n};
}

/* Joins the first addresses (n bytes each) into one piece of memory, as long as they ascend and are less than PAGE from
 * the first address. Returns how many are joined. Copying a few large pieces is faster than many small ones: the kernel
 * takes longer to find a page than to copy it. */
static size_t gather(const uint64_t *addresses, size_t count, size_t n, struct iovec *ret)
{
	uint64_t from = addresses[0];
	size_t i = 1;
	while (i < count && addresses[i] > addresses[i - 1] && addresses[i] - from < PAGE)
		i++;
	*ret = remote(from, addresses[i - 1] - from + n);
	return i;
}

/* The pieces of memory for one process_vm_readv(). */
struct gathering {
	struct iovec from[AT_ONCE];
	size_t addresses[AT_ONCE]; /* number of addresses in each piece */
	size_t n, bytes;
};

/* Distributes the copied pieces (`got` bytes) to the addresses.  Returns how many addresses are done: those of copied
 * pieces, and of the first piece that is unreadable. */
static size_t scatter(const struct gathering *g, const uint8_t *copied, size_t got, const uint64_t *addresses, size_t n,
		      uint8_t *buf, bool *ok_ret)
{
	size_t at = 0, done = 0;
	bool whole = true;
	for (size_t i = 0; i < g->n && whole; i++) {
		whole = got - at >= g->from[i].iov_len;
		for (size_t k = done; whole && k < done + g->addresses[i]; k++) {
			memcpy(buf + k * n, copied + at + (addresses[k] - addresses[done]), n);
			ok_ret[k] = true;
		}
		done += g->addresses[i];
		at += g->from[i].iov_len;
	}
	return done;
}

static void read_each(void *ctx, const uint64_t *addresses, size_t count, void *buf, size_t n, bool *ok_ret)
{
	struct pages *m = ctx;
	uint8_t *to = buf;
	memset(ok_ret, 0, count * sizeof(*ok_ret));
	while (count && n <= PAGE) {
		struct gathering g;
		g.n = g.bytes = 0;
		for (size_t i = 0; i < count && g.n < AT_ONCE && g.bytes + 2 * PAGE <= sizeof(m->copied); g.n++) {
			g.addresses[g.n] = gather(addresses + i, count - i, n, &g.from[g.n]);
			g.bytes += g.from[g.n].iov_len;
			i += g.addresses[g.n];
		}
		size_t got = copy(m, g.from, g.n, m->copied, g.bytes);
		size_t done = scatter(&g, m->copied, got, addresses, n, to, ok_ret);
		addresses += done;
		count -= done;
		to += done * n;
		ok_ret += done;
	}
}

/* Returns the contents of a page by its number; NULL: it is unreadable. */
static const uint8_t *page_of(struct pages *m, uint64_t number)
{
	size_t at = number % PAGES;
	if (!number || number > UINTPTR_MAX / PAGE)
		return NULL;
	if (m->number[at] != number) {
		struct iovec from = remote(number * PAGE, PAGE);
		m->number[at] = copy(m, &from, 1, m->page[at], PAGE) == PAGE ? number : 0;
	}
	return m->number[at] ? m->page[at] : NULL;
}

static bool read_memory(void *ctx, uint64_t address, void *buf, size_t n)
{
	struct pages *m = ctx;
	uint8_t *to = buf;
	if (n > PAGE) {
		struct iovec from = remote(address, n);
		return copy(m, &from, 1, buf, n) == n;
	}
	while (n) {
		size_t at = address % PAGE, take = n < PAGE - at ? n : PAGE - at;
		const uint8_t *page = page_of(m, address / PAGE);
		if (!page)
			return false;
		memcpy(to, page + at, take);
		to += take;
		address += take;
		n -= take;
	}
	return true;
}

static uint64_t symbol(void *ctx, const char *name)
{
	const struct pages *m = ctx;
	for (size_t i = 0; i < m->jvm->symbols_n; i++)
		if (strcmp(m->jvm->symbols[i].name, name) == 0)
			return m->jvm->symbols[i].address;
	return 0;
}

/* ---- making a reading -------------------------------------------------------------------- */

bool jvm_memory_is_due(const struct jvm_memory *j, bool lacks)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	return !j->spent.at_ns || (now_ns - j->spent.at_ns >= (lacks ? soon_ns : later_ns) &&
				   jvm_spent_at(&j->spent, minutely_ns, now_ns) < minutely_ns);
}

enum jit_look jvm_memory_read(struct jvm_memory *j, bool (*alive)(void *ctx), void *alive_ctx, jit_code_fn *add,
			      void *ctx, struct limit_set *reached)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct pages *m = mem_calloc(1, sizeof(*m));
	struct hotspot_process p = {.read = read_memory, .read_each = read_each, .symbol = symbol, .ctx = m};
	m->jvm = j;
	m->until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + reading_ns;
	/* alive() is called before and after reading, because the pid may be reused meanwhile */
	enum jit_look look = alive(alive_ctx) ? hotspot_read(j->hotspot, &p, add, ctx, reached) : JIT_LOOK_FAILED;
	free(m);
	j->spent = (struct jvm_spent){jvm_spent_at(&j->spent, minutely_ns, now_ns), now_ns};
	return alive(alive_ctx) ? look : JIT_LOOK_FAILED;
}

void jvm_memory_charge(struct jvm_memory *j, uint64_t cpu_ns)
{
	j->spent.ns += cpu_ns;
}
