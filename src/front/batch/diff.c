/* Computes the values of a comparison that all output formats write. */
#include "front/batch/batch.h"

const char *diff_state_id(const struct compare_change *c)
{
	static const char *const ids[] = {
		[CHANGE_NONE] = "none",
		[CHANGE_OK] = "compared",
		[CHANGE_BOUNDED] = "bounded",
		[CHANGE_NEW] = "new",
		[CHANGE_VANISHED] = "vanished",
		[CHANGE_FEW_SAMPLES] = "few-samples",
		[CHANGE_FEW_INTERVALS] = "few-intervals",
	};
	return ids[c->state];
}

struct value diff_name(const struct key_value *v)
{
	return v->kind == KEY_NUMBER ? value_int(v->number) : value_text(v->kind == KEY_TEXT ? v->text : NULL);
}

struct value diff_relative(const struct compare_change *c, double factor)
{
	return c->state == CHANGE_NONE ? value_text(NULL) : value_number(factor - 1);
}
