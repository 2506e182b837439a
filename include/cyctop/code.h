/* Room code: the instructions of a function, the lines of the source that they come from, and counts beside them. */
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
	struct instruction *v; /* [n], by address; they follow each other without gaps */
	size_t n;
	const char *why; /* why the instructions have no text, a sentence without its full stop; NULL: they have one */
	char *texts;	 /* private */
};
/* Takes apart the code of a function.  `names` has the names of what is called; NULL: calls are without names.  Bytes
 * that are no instruction are "(bad)", those that the disassembler is too old for "(unknown)".  Without a disassembler
 * (capstone) the code is in pieces of equal length without text. */
void instructions_read(const struct function_code *code, const struct symtab *names, struct instructions *ret);
void instructions_deinit(struct instructions *in);
/* Returns the index of the instruction that contains the address; n: none does. */
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

/* ---- lines of the source ------------------------------------------------------------------------------ */

/* Where in the source an instruction comes from. */
struct code_place {
	const char *file;    /* as the compiler wrote it, with control characters as they are; NULL: unknown */
	uint32_t line;	     /* from 1 on; 0: unknown */
	const char *inlined; /* the innermost function that was inlined there; NULL: none was */
};
struct code_places {
	struct code_place *v;	/* [n], one for each instruction */
	size_t n;		/* 0: there are none */
	const char *why;	/* why no place is known, a sentence without its full stop; NULL: some are */
	struct intern *private; /* the strings */
};
/* Reads where instructions come from, by DWARF (libdw), in a process of its own, whose end it waits for. */
void code_places_read(const struct function_code *code, const struct instructions *in, struct code_places *ret);
void code_places_deinit(struct code_places *places);
/* Finds what was inlined into functions, by DWARF, for resolver_read_inlines(): in a process of its own, as above. */
bool code_inlines_read(const struct function_code *file, struct inlined_function *functions, size_t n);
/* Returns why code_inlines_read() never finds anything, a sentence without its full stop; NULL: it may. */
const char *code_inlines_missing(void);

/* The text of source files, which are read once. */
struct source_texts;
struct source_texts *source_texts_create(void);
void source_texts_destroy(struct source_texts *s);
/* Returns a line of a file, without its end; valid as long as the texts.  NULL: the file is not here, or is shorter. */
const char *source_text(struct source_texts *s, const char *file, uint32_t line);

/* ---- listings ------------------------------------------------------------------------------------------ */

struct code_count {
	uint64_t samples;
	double weight;
	uint64_t measured; /* samples of which the CPU told what they cost (PERF_SAMPLE_WEIGHT) */
	double cost;	   /* the sum of that */
	double squares;	   /* the sum of the squared weights of samples */
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

/* Jumps within the function, drawn to the left of their instructions. */
enum { ARROWS_MAX = 10 }; /* characters of a row */
struct code_arrows {
	char (*rows)[ARROWS_MAX + 1]; /* [instructions.n]; of `width` of the characters " |-+,`<>": see arrows.c */
	size_t width;		      /* 0: there is none */
};
void code_arrows_draw(const struct instructions *in, struct code_arrows *ret);

/* A line of a listing: an instruction or, before it, the line of the source that it comes from. */
struct code_line {
	bool source;
	bool gone;	    /* the instruction is one that only the build before has: code_listing_add_gone() */
	size_t instruction; /* index; of one that is gone: of the next one that is not, or instructions.n */
	size_t pair;	    /* index into code_pairs.rows; without pairs, `instruction` */
	const char *text; /* the instruction's, or the source's, with control characters; NULL: its file is not here */
};
struct code_listing {
	const struct instructions *in;
	const struct code_places *places; /* places->n 0: none are known */
	struct code_line *lines;	  /* [lines_n] */
	size_t lines_n, events_n;
	struct code_count *counts;  /* [in->n * events_n]: samples of each instruction, by event */
	struct code_count *total;   /* [events_n], with those at addresses of no instruction */
	struct code_count *outside; /* [events_n]: samples at addresses of no instruction */
	uint8_t *loops;		    /* [in->n]: the number of loops that the instruction is in */
	struct code_arrows arrows;
	size_t hottest; /* the instruction with the most weight of the first event that has any; in->n: none has */
};
/* Puts a listing together; it borrows all but the samples. `texts` NULL: without lines of the source. */
void code_listing_create(const struct instructions *in, const struct code_places *places, struct source_texts *texts,
			 const struct code_sample *samples, size_t samples_n, size_t events_n,
			 struct code_listing *ret);
void code_listing_deinit(struct code_listing *l);
/* Returns the part of an event's weight in the function that is at an instruction, from 0 to 1. */
double code_share(const struct code_listing *l, size_t instruction, size_t event);
/* The standard error of that share, as far as the number of samples tells it; without samples there, as if there were
 * one. */
double code_share_error(const struct code_listing *l, size_t instruction, size_t event);

/* ---- two builds of a function --------------------------------------------------------------------------- */

enum code_side { CODE_BEFORE, CODE_AFTER, CODE_BUILDS };
struct code_build {
	const struct function_code *code;
	const struct instructions *in;
};
/* An instruction of both builds, or of one. */
struct code_pair {
	size_t at[CODE_BUILDS]; /* index; SIZE_MAX: that build does not have it */
	bool alike;		/* both have it, but with other registers */
};
struct code_pairs {
	struct code_pair
		*rows;	  /* [n], in the order of both builds; of those between two pairs, the ones before first */
	size_t n, paired; /* rows, and those of them in both builds */
	size_t alike;	  /* of the latter, those with other registers */
};
/* Finds the same instructions of two builds: those with the same text, in the same order; between them, those that are
 * the same but for the registers.  Addresses in texts do not count, whether of jumps, calls or data; names of functions
 * do.  Without texts it goes by bytes.  Time and memory grow with the length of the functions, however little of them
 * is the same. */
void code_pairs_create(const struct code_build builds[CODE_BUILDS], struct code_pairs *ret);
void code_pairs_deinit(struct code_pairs *p);
/* Returns the mark of a pair: '-' only before, '+' only after, '~' with other registers, ' ' the same in both. */
char code_pair_mark(const struct code_pair *p);
/* Adds lines to the listing of the build after: instructions that only the build before has, which are borrowed. */
void code_listing_add_gone(struct code_listing *l, const struct code_pairs *pairs, const struct instructions *before);

/* How the share of an event in the function that is at an instruction changed. */
struct code_change {
	bool known;		   /* both sides have samples of the event, and one of them has some there */
	double share[CODE_BUILDS]; /* 0..1; 0 in a build that does not have the instruction */
	double change, error;	   /* after - before; its standard error, as far as the number of samples tells it */
	bool real;		   /* the samples are enough to tell it */
};
/* Computes the change of each row of pairs, ret[pairs->n], for an event that has the same index in both listings.
 * `fdr`: the part of the real ones that may be so by chance.  Returns the number of real ones. */
size_t code_changes(const struct code_listing *const listings[CODE_BUILDS], const struct code_pairs *pairs,
		    size_t event, double fdr, struct code_change *ret);

#endif
