/* Parses perf maps and jitdump files, which list code made at run time (JIT), and makes tables
 * of it.  The parsers only read bytes, and can read a file piece by piece while it is still
 * being written. */
#ifndef RESOLVE_JIT_JIT_H
#define RESOLVE_JIT_JIT_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"

#include <cyctop/resolve.h>

struct jit_code {
	uint64_t addr, size; /* size > 0; addr + size does not overflow */
	uint64_t time_ns; /* time when it was made, by the jitdump's clock (mostly CLOCK_MONOTONIC); 0: always there */
	uint64_t index;	  /* number of the code in a jitdump, if `numbered` */
	bool numbered;
	bool moved;	  /* the code with this index was moved to this address; `name` is not set */
	const char *name; /* not NUL-terminated, valid during the call */
	size_t name_n;
};
typedef void jit_code_fn(void *ctx, const struct jit_code *code);

/* The result of a look at the code in the memory of a process. */
enum jit_look {
	JIT_LOOK_FAILED, /* the memory cannot be read, or what was added may be of another process */
	JIT_LOOK_SAME,	 /* all code is as it was at the last look; nothing was added */
	JIT_LOOK_NEW
};

/* Parses lines of a perf map, "START SIZE NAME" with hexadecimal numbers; skips other lines.
 * Returns the number of bytes consumed.  A last line without a newline is consumed only if
 * `whole`, which says that the file will not grow. */
size_t perf_map_read(const char *text, size_t n, bool whole, jit_code_fn *add, void *ctx);

/* The state of reading a jitdump file; initially zero. */
struct jitdump {
	bool begun, swap, closed; /* begun: the header was read; closed: the process wrote a CLOSE record */
	bool ticks;		  /* the times are CPU ticks, not nanoseconds of a clock */
	uint32_t version, machine, pid;
	uint64_t time_ns; /* time when the file was created, from its header */
	uint64_t damaged; /* number of malformed records that were skipped */
	const char *why;  /* the reason why nothing more can be read, or NULL */
};
/* The least bytes with which jitdump_read() always consumes some. */
enum { JITDUMP_PIECE = 8192 };
/* Reads the records at `bytes`.  Returns how far the next call must move on in the file, which
 * may be more than `n`, because machine code in the file is skipped. */
uint64_t jitdump_read(struct jitdump *d, const uint8_t *bytes, size_t n, jit_code_fn *add, void *ctx);

/* A log of the code that a process made, in the order of its records.  Where code overlaps, the
 * later entry is on top. */
struct jit_list {
	VEC(struct jit_entry) code;
	struct intern *names;
	struct index by_index;
	size_t max_bytes; /* beyond it, code covered by later code is dropped, and then the oldest code; 0: no limit */
	struct limit_set reached; /* the limits for which code was dropped */
	bool live;	  /* samples are resolved as they arrive, so old covered code is dropped even below the limit */
	size_t shrink_at; /* number of entries at which a live list is shrunk */
};
struct jit_entry {
	uint64_t addr, index;
	uint64_t size : 63, covered : 1; /* covered: other code was on top when the list was last shrunk */
	uint64_t from_ns;		 /* time when the code came to this address: jit_code.time_ns */
	const char *name;		 /* interned; NULL: the code was moved here, and its name is unknown */
};
void jit_list_init(struct jit_list *l);
void jit_list_deinit(struct jit_list *l);
void jit_list_add(void *ctx, const struct jit_code *code); /* a jit_code_fn; ctx: the list */
size_t jit_list_bytes(const struct jit_list *l);
/* Drops code until at most half of the entries are left, because limit `why` was reached. */
void jit_list_halve(struct jit_list *l, enum limit why);
/* Sets all times to "always there", because they are of another clock than the samples. */
void jit_list_forget_times(struct jit_list *l);
/* Gets a range of addresses where entry `pos` of the list is on top. */
typedef void jit_piece_fn(void *ctx, uint64_t start, uint64_t end, uint32_t pos);
/* Calls piece() for disjoint ranges in ascending order; adjacent ranges of one entry are
 * joined. */
void jit_list_pieces(const struct jit_list *l, jit_piece_fn *piece, void *ctx);

/* Makes an immutable table that finds the code at an address and a time.  If `timed`, the time of an entry is when
 * its code came to the address.  If not, it is the start of the last read of the file that did not contain the
 * entry, so the code came later; for earlier times the entry before it is used, or the entry itself if it is the
 * first. */
struct jit_table *jit_table_create(const struct jit_list *l, enum sym_origin origin, bool timed);
/* Makes a table of at most `max_bytes`: halves the list until its table fits. */
struct jit_table *jit_table_within(struct jit_list *l, enum sym_origin origin, bool timed, size_t max_bytes);
struct jit_table *jit_table_ref(struct jit_table *t); /* takes another reference, for any thread */
void jit_table_destroy(struct jit_table *t);	      /* drops a reference; t may be NULL */
bool jit_table_find(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret);
/* Finds the code at an address in a memory that was copied at that time: never finds code that came later. */
bool jit_table_find_by(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret);
bool jit_table_is_timed(const struct jit_table *t);
size_t jit_table_bytes(const struct jit_table *t);

#endif
