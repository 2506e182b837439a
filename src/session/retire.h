/* Frees ids and names that no kept measurement refers to any more. */
#ifndef SESSION_RETIRE_H
#define SESSION_RETIRE_H

#include "session/turns.h"

#include <cyctop/model.h>
#include <cyctop/resolve.h>

/* The owners of ids and names, and who refers to these; all borrowed. */
struct retired_from {
	struct resolver *resolver;
	struct model *model;
	const struct model *copies[2]; /* other models whose facts refer to names; NULL: there is none */
	const struct turns *turns;
	bool keeps_tasks; /* tasks are not merged: the report of a recording has a row for each pid */
};
void retire_unused(const struct retired_from *f);

#endif
