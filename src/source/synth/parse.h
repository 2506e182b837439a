/* Shared by the parts of the parser: values of a line (value.c), its statement (setup.c, tick.c) and the whole
 * script (parse.c). */
#ifndef SOURCE_SYNTH_PARSE_H
#define SOURCE_SYNTH_PARSE_H

#include "source/synth/lex.h"
#include "source/synth/script.h"

enum value {
	VALUE_COUNT, /* uint64_t */
	VALUE_TIME,
	VALUE_AT, /* a time, or a percentage of the interval */
	VALUE_PART,
	VALUE_RATIO,
	VALUE_WAVE,  /* 30%:20, stored in wave_ppm, wave_ticks */
	VALUE_CPUS,  /* stored in cpu_first, cpu_last */
	VALUE_CPU,   /* one CPU, stored in cpu_first and cpu_last */
	VALUE_TASK,  /* stored in pid, tid */
	VALUE_CHILD, /* stored in child_pid, child_tid */
	VALUE_EVENT, /* uint32_t id of an event, DSO etc. that was declared before */
	VALUE_SYM,
	VALUE_DSO,
	VALUE_PROFILE,
	VALUE_MAPS,	/* alias,alias, stored in maps_first, maps_n */
	VALUE_PROFILES, /* name,name, stored in maps_first, maps_n */
	VALUE_SYMS,	/* alias:symbol,alias:symbol, stored in maps_first, maps_n */
	VALUE_TURNS,	/* random, heavy, cycle, gamma */
	VALUE_MODE,	/* user, kernel, ... */
	VALUE_NAME,	/* const char * */
	VALUE_HEX,	/* stored in maps_first, bytes_n */
	VALUE_FLAG,	/* bool: a bare word */
};

/* A field of a directive.  Bare words fill first the fields without a key, in order; further bare words are flags. */
struct field {
	const char *key;
	enum value kind;
	uint16_t member; /* offset in struct stmt */
	bool required;
};

#define FIELDS_MAX 16

struct parser {
	struct script *s;
	unsigned line_no;
	struct line line;
	uint32_t profile; /* profile of the next `row`; UINT32_MAX: none yet */
	bool in_tick;	  /* the line follows `tick` or `always` */
	bool ended;
};

/* A kind of line, identified by its first word. */
struct directive {
	const char *name;
	bool extra; /* `handle` parses words with further keys */
	/* Checks and completes the values; NULL: nothing to do.  After `tick`, the line is a statement. */
	int (*handle)(struct parser *p, struct stmt *st, struct error *err);
	enum stmt_kind kind;
	struct field fields[FIELDS_MAX];
};
extern const struct directive setup_directives[]; /* allowed before the first tick */
extern const size_t setup_directives_n;
extern const struct directive tick_directives[];
extern const size_t tick_directives_n;

/* Parses words [1..n) into the members of *ret that `fields` names.  `extra`: ignores words with a key that no field
 * has, instead of refusing them. */
CYC_MUST_CHECK int parse_fields(struct parser *p, const struct field *fields, bool extra, struct stmt *ret,
				struct error *err);

CYC_MUST_CHECK int find_event(const struct script *s, const char *name, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int find_dso(const struct script *s, const char *alias, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int find_sym(const struct script *s, const char *name, uint32_t *ret, struct error *err);

/* Returns true if the i-th field of the directive was given. */
static inline bool stmt_has(const struct stmt *st, unsigned field)
{
	return st->given >> field & 1;
}

#endif
