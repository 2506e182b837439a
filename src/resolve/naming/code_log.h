/* Keeps the names of sampled JIT code, so that a recording of the samples can have them.
 *
 * The log takes at most LIMIT_CODE_NAMES bytes; beyond it, the half with the oldest samples is dropped. */
#ifndef RESOLVE_NAMING_CODE_LOG_H
#define RESOLVE_NAMING_CODE_LOG_H

#include <cyctop/resolve.h>

struct code_sample {
	int32_t pid;
	uint64_t era; /* differs between processes with one pid, and after each exec */
	uint64_t time_ns;
};

struct code_log;
struct code_log *code_log_create(void);
void code_log_destroy(struct code_log *l);
/* Adds the function (`hit`, from a jit_table) of a sample. */
void code_log_add(struct code_log *l, const struct code_sample *s, const struct symtab_hit *hit);
/* Drops code with its last sample before `before_ns`, if that is at least an eighth of the log. */
void code_log_forget(struct code_log *l, uint64_t before_ns);
/* Converts the log for a recording: see resolver_code(). */
void code_log_get(const struct code_log *l, struct pd_code **ret, size_t *n_ret, uint64_t *dropped_ns_ret);

#endif
