/* Room code: the instructions of a function, the source lines that they come from, and their samples. */
#ifndef CYCTOP_CODE_H
#define CYCTOP_CODE_H

#include <cyctop/resolve.h>

/* ---- instructions ------------------------------------------------------------------------------------- */

enum instruction_kind { INSTRUCTION_PLAIN, INSTRUCTION_JUMP, INSTRUCTION_CALL, INSTRUCTION_RETURN };

struct instruction {
	uint64_t addr;
	uint32_t size; /* bytes */
	enum instruction_kind kind;
	uint64_t target;  /* address of a direct jump or call; 0: it has none */
	const char *text; /* "mov %rax,(%rdx)", "call 0x401020 <memcpy@plt>"; "": it was not disassembled */
};
struct instructions {
	struct instruction *v; /* [n], sorted by address, without gaps */
	size_t n;
	const char *why; /* why no instruction has a text, a sentence without its full stop; NULL: all have one */
	char *texts;	 /* holds the texts of v */
};
/* Disassembles a function.  `names`: functions of the same DSO, for the targets of calls, or NULL.  Bytes that are no
 * instruction become "(bad)", instructions newer than the disassembler "(unknown)".  Without a disassembler (capstone)
 * the code is cut into pieces of equal length without text. */
void instructions_read(const struct function_code *code, const struct symtab *names, struct instructions *ret);
void instructions_deinit(struct instructions *in);
/* Returns the index of the instruction that contains the address; in->n: none does. */
static inline size_t instructions_at(const struct instructions *in, uint64_t addr)
{
	size_t low = 0, high = in->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (in->v[mid].addr + in->v[mid].size <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < in->n && in->v[low].addr <= addr ? low : in->n;
}

/* ---- source lines ------------------------------------------------------------------------------------- */

/* Where in the source an instruction comes from. */
struct code_place {
	const char *file;    /* as the compiler wrote it: may have control characters; NULL: unknown */
	uint32_t line;	     /* from 1 on; 0: unknown */
	const char *inlined; /* name of the innermost function that is inlined there; NULL: none is */
};
struct code_places {
	struct code_place *v;	/* [n], parallel to the instructions */
	size_t n;		/* number of instructions; 0: no place is known */
	const char *why;	/* why no place is known, a sentence without its full stop; NULL: some are */
	struct intern *private; /* holds the strings */
};
/* Reads the source places of instructions from DWARF (libdw).  Blocks until a child process has read them; cyctop
 * itself does not read the file, which may be malicious. */
void code_places_read(const struct function_code *code, const struct instructions *in, struct code_places *ret);
void code_places_deinit(struct code_places *places);
/* Reads from DWARF, in a child process, which calls were inlined into functions[n]; an inlines_fn. */
bool code_inlines_read(const struct function_code *file, struct inlined_function *functions, size_t n);
/* Returns why code_inlines_read() cannot work here, a sentence without its full stop; NULL: it can. */
const char *code_inlines_missing(void);

/* A cache of source files, each of which is read only once. */
struct source_texts;
struct source_texts *source_texts_create(void);
void source_texts_destroy(struct source_texts *s);
/* Returns a line (from 1 on) of a file, without its newline; valid as long as `s`.  NULL if the file cannot be read, or
 * has fewer lines. */
const char *source_text(struct source_texts *s, const char *file, uint32_t line);

/* ---- listings ------------------------------------------------------------------------------------------ */

struct code_count {
	uint64_t samples;
	double weight;
	uint64_t measured; /* number of samples whose cost was measured (PERF_SAMPLE_WEIGHT) */
	double cost;	   /* sum of the measured costs */
	double squares;	   /* sum of the squared weights of single samples */
};
static inline void code_count_add(struct code_count *to, const struct code_count *more)
{
	to->samples += more->samples;
	to->weight += more->weight;
	to->measured += more->measured;
	to->cost += more->cost;
	to->squares += more->squares;
}
/* The samples of an event at an address. */
struct code_sample {
	uint64_t addr;
	uint32_t event;
	struct code_count count;
};

/* Arrows for the jumps within the function, drawn left of the instructions. */
enum { ARROWS_MAX = 10 }; /* characters beside each instruction */
struct code_arrows {
	char (*rows)[ARROWS_MAX + 1]; /* [instructions.n]: strings of `width` characters; see arrows.c */
	size_t width;		      /* 0: there are no arrows */
};
void code_arrows_draw(const struct instructions *in, struct code_arrows *ret);

/* A line of a listing: an instruction or, before it, the line of the source that it comes from. */
struct code_line {
	bool source;
	bool gone;	    /* only the old build has the instruction: see code_listing_add_gone() */
	size_t instruction; /* index; if `gone`: index of the new build's next instruction, or in->n */
	size_t pair;	    /* index into code_pairs.rows; without pairs, `instruction` */
	const char *text;   /* may have control characters; NULL: a source line that cannot be read */
};
struct code_listing {
	const struct instructions *in;
	const struct code_places *places; /* places->n 0: no place is known */
	struct code_line *lines;	  /* [lines_n] */
	size_t lines_n, events_n;
	struct code_count *counts;  /* [in->n * events_n]: samples at [instruction * events_n + event] */
	struct code_count *total;   /* [events_n]: samples of the whole function */
	struct code_count *outside; /* [events_n]: the part of `total` at addresses of no instruction */
	uint8_t *loops;		    /* [in->n]: nesting depth of loops */
	struct code_arrows arrows;
	size_t hottest; /* index of the heaviest instruction, by the first event that has samples; in->n: none has */
};
/* Makes a listing, which borrows `in`, `places` and `texts`.  If `texts` is NULL, the listing has no source lines. */
void code_listing_create(const struct instructions *in, const struct code_places *places, struct source_texts *texts,
			 const struct code_sample *samples, size_t samples_n, size_t events_n,
			 struct code_listing *ret);
void code_listing_deinit(struct code_listing *l);
/* Returns the share of an instruction in the event's weight of the whole function, from 0 to 1. */
double code_share(const struct code_listing *l, size_t instruction, size_t event);
/* Returns the standard error of code_share(), computed from the number of samples.  For an instruction without samples,
 * one sample is assumed. */
double code_share_error(const struct code_listing *l, size_t instruction, size_t event);

/* ---- comparing two builds of a function ----------------------------------------------------------------- */

enum code_side { CODE_BEFORE, CODE_AFTER, CODE_BUILDS };
struct code_build {
	const struct function_code *code;
	const struct instructions *in;
};
/* A row of the comparison: an instruction of both builds, or of one. */
struct code_pair {
	size_t at[CODE_BUILDS]; /* index in in->v; SIZE_MAX: the build lacks it */
	bool alike;		/* both builds have it, but with other registers */
};
struct code_pairs {
	struct code_pair
		*rows;	  /* [n], in the order of both builds; between two pairs, rows of CODE_BEFORE come first */
	size_t n, paired; /* paired: number of rows that are in both builds */
	size_t alike;	  /* number of rows that are in both builds, but with other registers */
};
/* Pairs equal instructions of two builds, in the same order: first instructions with the same text; then, between these
 * pairs, instructions that differ only in registers.  Texts are compared without addresses (of jumps, calls and data),
 * but with names of functions; instructions without text are compared by their bytes.  Time and memory grow only in
 * proportion to the length of the functions, however different they are. */
void code_pairs_create(const struct code_build builds[CODE_BUILDS], struct code_pairs *ret);
void code_pairs_deinit(struct code_pairs *p);
/* Returns the mark of a pair: '-' if only the old build has the instruction, '+' if only the new build has it; '~' if
 * both have it, but with other registers; otherwise ' '. */
char code_pair_mark(const struct code_pair *p);
/* Adds to the listing of the new build the instructions that only the old build has; borrows their texts. */
void code_listing_add_gone(struct code_listing *l, const struct code_pairs *pairs, const struct instructions *before);

/* How the share that an instruction has in the function's weight of an event changed. */
struct code_change {
	bool known; /* both builds have samples of the event, and at least one build has samples at the instruction */
	double share[CODE_BUILDS]; /* 0..1; 0 in a build that does not have the instruction */
	double change, error;	   /* after - before; error: its standard error, from sampling alone */
	bool real;		   /* the change is statistically significant */
};
/* Computes the change of each row: ret[pairs->n].  `event`: index of the event, the same in both listings.  `fdr`:
 * accepted false discovery rate, from 0 to 1.  Returns the number of significant changes. */
size_t code_changes(const struct code_listing *const listings[CODE_BUILDS], const struct code_pairs *pairs,
		    size_t event, double fdr, struct code_change *ret);

/* ---- listings made by a thread --------------------------------------------------------------------------- */

/* The code of a function, or why it cannot be read; shared by listings and baseline. */
struct shared_code {
	struct function_code code;
	int users; /* reference count, atomic */
};
/* Adds a reference, and returns `c`. */
struct shared_code *shared_code_ref(struct shared_code *c);
/* Drops a reference; the last one frees the code.  NULL is ignored. */
void shared_code_unref(struct shared_code *c);

/* A function has two listings: the first is ready soon, without source lines, because reading debug information takes
 * long; the second has source lines. */
enum { LISTINGS = 2 };

/* A function's listings, which a thread makes.  The last user, thread or caller, frees them. */
struct listing_job {
	struct shared_code *code[CODE_BUILDS]; /* [CODE_BEFORE]: another build, to be paired with; or NULL */
	struct instructions in[CODE_BUILDS];
	struct code_build builds[CODE_BUILDS];
	struct code_pairs pairs;
	struct code_places places[LISTINGS];
	struct source_texts *texts;
	struct code_listing listings[LISTINGS];
	int made[2]; /* pipe, to which the thread writes a byte for each finished listing */
	size_t n;    /* number of listings that the screen has taken */
	int users;   /* reference count, atomic */
};
/* Starts the thread, which disassembles `code` and another build, `before` (may be NULL).  Returns -errno if the thread
 * cannot be started. */
int listing_job_start(struct shared_code *code, struct shared_code *before, struct listing_job **ret);
/* Updates j->n, the number of listings that the thread has finished; never waits.  Returns true if it grew. */
bool listing_job_take(struct listing_job *j);
/* Ends the caller's use; the thread stops before its next listing. */
void listing_job_release(struct listing_job *j);

#endif
