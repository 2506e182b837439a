/* Parses perf maps and jitdump files, which list JIT code, and makes tables of it.  The parsers are pure, and can read
 * a file piece by piece while it is still being written. */
#ifndef RESOLVE_JIT_JIT_H
#define RESOLVE_JIT_JIT_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"

#include <cyctop/resolve.h>

struct jit_code {
	uint64_t addr, size; /* size > 0; addr + size does not overflow */
	/* Time when the code was made, by the jitdump's clock (mostly CLOCK_MONOTONIC); 0: unknown, valid for all
	 * times. */
	uint64_t time_ns;
	uint64_t index; /* code index in a jitdump, if `numbered` */
	bool numbered;
	bool moved;	  /* the code with this index was moved here; `name` is unset */
	const char *name; /* not NUL-terminated; valid during the call */
	size_t name_n;
};
typedef void jit_code_fn(void *ctx, const struct jit_code *code);

/* The result of reading JIT code from a process's memory. */
enum jit_look {
	JIT_LOOK_FAILED, /* the memory is unreadable, or may be another process's: discard what was added */
	JIT_LOOK_SAME,	 /* all code is as in the last reading; nothing was added */
	JIT_LOOK_NEW
};

/* Parses lines of a perf map, "START SIZE NAME" with hexadecimal numbers; skips other lines.
 * Returns the number of bytes consumed.  A last line without a newline is consumed only if
 * `whole`, which says that the file will not grow. */
size_t perf_map_read(const char *text, size_t n, bool whole, jit_code_fn *add, void *ctx);

/* The state of parsing a jitdump file; initially zero. */
struct jitdump {
	/* begun: the header was read; swap: in foreign byte order; closed: a CLOSE record was read */
	bool begun, swap, closed;
	bool ticks; /* times are CPU ticks, not nanoseconds */
	uint32_t version, machine, pid;
	uint64_t time_ns; /* time when the file was created, from its header */
	uint64_t damaged; /* number of malformed records, which are skipped */
	const char *why;  /* why nothing more can be read; or NULL */
};
/* Number of bytes with which jitdump_read() always makes progress. */
enum { JITDUMP_PIECE = 8192 };
/* Parses records at `bytes`.  Returns by how much to advance in the file before the next call: it may be more than `n`,
 * because machine code in the file is skipped. */
uint64_t jitdump_read(struct jitdump *d, const uint8_t *bytes, size_t n, jit_code_fn *add, void *ctx);

/* A log of the code that a process made, in the order in which it was read. Where entries overlap, the later entry is
 * on top. */
struct jit_list {
	VEC(struct jit_entry) code;
	struct intern *names;
	struct index by_index;
	/* limit of memory, above which covered code is dropped, then the oldest code; 0: none */
	size_t max_bytes;
	struct limit_set reached; /* limits because of which code was dropped */
	/* samples are resolved as they arrive, so code that was covered for long is dropped */
	bool live;
	size_t shrink_at; /* number of entries at which a live list is shrunk again */
};
struct jit_entry {
	uint64_t addr, index;
	uint64_t size : 63, covered : 1; /* covered: later code covered it completely when the list was last shrunk */
	uint64_t from_ns;		 /* time since which the code is at this address, as jit_code.time_ns */
	const char *name;		 /* interned; NULL: code was moved here whose name is unknown */
};
void jit_list_init(struct jit_list *l);
void jit_list_deinit(struct jit_list *l);
void jit_list_add(void *ctx, const struct jit_code *code); /* a jit_code_fn; ctx: the jit_list */
size_t jit_list_bytes(const struct jit_list *l);
/* Drops code until at most half of the entries are left. `why`: the limit that was reached, which is added to
 * l->reached. */
void jit_list_halve(struct jit_list *l, enum limit why);
/* Sets all times to 0 (unknown); to be called if they were not taken with the clock of the samples. */
void jit_list_forget_times(struct jit_list *l);
/* A binary min-heap: data[0] is the lowest number. `data` is the caller's, and must have room for each push. */
struct jit_heap {
	uint64_t *data;
	size_t n;
};
void jit_heap_push(struct jit_heap *h, uint64_t value);
void jit_heap_pop(struct jit_heap *h); /* removes the lowest number */
/* Receives a range of addresses [start, end). `pos`: index of the entry that is on top in the range. */
typedef void jit_piece_fn(void *ctx, uint64_t start, uint64_t end, uint32_t pos);
/* Divides the addresses of all code into disjoint ranges, and calls piece() for each range in ascending order. Adjacent
 * ranges of one entry are joined. */
void jit_list_pieces(const struct jit_list *l, jit_piece_fn *piece, void *ctx);

/* Makes an immutable table, to find code by address and time. `timed`: an entry's time is when its code came to the
 * address. Otherwise (perf map, memory) it is the start of the last read that did not find the entry, so the code may
 * be younger. A search for an earlier time finds the code that was at the address before or, if there was none, the
 * entry itself. */
struct jit_table *jit_table_create(const struct jit_list *l, enum sym_origin origin, bool timed);
/* Makes a table of at most `max_bytes`: drops the older half of the list until the table fits. */
struct jit_table *jit_table_within(struct jit_list *l, enum sym_origin origin, bool timed, size_t max_bytes);
struct jit_table *jit_table_ref(struct jit_table *t); /* takes a reference; may be called by any thread */
void jit_table_destroy(struct jit_table *t);	      /* drops a reference; t may be NULL */
bool jit_table_find(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret);
/* Finds code that a process inherited by a fork at `time_ns`: never finds code that came later, unlike
 * jit_table_find(). */
bool jit_table_find_by(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret);
bool jit_table_is_timed(const struct jit_table *t);
size_t jit_table_bytes(const struct jit_table *t);

#endif
