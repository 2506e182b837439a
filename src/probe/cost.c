/* Measures the cost of a probe on empty functions in this file. */

#include "base/alloc.h"
#include "base/sorted.h"
#include "os/clock.h"
#include "os/maps.h"

#include <cyctop/probe.h>
#include <cyctop/source.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS = 1000, WARM_UP = 50 };

/* How the instruction under a probe is executed: emulated by the kernel, or by a single step of the CPU, which takes
 * several times as long in a virtual machine.  The kernel decides which.  So the cost is measured on a function that
 * begins with the same kind of instruction as the probed one. */
enum beginning { BEGINS_EMULATED, BEGINS_ENDBR, BEGINS_NOP, BEGINS_OTHERWISE };

#if defined(__x86_64__)
__asm__(".text\n"
	".type probe_emulated, @function\n"
	"probe_emulated: push %rbp\n\tpop %rbp\n\tret\n"
	".size probe_emulated, . - probe_emulated\n"
	".type probe_endbr, @function\n"
	"probe_endbr: .byte 0xf3, 0x0f, 0x1e, 0xfa\n\tret\n"
	".size probe_endbr, . - probe_endbr\n"
	".type probe_nop, @function\n"
	"probe_nop: nopl 0(%rax, %rax, 1)\n\tret\n"
	".size probe_nop, . - probe_nop\n"
	".type probe_otherwise, @function\n"
	"probe_otherwise: mov %rsp, %rax\n\tret\n"
	".size probe_otherwise, . - probe_otherwise\n");
void probe_emulated(void) __attribute__((visibility("hidden")));
void probe_endbr(void) __attribute__((visibility("hidden")));
void probe_nop(void) __attribute__((visibility("hidden")));
void probe_otherwise(void) __attribute__((visibility("hidden")));

static void (*const own_functions[])(void) = {probe_emulated, probe_endbr, probe_nop, probe_otherwise};

static bool is_push(uint8_t byte)
{
	return byte >= 0x50 && byte <= 0x57;
}

static enum beginning beginning_of(const uint8_t first[static PROBE_BYTES])
{
	static const uint8_t emulated[] = {0x90, 0xe8, 0xe9, 0xeb}; /* nop, call, jmp */
	if (is_push(first[0]) || (first[0] == 0x41 && is_push(first[1])) ||
	    memchr(emulated, first[0], sizeof(emulated)))
		return BEGINS_EMULATED;
	if (memcmp(first, (const uint8_t[]){0xf3, 0x0f, 0x1e}, 3) == 0)
		return BEGINS_ENDBR;
	if (memcmp(first, (const uint8_t[]){0x0f, 0x1f}, 2) == 0)
		return BEGINS_NOP;
	return BEGINS_OTHERWISE;
}
#else
static __attribute__((noinline)) void probe_otherwise(void)
{
	volatile int room = 0; /* makes the compiler allocate stack, so that the function begins as most do */
	(void)room;
}

static void (*const own_functions[])(void) = {probe_otherwise, probe_otherwise, probe_otherwise, probe_otherwise};

static enum beginning beginning_of(const uint8_t first[static PROBE_BYTES])
{
	(void)first;
	return BEGINS_OTHERWISE;
}
#endif

bool probe_costs_alike(const struct probe_function *a, const struct probe_function *b)
{
	return a->kernel == b->kernel && !*a->end.name == !*b->end.name &&
	       beginning_of(a->first) == beginning_of(b->first);
}

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

/* Finds a function on which the cost of the probe can be measured: one of this file, or for kernel functions a short
 * system call. */
static int find_like(const struct probe_function *like, const struct event_world *world, void (**call_ret)(void),
		     struct probe_function *ret, struct error *err)
{
	const struct probe_where where = {.world = world, .returns = true};
	char word[64];
	*call_ret = own_functions[beginning_of(like->first)];
	struct place place = {.address = (uintptr_t)*call_ret};
	if (like->kernel) {
		*call_ret = call_getppid;
		return probe_find(shortest, &where, ret, err);
	}
	if (maps_read((int32_t)getpid(), find_address, &place, NULL) != 1)
		return error_set(err, ENOENT, "the code of cyctop itself is not found in /proc");
	snprintf(word, sizeof(word), "/proc/self/exe:0x%llx", (unsigned long long)place.offset);
	int rc = probe_find(word, &where, ret, err);
	ret->name = like->name; /* `word` ends here, and messages are about what the user named */
	snprintf(ret->begin.name, sizeof(ret->begin.name), "%s", like->begin.name);
	if (*like->end.name)
		snprintf(ret->end.name, sizeof(ret->end.name), "%s", like->end.name);
	return rc;
}

