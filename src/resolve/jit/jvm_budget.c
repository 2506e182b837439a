#include "resolve/jit/jvm_budget.h"

#include <cyctop/base.h>

/* Limits of CPU time per minute: for first readings of one user's JVMs, and for all JVMs.  A first reading of an honest
 * JVM takes some ten milliseconds; any reading is stopped after half a second (jvm_memory.c). */
static const uint64_t minute_ns = 60000000000, firsts_ns = 1000000000, all_ns = 6000000000;

uint64_t jvm_spent_at(const struct jvm_spent *s, uint64_t minutely_ns, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns > s->at_ns ? now_ns - s->at_ns : 0;
	/* multiplied before division, so that short times count, too */
	uint64_t fallen_ns = u64_mul_div(passed_ns, minutely_ns, minute_ns);
	return s->ns > fallen_ns ? s->ns - fallen_ns : 0;
}

static void spend(struct jvm_spent *s, uint64_t minutely_ns, uint64_t now_ns, uint64_t spent_ns)
{
	*s = (struct jvm_spent){jvm_spent_at(s, minutely_ns, now_ns) + spent_ns, now_ns};
}

bool jvm_budget_left(const struct jvm_budget *b, uint32_t uid, bool first, uint64_t now_ns)
{
	return jvm_spent_at(&b->all, all_ns, now_ns) < all_ns &&
	       (!first || jvm_spent_at(&b->by_user[uid % JVM_BUDGET_USERS], firsts_ns, now_ns) < firsts_ns);
}

void jvm_budget_spend(struct jvm_budget *b, uint32_t uid, bool first, uint64_t now_ns, uint64_t spent_ns)
{
	spend(&b->all, all_ns, now_ns, spent_ns);
	if (first)
		spend(&b->by_user[uid % JVM_BUDGET_USERS], firsts_ns, now_ns, spent_ns);
}
