/* Code made at run time, as its makers tell of it: perf maps and jitdump files.  The
 * parsers read bytes and nothing else; both may be given a file piece by piece, while
 * it is still being written. */
#ifndef RESOLVE_JIT_JIT_H
#define RESOLVE_JIT_JIT_H

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/resolve.h>

struct jit_code {
	uint64_t addr, size; /* size > 0, and their sum does not overflow */
	uint64_t time_ns;    /* since when, of a jitdump by its own clock (mostly CLOCK_MONOTONIC); 0: ever */
	uint64_t index;	     /* the code's own number, where it is `numbered`: in a jitdump */
	bool numbered;
	bool moved;	  /* what has this index is now here, too: it has no name of its own */
	const char *name; /* not NUL-terminated, valid during the call */
	size_t name_n;
};
typedef void jit_code_fn(void *ctx, const struct jit_code *code);

/* Lines of a perf map, "START SIZE NAME" with hexadecimal numbers; what is no such line
 * is skipped.  Returns the bytes used: a last line without its newline is read only
 * where `whole` says that nothing more will come. */
size_t perf_map_read(const char *text, size_t n, bool whole, jit_code_fn *add, void *ctx);

/* A jitdump file being read; zeroed at first. */
struct jitdump {
	bool begun, swap, closed; /* closed: its maker wrote that it is done */
	bool ticks;		  /* its times are a CPU's ticks, and no clock's */
	uint32_t version, machine, pid;
	uint64_t time_ns; /* when it was begun */
	uint64_t damaged; /* records that made no sense */
	const char *why;  /* not NULL: nothing more can be read, because of this */
};
/* With as many bytes as this at hand, jitdump_read() always gets on. */
enum { JITDUMP_PIECE = 8192 };
/* Reads the records at `bytes`.  Returns how far it got: where the next call's bytes
 * begin.  That may lie beyond `n`: the machine code is not looked at. */
uint64_t jitdump_read(struct jitdump *d, const uint8_t *bytes, size_t n, jit_code_fn *add, void *ctx);

/* All that was told of one process, in that order.  Where code overlaps, the later is
 * there. */
struct jit_list {
	VEC(struct jit_entry) code;
	struct intern *names;
	struct index by_index;
	size_t max; /* 0: what suits; beyond it the oldest is forgotten */
};
struct jit_entry {
	uint64_t addr, size, index;
	uint64_t from_ns; /* when it came there: jit_code.time_ns */
	const char *name; /* interned; NULL: what moved here is not known */
};
void jit_list_init(struct jit_list *l);
void jit_list_deinit(struct jit_list *l);
void jit_list_add(void *ctx, const struct jit_code *code); /* a jit_code_fn; ctx: the list */
/* Its times mean nothing: what was told of was always there. */
void jit_list_forget_times(struct jit_list *l);
/* A stretch of memory whose latest code is at `pos` of the list. */
typedef void jit_piece_fn(void *ctx, uint64_t start, uint64_t end, uint32_t pos);
/* Calls piece() for disjoint stretches in ascending order; one that was told of in a row
 * is one. */
void jit_list_pieces(const struct jit_list *l, jit_piece_fn *piece, void *ctx);

/* Which code was at an address at a time; immutable.
 * `timed`: an entry's time is when its code came there, and before that it was not.  Else
 * it is when the last look was that did not see the entry: what was seen earlier was there
 * before it, and where nothing was, it itself. */
struct jit_table *jit_table_create(const struct jit_list *l, enum sym_origin origin, bool timed);
void jit_table_destroy(struct jit_table *t);
bool jit_table_find(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret);
/* The same of a copy of that memory, made at that time: what came later is not in it. */
bool jit_table_find_by(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret);
bool jit_table_is_timed(const struct jit_table *t);
size_t jit_table_bytes(const struct jit_table *t);

#endif
