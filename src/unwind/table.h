/* The unwind rules of a file, as an immutable table. */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include "unwind/rule.h"

struct unwind {
	enum unwind_machine machine;
	size_t n, rules_n;
	uint32_t *starts; /* [n]: file offsets, ascending */
	uint16_t *of;	  /* [n]: index in `rules`, from that offset on */
	struct unwind_rule *rules;
};

#endif
