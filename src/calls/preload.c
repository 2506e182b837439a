/* libcyctop-calls.so: preloaded into programs built with -finstrument-functions, counts each call of each function.
 *
 * A call takes no lock.  Memory comes from the shared file alone, by an atomic addition, when a thread or a function is
 * seen for the first time.  A signal handler that interrupts the library within the few instructions that change its
 * tables is not counted (calls_thread.interrupted).  Nothing here ends the program: what cannot be counted is reported
 * in the file. */
#include "calls/shared.h"
#include "selfcount/selfcount.h"

#include <cyctop/calls.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* EACH_CALL: code that runs in each call is inlined, which saves a tenth of a call's cost.  SELDOM: rare code stays out
 * of line. */
#define EACH_CALL NOT_COUNTED static inline __attribute__((always_inline))
#define SELDOM __attribute__((noinline))

enum { DEPTH_MAX = 100000, FIRST_ROWS = 256 };

struct frame {
	uint64_t function;
	uintptr_t stack; /* stack pointer in the function; it is lower than in the caller */
	struct calls_function *row;
	uint64_t below; /* calls that the function has made so far, directly or indirectly */
	struct calls_sums begin, children;
};

/* The state of a thread; all zero when the thread starts. */
struct state {
	struct calls_thread *shared;
	struct frame *frames; /* [DEPTH_MAX], from mmap() */
	size_t depth, beyond; /* beyond: number of open calls without a frame */
	volatile int busy;
	int failed;
	struct selfcount counters;
	uint64_t enabled, running; /* times of the events at the last reading, ns */
};

/* The state of the process. */
static struct {
	uint8_t *base; /* memory of the shared file; NULL: nothing is counted */
	struct calls_head *head;
	uint32_t ticks; /* copy of head->ticks; 1: times are in ticks of the hardware's clock; 0: in ns */
	pid_t pid;
	pthread_key_t key;
	int cost_known; /* set by the first thread; several threads may measure at once, with the same result */
	struct calls_sums cost_inside, cost_whole; /* cost of CALLS_COST_CALLS calls */
	struct calls_sums inside, whole;	   /* cost of one call, rounded */
} process;

static __thread struct state own __attribute__((tls_model("initial-exec")));

/* ---- searching and growing the tables of a thread ---------------------------------------------------- */

EACH_CALL uint64_t spread(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b << 17 | b >> 47)) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

EACH_CALL struct calls_function *functions(const struct calls_thread *t)
{
	return (struct calls_function *)(process.base + t->functions_at);
}

EACH_CALL struct calls_arc *arcs(const struct calls_thread *t)
{
	return (struct calls_arc *)(process.base + t->arcs_at);
}

EACH_CALL struct calls_function *function_place(struct calls_function *rows, uint32_t n, uint64_t address)
{
	uint32_t i = (uint32_t)spread(address, 0) & (n - 1);
	while (rows[i].address && rows[i].address != address)
		i = (i + 1) & (n - 1);
	return &rows[i];
}

EACH_CALL struct calls_arc *arc_place(struct calls_arc *rows, uint32_t n, uint64_t caller, uint64_t callee)
{
	uint32_t i = (uint32_t)spread(caller, callee) & (n - 1);
	while (rows[i].caller && (rows[i].caller != caller || rows[i].callee != callee))
		i = (i + 1) & (n - 1);
	return &rows[i];
}

/* Doubles the table of functions, and moves the `row` of open calls to it.  Returns 0 if there is no room, else 1. */
NOT_COUNTED static int grow_functions(struct state *s)
{
	struct calls_thread *t = s->shared;
	uint32_t n = t->functions_n ? 2 * t->functions_n : FIRST_ROWS;
	uint64_t at = shared_take(process.head, (uint64_t)n * sizeof(struct calls_function));
	if (!at)
		return 0;
	struct calls_function *to = (struct calls_function *)(process.base + at), *from = functions(t);
	for (uint32_t i = 0; i < t->functions_n; i++)
		if (from[i].address)
			*function_place(to, n, from[i].address) = from[i];
	for (size_t i = 0; i < s->depth; i++)
		if (s->frames[i].row)
			s->frames[i].row = function_place(to, n, s->frames[i].function);
	t->functions_at = at; /* stored first: readers must not take the new number of rows for the old table */
	atomic_thread_fence(memory_order_release);
	t->functions_n = n;
	return 1;
}

