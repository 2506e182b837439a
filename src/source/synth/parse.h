/* Between the two halves of the parser: values of one line (value.c), and what a
 * line means (parse.c). */
#ifndef SOURCE_SYNTH_PARSE_H
#define SOURCE_SYNTH_PARSE_H

#include "source/synth/lex.h"
#include "source/synth/script.h"

enum value {
	VALUE_COUNT, /* uint64_t */
	VALUE_TIME,
	VALUE_AT, /* a time, or a part of the interval */
	VALUE_PART,
	VALUE_RATIO,
	VALUE_WAVE,  /* 30%:20 into wave_ppm, wave_ticks */
	VALUE_CPUS,  /* into cpu_first, cpu_last */
	VALUE_CPU,   /* one of them */
	VALUE_TASK,  /* into pid, tid */
	VALUE_CHILD, /* into child_pid, child_tid */
	VALUE_EVENT, /* uint32_t ids of things declared before */
	VALUE_SYM,
	VALUE_DSO,
	VALUE_PROFILE,
	VALUE_MAPS, /* alias,alias into maps_first, maps_n */
	VALUE_MODE, /* user, kernel, ... */
	VALUE_NAME, /* const char * */
	VALUE_HEX,  /* into maps_first, bytes_n */
	VALUE_FLAG, /* bool: a bare word */
};

/* One field of a directive; those without a key are taken from the bare words, in
 * order, before the flags are. */
struct field {
	const char *key;
	enum value kind;
	uint16_t member; /* of struct stmt */
	bool required;
};

#define FIELDS_MAX 12

struct parser {
	struct script *s;
	unsigned line_no;
	struct line line;
	uint32_t profile; /* `row` adds to it; UINT32_MAX: none yet */
	bool in_tick;	  /* or in `always` */
	bool ended;
};

/* What the first word of a line means. */
struct directive {
	const char *name;
	bool extra; /* has keys that `handle` looks at itself */
	/* NULL: the values are all, and become a statement of the tick. */
	int (*handle)(struct parser *p, struct stmt *st, struct error *err);
	enum stmt_kind kind;
	struct field fields[FIELDS_MAX];
};
extern const struct directive setup_directives[]; /* before the first tick */
extern const size_t setup_directives_n;
extern const struct directive tick_directives[];
extern const size_t tick_directives_n;

/* Turns words [1..n) into *ret by `fields`.  Words with a key that no field has
 * are left to the caller where `extra`, and refused otherwise. */
CYC_MUST_CHECK int parse_fields(struct parser *p, const struct field *fields, bool extra, struct stmt *ret,
				struct error *err);

CYC_MUST_CHECK int find_event(const struct script *s, const char *name, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int find_dso(const struct script *s, const char *alias, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int find_sym(const struct script *s, const char *name, uint32_t *ret, struct error *err);

/* Was the field at this place of the directive's list there? */
static inline bool stmt_has(const struct stmt *st, unsigned field)
{
	return st->given >> field & 1;
}

#endif
