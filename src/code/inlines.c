/* Finds the calls that the compiler inlined into functions of a file, by libdw in a child process; the parent process
 * checks the child's answer. */
#include "base/alloc.h"
#include "base/index.h"
#include "os/child.h"
#include "code/dw_walk.h"

#include <cyctop/code.h>

#include <stdlib.h>
#include <string.h>

#if HAVE_DW

/* Limits of a child process, for all its functions together. */
enum { CPU_SECONDS = 5, CALLS_MAX = 1 << 17, SPANS_MAX = 1 << 18, STRINGS_BYTES = 16 << 20 };

struct handed_call {
	uint32_t within; /* 1 + index of the containing call among the function's calls; 0: no call */
	uint32_t name;	 /* offset in `strings` */
};
struct handed_function {
	uint32_t calls, calls_n, spans, spans_n;
};
struct handed {
	struct child_result result;
	struct handed_function functions[INLINED_FUNCTIONS_MAX]; /* all members 0: not read */
	struct handed_call calls[CALLS_MAX];
	struct inlined_span spans[SPANS_MAX];
	char strings[STRINGS_BYTES];
};

/* ---- reading DWARF, in the child process --------------------------------------------------------------- */

/* Addresses of an inlined call, including the calls that were inlined into it: their ranges come later in the array,
 * and override this one. */
struct range {
	uint64_t start, end;
	uint32_t call;
};

struct reading {
	const struct dw_library *lib;
	int fd;
	const struct inlined_function *functions;
	size_t n;
	struct handed *h;
	size_t calls_n, spans_n, strings_n;
	struct index by_text; /* offsets in h->strings, by text */
	/* the function being read: its address range, and the index of its first call in h->calls */
	uint64_t start, end;
	size_t calls_from;
	VEC(struct range) ranges;
	VEC(uint32_t) depths; /* nesting depth of each call of the function, from 1 on */
};

struct text {
	const struct handed *h;
	const char *s;
};

static bool is_text(const void *ctx, uint32_t at)
{
	const struct text *t = ctx;
	return strcmp(t->h->strings + at, t->s) == 0;
}

/* Returns the offset in h->strings of a copy of `s`, which is added if there is none; 0: there is no room. */
static uint32_t hand_string(struct reading *r, const char *s)
{
	size_t n = strlen(s) + 1;
	uint64_t hash = index_hash(&r->by_text, index_hash_bytes(&r->by_text, s, n));
	uint32_t at = index_find(&r->by_text, hash, is_text, &(struct text){r->h, s});
	if (at != INDEX_NONE)
		return at;
	if (r->strings_n + n > sizeof(r->h->strings))
		return 0;
	at = (uint32_t)r->strings_n;
	memcpy(r->h->strings + at, s, n);
	index_add(&r->by_text, hash, at);
	r->strings_n += n;
	return at;
}

/* Returns the mangled name of a function or, if it has none, its name in the source; NULL: it has neither. */
static const char *linkage_name(const struct reading *r, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;
	if (r->lib->attribute(die, DW_AT_linkage_name, &attribute))
		name = r->lib->string(&attribute);
	return name ? name : r->lib->name(die);
}

static uint32_t take_call(void *ctx, Dwarf_Die *die, uint32_t within)
{
	struct reading *r = ctx;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t before = r->ranges.n, n = r->calls_n - r->calls_from;
	uint32_t call = (uint32_t)n + 1, depth = within ? r->depths.data[within - 1] + 1 : 1;
	if (depth > INLINED_DEPTH_MAX || r->calls_n == CALLS_MAX)
		return within;
	for (int k = 0; k < DW_RANGES_MAX && (at = r->lib->ranges(die, at, &base, &start, &end)) > 0; k++) {
		start = start < r->start ? r->start : start;
		end = end > r->end ? r->end : end;
		if (start < end)
			vec_push(&r->ranges) = (struct range){start, end, call};
	}
	const char *name = r->ranges.n > before ? linkage_name(r, die) : NULL;
	uint32_t text = name && *name ? hand_string(r, name) : 0;
	if (!text) {
		r->ranges.n = before;
		return within;
	}
	vec_push(&r->depths) = depth;
	r->h->calls[r->calls_n++] = (struct handed_call){within, text};
	return call;
}

static int by_addr(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;
	return (*a > *b) - (*a < *b);
}

static size_t index_of(const uint64_t *sorted, size_t n, uint64_t wanted)
{
	const uint64_t *at = bsearch(&wanted, sorted, n, sizeof(*sorted), by_addr);
	return (size_t)(at - sorted);
}

/* Writes spans to h->spans: for each address of the function, the innermost inlined call.  Returns the number of spans;
 * 0: there is no room. */
static size_t hand_spans(struct reading *r)
{
	VEC(uint64_t) bounds = {0};
	for (size_t i = 0; i < r->ranges.n; i++) {
		vec_push(&bounds) = r->ranges.data[i].start;
		vec_push(&bounds) = r->ranges.data[i].end;
	}
	qsort(bounds.data, bounds.n, sizeof(*bounds.data), by_addr);
	size_t n = 0;
	for (size_t i = 0; i < bounds.n; i++)
		if (!n || bounds.data[i] != bounds.data[n - 1])
			bounds.data[n++] = bounds.data[i];
	struct inlined_span *spans = &r->h->spans[r->spans_n];
	if (r->spans_n + n > SPANS_MAX)
		n = 0;
	for (size_t i = 0; i < n; i++)
		spans[i] = (struct inlined_span){.addr = bounds.data[i]};
	for (size_t i = 0; n && i < r->ranges.n; i++) {
		const struct range *range = &r->ranges.data[i];
		size_t last = index_of(bounds.data, n, range->end);
		for (size_t k = index_of(bounds.data, n, range->start); k < last; k++)
			spans[k].call = range->call;
	}
	vec_free(&bounds);
	return n;
}

