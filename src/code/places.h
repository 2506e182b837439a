/* Reads debug information with libdw, which may crash: only for a child process (os/child.h). */
#ifndef CODE_PLACES_H
#define CODE_PLACES_H

#include "code/dw_library.h"

#include <cyctop/code.h>

#if HAVE_DW

/* Fills in ret->v[in->n], with strings of ret->private.  Returns why there are no places; NULL: places were found. */
const char *dw_read(const struct dw_library *lib, int fd, const struct instructions *in, struct code_places *ret);

#endif

#endif
