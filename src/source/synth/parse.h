/* Shared by the parts of the parser: value.c for values of a line, setup.c and tick.c for statements, parse.c for the
 * script. */
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
	VALUE_EVENT, /* name of an event declared before, stored as its index (uint32_t); likewise the next three */
	VALUE_SYM,
	VALUE_DSO,
	VALUE_PROFILE,
	VALUE_MAPS,	/* alias,alias, stored in maps_first, maps_n */
	VALUE_PROFILES, /* name,name, stored in maps_first, maps_n */
	VALUE_SYMS,	/* alias:symbol,alias:symbol, stored in maps_first, maps_n */
	VALUE_TURNS,	/* random, heavy, cycle or gamma */
	VALUE_MODE,	/* user, kernel, ... */
	VALUE_NAME,	/* const char * */
	VALUE_HEX,	/* stored in maps_first, bytes_n */
	VALUE_FLAG,	/* a bare word that sets a bool */
};

/* A field of a directive.  Bare words of a line are values of the fields without a key, in order; those left over are
 * flags. */
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
	uint32_t profile; /* profile that the next `row` belongs to; UINT32_MAX: none */
	bool in_tick;	  /* the line follows `tick` or `always` */
	bool ended;
};

/* A kind of line, known by its first word. */
struct directive {
	const char *name;
	bool extra; /* words with other keys are left to `handle` */
	/* Checks and completes the parsed values; NULL: nothing to do.  In a tick, *st becomes a statement. */
	int (*handle)(struct parser *p, struct stmt *st, struct error *err);
	enum stmt_kind kind;
	struct field fields[FIELDS_MAX];
};
extern const struct directive setup_directives[]; /* allowed before the first tick */
extern const size_t setup_directives_n;
extern const struct directive tick_directives[];
extern const size_t tick_directives_n;

/* Parses the words after the first one into the members of *ret that `fields` describes.  `extra`: ignores words with
 * unknown keys instead of refusing them. */
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
