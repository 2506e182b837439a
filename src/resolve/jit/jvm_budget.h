/* Limits the CPU time that the loader thread spends on the memory of JVMs: malicious JVMs, however many and however
 * often started, must not delay the names of other programs.  Pure: the caller passes the time. */
#ifndef RESOLVE_JIT_JVM_BUDGET_H
#define RESOLVE_JIT_JVM_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum { JVM_BUDGET_USERS = 32 };

struct jvm_spent {
	uint64_t ns, at_ns; /* CPU time that counted as spent at at_ns (CLOCK_MONOTONIC) */
};
/* Returns the CPU time in ns that counts as spent at now_ns; spent time decreases by `minutely_ns` per minute. */
uint64_t jvm_spent_at(const struct jvm_spent *s, uint64_t minutely_ns, uint64_t now_ns);

struct jvm_budget {
	struct jvm_spent all, by_user[JVM_BUDGET_USERS]; /* by_user: first readings, [uid % JVM_BUDGET_USERS] */
};

/* Returns true if a JVM of the user may be read now. `first`: it was not read before. First readings are limited per
 * user, so that one user's processes delay the names of other users' code by no more than this limit. */
bool jvm_budget_left(const struct jvm_budget *b, uint32_t uid, bool first, uint64_t now_ns);
void jvm_budget_spend(struct jvm_budget *b, uint32_t uid, bool first, uint64_t now_ns, uint64_t spent_ns);

#endif