NOT_COUNTED static int grow_arcs(struct state *s)
{
	struct calls_thread *t = s->shared;
	uint32_t n = t->arcs_n ? 2 * t->arcs_n : FIRST_ROWS;
	uint64_t at = shared_take(process.head, (uint64_t)n * sizeof(struct calls_arc));
	if (!at)
		return 0;
	struct calls_arc *to = (struct calls_arc *)(process.base + at), *from = arcs(t);
	for (uint32_t i = 0; i < t->arcs_n; i++)
		if (from[i].caller)
			*arc_place(to, n, from[i].caller, from[i].callee) = from[i];
	t->arcs_at = at;
	atomic_thread_fence(memory_order_release);
	t->arcs_n = n;
	return 1;
}

/* ---- reading counters, and setting up a thread ------------------------------------------------------ */

NOT_COUNTED SELDOM static void read_events(struct state *s, struct calls_sums *ret)
{
	struct selfcount_reading r;
	selfcount_read(&s->counters, &r);
	ret->time = process.ticks ? selfcount_ticks() : r.time;
	if (!r.enabled) { /* the program has closed the descriptors of the events */
		process.head->stop = CALLS_NO_EVENTS;
		process.head->code = EBADF;
	}
	s->enabled = r.enabled;
	s->running = r.running;
	for (size_t i = 0; i < CALLS_EVENTS_MAX; i++)
		ret->events[i] = r.enabled && i < s->counters.events_n ? r.values[i] : 0;
}

/* Reads time and events into *ret.  If no events are counted, the event members of *ret stay as they are. */
EACH_CALL void read_now(struct state *s, struct calls_sums *ret)
{
	if (s->counters.events_n)
		read_events(s, ret);
	else
		ret->time = process.ticks ? selfcount_ticks() : selfcount_time(&s->counters);
}

EACH_CALL void add(size_t events_n, struct calls_sums *to, const struct calls_sums *more)
{
	to->time += more->time;
	for (size_t i = 0; i < events_n; i++)
		to->events[i] += more->events[i];
}

/* Returns how much a number grew; 0 if it is smaller than before, as after a reading that failed. */
EACH_CALL uint64_t growth(uint64_t begin, uint64_t end)
{
	return end > begin ? end - begin : 0;
}

EACH_CALL void between(size_t events_n, const struct calls_sums *begin, const struct calls_sums *end,
		       struct calls_sums *ret)
{
	ret->time = growth(begin->time, end->time);
	for (size_t i = 0; i < events_n; i++)
		ret->events[i] = growth(begin->events[i], end->events[i]);
}

NOT_COUNTED static void measure_cost(struct state *s);