/* ---- measuring the cost of the probe --------------------------------------------------------------------- */

struct calibration {
	double inside[CALLS_QUANTITIES][CALLS],
		between[CALLS_QUANTITIES][CALLS]; /* inside: entry to return; between: return to the next entry */
	size_t inside_n, between_n;
	double now[CALLS_QUANTITIES]; /* sums since the last hit */
	uint64_t before_ns;
};

static void take(void *ctx, const struct calls_hit *hit)
{
	struct calibration *c = ctx;
	for (size_t e = 0; e < CALLS_EVENTS_MAX; e++)
		c->now[CALLS_EVENT + e] += hit->events[e];
	if (hit->kind != CALLS_BEGIN && hit->kind != CALLS_END)
		return;
	bool begins = hit->kind == CALLS_BEGIN;
	size_t *n = begins ? &c->between_n : &c->inside_n;
	c->now[CALLS_TIME] = (double)(hit->time_ns - c->before_ns);
	for (size_t q = 0; q < CALLS_QUANTITIES && c->before_ns && *n < CALLS; q++)
		(begins ? c->between : c->inside)[q][*n] = c->now[q];
	*n += c->before_ns && *n < CALLS;
	memset(c->now, 0, sizeof(c->now));
	c->before_ns = hit->time_ns;
}

static double quantile(const double *sorted, size_t n, double part)
{
	return n ? sorted[(size_t)((double)(n - 1) * part)] : 0;
}

static void conclude(struct calibration *c, uint64_t cpu_ns, struct probe_cost *ret)
{
	*ret = (struct probe_cost){.reading_ns = (double)cpu_ns / CALLS};
	for (size_t q = 0; q < CALLS_QUANTITIES; q++) {
		sort_values(c->inside[q], c->inside_n);
		sort_values(c->between[q], c->between_n);
		ret->cost.inside[q] = quantile(c->inside[q], c->inside_n, 0.5);
		ret->cost.whole[q] = ret->cost.inside[q] + quantile(c->between[q], c->between_n, 0.5);
	}
	const double *times = c->inside[CALLS_TIME];
	ret->spread_ns = (quantile(times, c->inside_n, 0.75) - quantile(times, c->inside_n, 0.25)) / 2;
}

static int measure(const struct probes_config *config, void (*call)(void), struct probe_cost *ret, struct error *err)
{
	struct probes *p;
	int rc = probes_open(config, &p, err);
	if (rc < 0)
		return rc;
	struct calibration *c = mem_calloc(1, sizeof(*c));
	rc = probes_start(p, err);
	for (int i = 0; rc == 0 && i < CALLS + WARM_UP; i++)
		call();
	probes_stop(p);
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	probes_drain(p, take, c);
	cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	probes_close(p);
	if (rc == 0 && !c->between_n)
		rc = error_set(err, ENODATA, "what a probe takes could not be measured: no probe was hit");
	if (rc == 0)
		conclude(c, cpu_ns, ret);
	free(c);
	return rc;
}

int probe_cost(const struct probe_function *like, const struct event_spec *events, size_t events_n,
	       const struct event_world *world, struct probe_cost *ret, struct error *err)
{
	struct probe_function own = {.fd = -1};
	const uint32_t self = (uint32_t)getpid();
	void (*call)(void) = NULL;
	int rc = find_like(like, world, &call, &own, err);
	const struct event_spec none = {.name = ""};
	struct probe_cost begins = {.spread_ns = 0};
	struct probes_config config = {.begins = &own.begin,
				       .ends = &none,
				       .n = 1,
				       .events = events,
				       .events_n = events_n,
				       .pids = &self,
				       .pids_n = 1};
	if (rc == 0)
		rc = measure(&config, call, &begins, err);
	*ret = begins;
	config.ends = &own.end;
	if (rc == 0 && *like->end.name)
		rc = measure(&config, call, ret, err);
	memcpy(ret->cost.begin, begins.cost.whole, sizeof(ret->cost.begin));
	if (own.fd >= 0)
		close(own.fd);
	return rc;
}
