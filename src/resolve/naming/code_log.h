/* Keeps the names of code made at run time that has samples, so that a recording of these samples can contain them.
 *
 * The log takes at most LIMIT_CODE_NAMES; beyond it, the half whose samples are oldest is dropped. */
#ifndef RESOLVE_NAMING_CODE_LOG_H
#define RESOLVE_NAMING_CODE_LOG_H

#include <cyctop/resolve.h>

struct code_sample {
	int32_t pid;
	uint64_t era; /* differs between processes of one pid, and between the programs that a process executes */
	uint64_t time_ns;
};

struct code_log;
struct code_log *code_log_create(void);
void code_log_destroy(struct code_log *l);
/* Adds the function `hit`, of a jit_table, that the sample was in. */
void code_log_add(struct code_log *l, const struct code_sample *s, const struct symtab_hit *hit);
/* Drops code whose last sample was before `before_ns`, if that is an eighth of the log or more. */
void code_log_forget(struct code_log *l, uint64_t before_ns);
/* Returns the log in the format of a recording: see resolver_code(). */
void code_log_get(const struct code_log *l, struct pd_code **ret, size_t *n_ret, uint64_t *dropped_ns_ret);

#endif