NOT_COUNTED static int thread_begin(struct state *s)
{
	uint64_t at = shared_take(process.head, sizeof(struct calls_thread));
	int before = errno;
	s->failed = 1; /* so that nothing is counted until the thread is set up */
	if (!at)
		return 0;
	struct calls_thread *t = (struct calls_thread *)(process.base + at);
	*t = (struct calls_thread){.pid = (uint32_t)process.pid, .tid = (uint32_t)syscall(SYS_gettid)};
	void *frames = mmap(NULL, DEPTH_MAX * sizeof(struct frame), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (frames == MAP_FAILED) {
		process.head->stop = CALLS_NO_MEMORY;
		errno = before;
		return 0;
	}
	s->frames = frames;
	s->depth = s->beyond = 0;
	s->shared = t;
	struct perf_event_attr attrs[CALLS_EVENTS_MAX];
	for (size_t i = 0; i < process.head->events_n; i++) {
		memset(&attrs[i], 0, sizeof(attrs[i]));
		memcpy(&attrs[i], process.head->attrs[i],
		       sizeof(attrs[i]) < CALLS_ATTR_SIZE ? sizeof(attrs[i]) : CALLS_ATTR_SIZE);
	}
	int rc = selfcount_open(&s->counters, attrs, process.head->events_n);
	if (rc < 0) {
		process.head->stop = CALLS_NO_EVENTS;
		process.head->code = -rc;
	}
	t->reading = (s->counters.counters == SELFCOUNT_PAGE && s->counters.events_n ? 1u : 0) |
		     (s->counters.clock == SELFCOUNT_TSC ? 2u : 0);
	int ok = grow_functions(s) && grow_arcs(s);
	if (ok) {
		if (!process.cost_known)
			measure_cost(s);
		t->cost_inside = process.cost_inside;
		t->cost_whole = process.cost_whole;
		shared_push(&process.head->threads, &t->next, at);
		pthread_setspecific(process.key, s);
		s->failed = 0;
	}
	errno = before;
	return ok;
}

NOT_COUNTED static void thread_end(void *ctx)
{
	struct state *s = ctx;
	if (s->shared)
		s->shared->ended = 1;
	s->failed = 1; /* destructors that run later are not counted */
	selfcount_close(&s->counters);
	munmap(s->frames, DEPTH_MAX * sizeof(struct frame));
	s->frames = NULL;
	s->shared = NULL;
}

/* ---- counting calls --------------------------------------------------------------------------------- */

/* Makes the row of a function that has none, and returns it; NULL if there is no room. */
NOT_COUNTED SELDOM static struct calls_function *new_row(struct state *s, uint64_t address)
{
	struct calls_thread *t = s->shared;
	struct calls_function *row = function_place(functions(t), t->functions_n, address);
	if (t->functions_used >= t->functions_n / 4 * 3) {
		if (!grow_functions(s))
			return NULL;
		row = function_place(functions(t), t->functions_n, address);
	}
	t->functions_used++;
	row->address = address;
	if (s->counters.events_n)
		row->event_buckets_at =
			shared_take(process.head, s->counters.events_n * CALLS_BUCKETS * sizeof(uint64_t));
	if (process.cost_known)
		shared_note_module(process.head, process.pid, address);
	return row;
}

/* Returns the row of a function, which is made if needed; NULL if there is no room. */
EACH_CALL struct calls_function *row_of(struct state *s, uint64_t address)
{
	struct calls_thread *t = s->shared;
	struct calls_function *row = function_place(functions(t), t->functions_n, address);
	return row->address ? row : new_row(s, address);
}

NOT_COUNTED SELDOM static struct calls_arc *new_arc(struct state *s, uint64_t caller, uint64_t callee)
{
	struct calls_thread *t = s->shared;
	if (t->arcs_used >= t->arcs_n / 4 * 3 && !grow_arcs(s))
		return NULL;
	struct calls_arc *arc = arc_place(arcs(t), t->arcs_n, caller, callee);
	t->arcs_used++;
	arc->callee = callee;
	arc->caller = caller;
	return arc;
}

EACH_CALL void count_arc(struct state *s, uint64_t caller, uint64_t callee, uint64_t time)
{
	struct calls_thread *t = s->shared;
	struct calls_arc *arc = arc_place(arcs(t), t->arcs_n, caller, callee);
	if (!arc->caller)
		arc = new_arc(s, caller, callee);
	if (!arc)
		return;
	arc->calls++;
	arc->time += time;
}

/* Adds a call to the histograms, less the cost of counting it and the calls within it. */
EACH_CALL void count_buckets(size_t events_n, struct calls_function *row, const struct calls_sums *all, uint64_t below)
{
	uint64_t cost = process.inside.time + below * process.whole.time;
	row->buckets[calls_time_bucket(growth(cost, all->time))]++;
	uint64_t *of_event = (uint64_t *)(process.base + row->event_buckets_at);
	for (size_t i = 0; row->event_buckets_at && i < events_n; i++, of_event += CALLS_BUCKETS) {
		cost = process.inside.events[i] + below * process.whole.events[i];
		of_event[calls_event_bucket(growth(cost, all->events[i]))]++;
	}
}

/* Ends the newest call, which returned. */
EACH_CALL void end_call(struct state *s, const struct calls_sums *now)
{
	struct frame *f = &s->frames[--s->depth], *parent = s->depth ? f - 1 : NULL;
	struct calls_function *row = f->row;
	const size_t n = s->counters.events_n;
	struct calls_sums all, self;
	between(n, &f->begin, now, &all);
	between(n, &f->children, &all, &self);
	if (parent) {
		add(n, &parent->children, &all);
		parent->below += f->below + 1;
		if (parent->row)
			parent->row->children++;
	}
	if (!row)
		return;
	row->calls++;
	row->active--;
	row->all_time += all.time;
	row->all_below += f->below;
	add(n, &row->self, &self);
	if (!row->active) {
		row->outermost++;
		row->below += f->below;
		add(n, &row->total, &all);
	}
	count_buckets(n, row, &all, f->below);
	count_arc(s, parent ? parent->function : 1, f->function, all.time);
}

/* Ends the newest call, which was left without a return.  Its own time becomes its caller's. */
NOT_COUNTED static void leave_call(struct state *s)
{
	struct frame *f = &s->frames[--s->depth];
	if (s->depth) {
		add(s->counters.events_n, &f[-1].children,
		    &f->children); /* the calls within it become those of its caller */
		f[-1].below += f->below;
	}
	if (f->row) {
		f->row->left++;
		f->row->active--;
	}
}

/* Ends the calls that longjmp() or an exception left.  `stack` is the stack pointer of the function that runs now. */
EACH_CALL void leave_calls(struct state *s, uintptr_t stack)
{
	while (s->depth && s->frames[s->depth - 1].stack < stack) {
		leave_call(s);
		s->beyond = 0;
	}
}

EACH_CALL int begin(struct state *s)
{
	if (!process.base || s->failed)
		return 0;
	if (s->busy) {
		if (s->shared)
			s->shared->interrupted++;
		return 0;
	}
	s->busy = 1;
	atomic_signal_fence(memory_order_seq_cst);
	if (s->shared || thread_begin(s))
		return 1;
	s->busy = 0;
	return 0;
}

EACH_CALL void finish(struct state *s)
{
	atomic_signal_fence(memory_order_seq_cst);
	s->busy = 0;
}

EACH_CALL void enter(struct state *s, uint64_t function, uintptr_t stack)
{
	leave_calls(s, stack);
	if (s->depth == DEPTH_MAX || s->beyond) {
		s->beyond++;
		s->shared->too_deep++;
		return;
	}
	struct frame *f = &s->frames[s->depth++];
	f->function = function;
	f->stack = stack;
	f->below = f->children.time = 0;
	for (size_t i = 0; i < s->counters.events_n; i++)
		f->children.events[i] = 0;
	f->row = row_of(s, function);
	if (f->row)
		f->row->active++;
	else
		s->shared->no_room++;
	read_now(s, &f->begin);
}

EACH_CALL void leave(struct state *s, uint64_t function, uintptr_t stack, const struct calls_sums *now)
{
	if (s->beyond) {
		s->beyond--;
		return;
	}
	/* The exit hook may be a tail call, made when the function's own frame is gone: then `stack` may be up to that
	 * of its caller. */
	while (s->depth > 1 && s->frames[s->depth - 2].stack < stack)
		leave_call(s);
	size_t at = s->depth;
	while (at && s->frames[at - 1].function != function && s->frames[at - 1].stack <= stack)
		at--;
	if (!at || s->frames[at - 1].function != function || s->frames[at - 1].stack > stack) {
		s->shared->unmatched++;
		return;
	}
	while (s->depth > at)
		leave_call(s);
	s->shared->enabled = s->enabled;
	s->shared->running = s->running;
	end_call(s, now);
}

/* Hooks that the compiler calls.  `stack`: stack pointer of the function that calls the hook. */
#if defined(__aarch64__) /* the frame address depends on the frame's size there, which differs between the two hooks */
#define HOOK NOT_COUNTED __attribute__((used, visibility("hidden")))
HOOK void calls_enter(void *function, void *site, uintptr_t stack);
HOOK void calls_exit(void *function, void *site, uintptr_t stack);
#define HOOK_CODE(name, does)                                                                                          \
	__asm__(".text\n\t.globl " name "\n\t.type " name ", %function\n" name                                         \
		":\n\thint #34\n\tmov x2, sp\n\tb " does "\n\t.size " name ", . - " name "\n")
HOOK_CODE("__cyg_profile_func_enter", "calls_enter");
HOOK_CODE("__cyg_profile_func_exit", "calls_exit");
#else
#define HOOK NOT_COUNTED static inline
#endif

HOOK void calls_enter(void *function, void *site, uintptr_t stack)
{
	struct state *s = &own;
	(void)site;
	if (!begin(s))
		return;
	enter(s, (uint64_t)(uintptr_t)function, stack);
	finish(s);
}

HOOK void calls_exit(void *function, void *site, uintptr_t stack)
{
	struct state *s = &own;
	(void)site;
	if (!process.base || s->failed || s->busy || !s->shared) {
		if (s->busy && s->shared)
			s->shared->interrupted++;
		return;
	}
	struct calls_sums now = {.time = 0};
	read_now(s, &now);
	s->busy = 1;
	atomic_signal_fence(memory_order_seq_cst);
	leave(s, (uint64_t)(uintptr_t)function, stack, &now);
	finish(s);
}

/* The compiler inserts calls of these two hooks into each function. */
#if !defined(__aarch64__)
#define EXPORTED NOT_COUNTED __attribute__((visibility("default")))
EXPORTED void __cyg_profile_func_enter(void *function, void *site);
EXPORTED void __cyg_profile_func_exit(void *function, void *site);

EXPORTED void __cyg_profile_func_enter(void *function, void *site)
{
	calls_enter(function, site, (uintptr_t)__builtin_frame_address(0));
}

EXPORTED void __cyg_profile_func_exit(void *function, void *site)
{
	calls_exit(function, site, (uintptr_t)__builtin_frame_address(0));
}
#endif

/* ---- measuring the cost of a call --------------------------------------------------------------------- */

/* Makes empty calls of a function that does not exist; *ret: the cost of all of them. */
NOT_COUNTED static void measure_round(struct state *s, uint64_t caller, uint64_t callee, struct calls_sums *ret)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	struct calls_sums begin, now;
	enter(s, caller, stack + 1);
	read_now(s, &begin);
	for (int i = 0; i < CALLS_COST_CALLS; i++) {
		enter(s, callee, stack);
		read_now(s, &now);
		leave(s, callee, stack, &now);
	}
	read_now(s, &now);
	leave(s, caller, stack + 1, &now);
	between(s->counters.events_n, &begin, &now, ret);
}

