/* Limits the CPU time that the loader's thread spends on the memory of all JVMs: a JVM that lies, and is started
 * over and over, or a thousand of them, must not keep other programs from getting their names.  Pure: time is passed
 * in. */
#ifndef RESOLVE_JIT_JVM_BUDGET_H
#define RESOLVE_JIT_JVM_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum { JVM_BUDGET_USERS = 32 };

struct jvm_budget {
	struct jvm_spent {
		uint64_t ns, at_ns;	  /* time that was spent, and when it was last computed */
	} all, by_user[JVM_BUDGET_USERS]; /* users whose ids have the same remainder share an entry */
};

/* Returns true if a JVM of the user may be read now; `first`: it was not read before.  First readings are limited
 * per user, so that nobody's processes delay another user's names by more than the limit for all. */
bool jvm_budget_left(const struct jvm_budget *b, uint32_t uid, bool first, uint64_t now_ns);
void jvm_budget_spend(struct jvm_budget *b, uint32_t uid, bool first, uint64_t now_ns, uint64_t spent_ns);

#endif
