/* Keeps the names of sampled JIT code, so that a recording of the samples can contain them.
 *
 * The log takes at most LIMIT_CODE_NAMES bytes; beyond it, the half with the oldest samples is dropped. */
#ifndef RESOLVE_NAMING_CODE_LOG_H
#define RESOLVE_NAMING_CODE_LOG_H

#include <cyctop/resolve.h>

struct code_sample {
	int32_t pid;
	uint64_t era; /* differs between processes that had the same pid, and changes with each exec */
	uint64_t time_ns;
};

struct code_log;
struct code_log *code_log_create(void);
void code_log_destroy(struct code_log *l);
/* Adds the function `hit` (from a jit_table), in which sample `s` is, unless the log has it already. */
void code_log_add(struct code_log *l, const struct code_sample *s, const struct symtab_hit *hit);
/* Drops code that was last sampled before `before_ns`. Does nothing if this is less than an eighth of the log, because
 * it would not be worth the copying. */
void code_log_forget(struct code_log *l, uint64_t before_ns);
/* Converts the log for a recording: sets *ret to an array of *n_ret elements, one per process; see resolver_code(). */
void code_log_get(const struct code_log *l, struct pd_code **ret, size_t *n_ret, uint64_t *dropped_ns_ret);

#endif