static void read_function(struct reading *r, size_t i, Dwarf_Die *unit)
{
	const struct inlined_function *f = &r->functions[i];
	r->start = f->addr;
	r->end = f->addr + f->size;
	r->calls_from = r->calls_n;
	r->ranges.n = r->depths.n = 0;
	dw_walk(r->lib, unit, r->start, r->end, take_call, r);
	size_t spans_n = r->ranges.n ? hand_spans(r) : 0;
	r->h->functions[i] = (struct handed_function){.calls = (uint32_t)r->calls_from,
						      .calls_n = spans_n ? (uint32_t)(r->calls_n - r->calls_from) : 0,
						      .spans = (uint32_t)r->spans_n,
						      .spans_n = (uint32_t)spans_n};
	r->spans_n += spans_n;
}

static const char *work(void *ctx)
{
	struct reading *r = ctx;
	struct dw_file file;
	uint64_t addrs[INLINED_FUNCTIONS_MAX];
	bool found[INLINED_FUNCTIONS_MAX] = {false};
	Dwarf_Die units[INLINED_FUNCTIONS_MAX];
	index_init(&r->by_text);
	r->strings_n = 1; /* offset 0 means: no string */
	const char *why = dw_file_open(r->lib, r->fd, &file);
	for (size_t i = 0; i < r->n; i++)
		addrs[i] = r->functions[i].addr;
	if (!why)
		dw_units(r->lib, file.dwarf, addrs, r->n, units, found);
	for (size_t i = 0; i < r->n; i++)
		if (found[i])
			read_function(r, i, &units[i]);
	return why;
}

/* ---- checking the answer, in the parent process ---------------------------------------------------------- */

static char *copy_text(const struct handed *h, uint32_t at)
{
	size_t n = strnlen(h->strings + at, STRINGS_BYTES - at);
	char *ret = mem_calloc(n + 1, 1);
	memcpy(ret, h->strings + at, n);
	return ret;
}

/* Copies the answer for a function, then checks the copy: malicious debug information may have taken over the child,
 * which can still change the original.  Returns false if the answer is not valid. */
static bool copy(const struct handed *h, struct handed_function of, struct inlined_function *ret)
{
	if (of.calls > CALLS_MAX || of.calls_n > CALLS_MAX - of.calls || of.spans > SPANS_MAX ||
	    of.spans_n > SPANS_MAX - of.spans)
		return false;
	bool sound = true;
	ret->calls_n = of.calls_n;
	ret->spans_n = of.spans_n;
	ret->calls = mem_calloc(of.calls_n, sizeof(*ret->calls));
	ret->spans = mem_calloc(of.spans_n, sizeof(*ret->spans));
	for (uint32_t i = 0; sound && i < of.calls_n; i++) {
		const struct handed_call call = h->calls[of.calls + i];
		sound = call.within <= i && call.name < STRINGS_BYTES;
		if (sound)
			ret->calls[i] = (struct inlined_call){.within = call.within, .name = copy_text(h, call.name)};
	}
	memcpy(ret->spans, &h->spans[of.spans], of.spans_n * sizeof(*ret->spans));
	for (uint32_t i = 0; sound && i < of.spans_n; i++)
		sound = ret->spans[i].call <= of.calls_n;
	return sound;
}

static void take(const struct handed *h, const struct handed_function *of, struct inlined_function *ret)
{
	if (of->spans_n && !copy(h, *of, ret))
		inlined_function_deinit(ret);
}

/* Reads functions[n] in a child process.  If the child died (for example of its CPU limit), the functions that it had
 * finished are used.  Returns false if the child found no readable debug information. */
static bool read_in_child(const struct dw_library *lib, int fd, struct inlined_function *functions, size_t n)
{
	struct handed *h = child_memory(sizeof(*h));
	if (!h)
		return false;
	struct reading r = {.lib = lib, .fd = fd, .functions = functions, .n = n, .h = h};
	const struct child_job job = {"its debug information", PRIVILEGES_NONE, CPU_SECONDS, work, &r};
	bool answered = !child_run(&h->result, &job) || !h->result.done;
	for (size_t i = 0; answered && i < n; i++)
		take(h, &h->functions[i], &functions[i]);
	child_free(h, sizeof(*h));
	return answered;
}

bool code_inlines_read(const struct function_code *file, struct inlined_function *functions, size_t n)
{
	struct dw_library lib;
	int fd = file->debug_fd >= 0 ? file->debug_fd : file->fd;
	if (fd < 0 || n > INLINED_FUNCTIONS_MAX || !dw_library_open(&lib))
		return false;
	bool answered = read_in_child(&lib, fd, functions, n);
	dw_library_close(&lib);
	return answered;
}

const char *code_inlines_missing(void)
{
	struct dw_library lib;
	if (!dw_library_open(&lib))
		return "functions that the compiler inlined are not shown, because libdw is not installed here";
	dw_library_close(&lib);
	return NULL;
}

#else

bool code_inlines_read(const struct function_code *file, struct inlined_function *functions, size_t n)
{
	(void)file, (void)functions, (void)n;
	return false;
}

const char *code_inlines_missing(void)
{
	return "functions that the compiler inlined are not shown, because this cyctop is built without libdw";
}

#endif
