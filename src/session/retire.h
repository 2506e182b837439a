/* Frees ids and names that no kept measurement refers to any more. */
#ifndef SESSION_RETIRE_H
#define SESSION_RETIRE_H

#include <cyctop/model.h>
#include <cyctop/resolve.h>
#include <cyctop/session.h>

enum { SESSION_MODELS = 3 + SESSION_SIDES };

/* The owner of ids and names, and the models that refer to them.  All pointers are borrowed. */
struct retired_from {
	struct resolver *resolver;
	struct model *models[SESSION_MODELS]; /* as session_models() lists them; only the first has a total */
	bool keeps_tasks; /* tasks are not merged: the report of a recording has a row for each pid */
};
void retire_unused(const struct retired_from *f);

#endif