NOT_COUNTED static void divide(const struct calls_sums *of_all, struct calls_sums *ret)
{
	ret->time = (of_all->time + CALLS_COST_CALLS / 2) / CALLS_COST_CALLS;
	for (size_t i = 0; i < CALLS_EVENTS_MAX; i++)
		ret->events[i] = (of_all->events[i] + CALLS_COST_CALLS / 2) / CALLS_COST_CALLS;
}

/* Measures the cost of an empty call in several rounds.  The shortest round counts: disturbances only make rounds
 * longer. */
NOT_COUNTED static void measure_cost(struct state *s)
{
	enum { ROUNDS = 8 };
	const uint64_t caller = 16, callee = 32; /* addresses without functions */
	struct calls_thread *t = s->shared;
	for (int round = 0; round < ROUNDS; round++) {
		struct calls_sums whole = {.time = 0};
		measure_round(s, caller, callee, &whole);
		struct calls_function *row = function_place(functions(t), t->functions_n, callee);
		if (!round || whole.time < process.cost_whole.time) {
			process.cost_whole = whole;
			process.cost_inside = row->self;
		}
		memset(functions(t), 0, t->functions_n * sizeof(struct calls_function));
		memset(arcs(t), 0, t->arcs_n * sizeof(struct calls_arc));
		t->functions_used = t->arcs_used = 0;
	}
	divide(&process.cost_inside, &process.inside);
	divide(&process.cost_whole, &process.whole);
	process.cost_known = 1;
}

