/* Measures what a probe takes, by functions of our own that do nothing. */
#include "app/probe.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/maps.h"

#include <cyctop/source.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS = 1000, WARM_UP = 50 };

/* The instruction under a probe is carried out elsewhere: pushes and no-operations by the kernel itself, others by a
 * single step of the CPU, which takes as long again. */
#if defined(__x86_64__)
__asm__(".text\n"
	".type probe_emulated, @function\n"
	"probe_emulated: push %rbp\n\tpop %rbp\n\tret\n"
	".size probe_emulated, . - probe_emulated\n"
	".type probe_stepped, @function\n"
	"probe_stepped: mov %rsp, %rax\n\tret\n"
	".size probe_stepped, . - probe_stepped\n");
void probe_emulated(void) __attribute__((visibility("hidden")));
void probe_stepped(void) __attribute__((visibility("hidden")));

static bool is_emulated(uint8_t first)
{
	return (first >= 0x50 && first <= 0x57) || first == 0x90 || first == 0xe8 || first == 0xe9 || first == 0xeb;
}
#else
static void probe_emulated(void)
{
	__asm__ volatile("");
}

static void probe_stepped(void)
{
}

static bool is_emulated(uint8_t first)
{
	(void)first;
	return true;
}
#endif

#if defined(__x86_64__)
static const char shortest[] = "kernel:__x64_sys_getppid";
#elif defined(__aarch64__)
static const char shortest[] = "kernel:__arm64_sys_getppid";
#elif defined(__riscv)
static const char shortest[] = "kernel:__riscv_sys_getppid";
#else
static const char shortest[] = "kernel:sys_getppid";
#endif

static void call_getppid(void)
{
	(void)!syscall(SYS_getppid);
}

/* ---- placing the probe --------------------------------------------------------------------------------- */

struct place {
	uint64_t address, offset;
};

static int find_address(void *ctx, const struct proc_map *map)
{
	struct place *place = ctx;
	if (place->address < map->start || place->address >= map->end)
		return 0;
	place->offset = place->address - map->start + map->offset;
	return 1;
}

/* Finds something like the function: one of our own, or for the kernel the shortest system call. */
static int find_like(const struct probe_function *like, void (**call_ret)(void), struct probe_function *ret,
		     struct error *err)
{
	char word[64];
	*call_ret = is_emulated(like->first) ? probe_emulated : probe_stepped;
	struct place place = {.address = (uintptr_t)*call_ret};
	if (like->kernel) {
		*call_ret = call_getppid;
		return probe_find(shortest, 0, ret, err);
	}
	if (maps_read((int32_t)getpid(), find_address, &place, NULL) != 1)
		return error_set(err, ENOENT, "the code of cyctop itself is not found in /proc");
	snprintf(word, sizeof(word), "/proc/self/exe:0x%llx", (unsigned long long)place.offset);
	return probe_find(word, 0, ret, err);
}

/* ---- measuring ------------------------------------------------------------------------------------------- */

struct calibration {
	double inside[CALLS], whole[CALLS]; /* whole: from one beginning to the next */
	size_t inside_n, whole_n;
	uint64_t began_ns;
};

static void take(void *ctx, const struct calls_hit *hit)
{
	struct calibration *m = ctx;
	if (hit->kind == CALLS_BEGIN) {
		if (m->began_ns && m->whole_n < CALLS)
			m->whole[m->whole_n++] = (double)(hit->time_ns - m->began_ns);
		m->began_ns = hit->time_ns;
	} else if (hit->kind == CALLS_END && m->began_ns && m->inside_n < CALLS) {
		m->inside[m->inside_n++] = (double)(hit->time_ns - m->began_ns);
	}
}

static int compare(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;
	return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double part)
{
	return n ? sorted[(size_t)((double)(n - 1) * part)] : 0;
}

static void conclude(struct calibration *m, bool ends, uint64_t cpu_ns, struct probe_cost *ret)
{
	qsort(m->inside, m->inside_n, sizeof(m->inside[0]), compare);
	qsort(m->whole, m->whole_n, sizeof(m->whole[0]), compare);
	*ret = (struct probe_cost){.reading_ns = (double)cpu_ns / CALLS};
	ret->cost.whole_ns = quantile(m->whole, m->whole_n, 0.5);
	if (!ends)
		return;
	ret->cost.inside_ns = quantile(m->inside, m->inside_n, 0.5);
	ret->spread_ns = (quantile(m->inside, m->inside_n, 0.75) - quantile(m->inside, m->inside_n, 0.25)) / 2;
}

static int measure(const struct probes_config *config, void (*call)(void), struct probe_cost *ret, struct error *err)
{
	struct probes *p;
	struct calibration *m = mem_calloc(1, sizeof(*m));
	int rc = probes_open(config, &p, err);
	if (rc < 0) {
		free(m);
		return rc;
	}
	rc = probes_start(p, err);
	for (int i = 0; rc == 0 && i < CALLS + WARM_UP; i++)
		call();
	probes_stop(p);
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	probes_drain(p, take, m);
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	probes_close(p);
	if (rc == 0 && !m->whole_n)
		rc = error_set(err, ENODATA, "what a probe takes could not be measured: no probe was hit");
	if (rc == 0)
		conclude(m, *config->ends[0].name, cpu_ns, ret);
	free(m);
	return rc;
}

int probe_cost(const struct probe_function *like, const struct event_spec *events, size_t events_n,
	       struct probe_cost *ret, struct error *err)
{
	struct probe_function own = {.fd = -1};
	const uint32_t self = (uint32_t)getpid();
	void (*call)(void) = NULL;
	int rc = find_like(like, &call, &own, err);
	if (!*like->end.name)
		own.end.name[0] = '\0';
	const struct probes_config config = {.begins = &own.begin,
					     .ends = &own.end,
					     .n = 1,
					     .events = events,
					     .events_n = events_n,
					     .pids = &self,
					     .pids_n = 1};
	if (rc == 0)
		rc = measure(&config, call, ret, err);
	if (own.fd >= 0)
		close(own.fd);
	return rc;
}
