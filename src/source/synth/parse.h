/* Shared by the files of the parser: value.c parses the values of a line, setup.c and tick.c statements, parse.c the
 * whole script. */
#ifndef SOURCE_SYNTH_PARSE_H
#define SOURCE_SYNTH_PARSE_H

#include "source/synth/lex.h"
#include "source/synth/script.h"

enum value {
	VALUE_COUNT, /* stored as uint64_t, like the next four kinds */
	VALUE_TIME,
	VALUE_AT, /* a time, or a percentage of the interval */
	VALUE_PART,
	VALUE_RATIO,
	VALUE_WAVE,  /* height:intervals, "30%:20", stored in wave_ppm and wave_ticks */
	VALUE_CPUS,  /* stored in cpu_first, cpu_last */
	VALUE_CPU,   /* one CPU, stored in cpu_first and cpu_last */
	VALUE_TASK,  /* stored in pid, tid */
	VALUE_CHILD, /* stored in child_pid, child_tid */
	VALUE_EVENT, /* name of an event declared before, stored as its index (uint32_t); likewise SYM, DSO, PROFILE */
	VALUE_SYM,
	VALUE_DSO,
	VALUE_PROFILE,
	VALUE_MAPS,	/* alias,alias, stored in maps_first, maps_n */
	VALUE_PROFILES, /* name,name, stored in maps_first, maps_n */
	VALUE_SYMS,	/* alias:symbol,alias:symbol, stored in maps_first, maps_n */
	VALUE_TURNS,	/* random, heavy, cycle or gamma */
	VALUE_MODE,	/* user, kernel, ... */
	VALUE_NAME,	/* string (const char *), interned */
	VALUE_HEX,	/* stored in maps_first, bytes_n */
	VALUE_FLAG,	/* a bare word that sets a bool */
};

/* A value that a directive takes.  A bare word, one without key=, is the value of the first field without a key that
 * has no value yet; if there is no such field, it is a flag. */
struct field {
	const char *key;
	enum value kind;
	uint16_t member; /* offset of the member of struct stmt that gets the value */
	bool required;
};

#define FIELDS_MAX 16

struct parser {
	struct script *s;
	unsigned line_no;
	struct line line;
	uint32_t profile; /* profile that the next `row` belongs to; UINT32_MAX: none */
	bool in_tick;	  /* the line follows `tick` or `always` */
	bool ended;
};

/* A kind of line, known by its first word. */
struct directive {
	const char *name;
	bool extra; /* words with unknown keys are no error: `handle` uses them */
	/* Checks and completes the parsed values; may be NULL.  Below `tick`, *st becomes a statement afterwards. */
	int (*handle)(struct parser *p, struct stmt *st, struct error *err);
	enum stmt_kind kind;
	struct field fields[FIELDS_MAX];
};
extern const struct directive setup_directives[]; /* lines allowed before the first tick */
extern const size_t setup_directives_n;
extern const struct directive tick_directives[];
extern const size_t tick_directives_n;

/* Parses all words of the line but the first into the members of *ret that `fields` describes.  `extra`: ignores words
 * with unknown keys, which are otherwise an error. */
CYC_MUST_CHECK int parse_fields(struct parser *p, const struct field *fields, bool extra, struct stmt *ret,
				struct error *err);

CYC_MUST_CHECK int find_event(const struct script *s, const char *name, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int find_dso(const struct script *s, const char *alias, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int find_sym(const struct script *s, const char *name, uint32_t *ret, struct error *err);

/* Returns true if the line gave a value to the i-th field of the directive. */
static inline bool stmt_has(const struct stmt *st, unsigned field)
{
	return st->given >> field & 1;
}

#endif