/* ---- starting in a process, and after a fork ------------------------------------------------------- */

/* A child of fork() gets tables of its own, without its parent's threads. */
NOT_COUNTED static void after_fork(void)
{
	process.pid = getpid();
	if (own.shared) {
		selfcount_close(&own.counters);
		munmap(own.frames, DEPTH_MAX * sizeof(struct frame));
		own = (struct state){.busy = 0};
	}
	if (process.base)
		atomic_fetch_add((_Atomic uint64_t *)&process.head->processes, 1);
}

/* A program has only one of these two, and the other one is NULL.  glibc has __register_atfork(); musl and other
 * libraries have pthread_atfork(). */
#pragma weak __register_atfork
#pragma weak pthread_atfork
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

NOT_COUNTED static int register_fork(void)
{
	if (__register_atfork)
		return __register_atfork(NULL, NULL, after_fork, &__dso_handle);
	return pthread_atfork ? pthread_atfork(NULL, NULL, after_fork) : ENOSYS;
}

/* Notes in the head of the file that there was no memory to map the whole file. */
NOT_COUNTED static void tell_no_memory(int fd)
{
	struct calls_head *head = mmap(NULL, sizeof(*head), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		return;
	if (memcmp(head->magic, CALLS_MAGIC, sizeof(head->magic)) == 0)
		head->stop = CALLS_NO_MEMORY;
	munmap(head, sizeof(*head));
}

NOT_COUNTED __attribute__((constructor)) static void load(void)
{
	const char *text = getenv(CALLS_VARIABLE);
	char *rest = NULL;
	int before = errno;
	long fd = text ? strtol(text, &rest, 10) : -1;
	if (!text || !*text || *rest || fd < 0)
		return;
	void *base = mmap(NULL, CALLS_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, (int)fd, 0);
	const struct calls_head *head = base;
	if (base == MAP_FAILED)
		tell_no_memory((int)fd);
	else if (memcmp(head->magic, CALLS_MAGIC, sizeof(head->magic)) == 0 && head->version == CALLS_VERSION &&
		 head->events_n <= CALLS_EVENTS_MAX && pthread_key_create(&process.key, thread_end) == 0 &&
		 register_fork() == 0) {
		process.head = base;
		process.ticks = head->ticks;
		process.pid = getpid();
		atomic_fetch_add((_Atomic uint64_t *)&process.head->processes, 1);
		process.base = base;
	}
	errno = before;
}
