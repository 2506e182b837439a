/* The rules of a file. */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include "unwind/rule.h"

struct unwind {
	enum unwind_machine machine;
	size_t n, rules_n;
	uint32_t *starts; /* [n]: offsets in the file, ascending */
	uint16_t *of;	  /* [n]: index of the rule from there on */
	struct unwind_rule *rules;
};

#endif
