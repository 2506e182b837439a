/* What a batch format prints of one refresh. */
#ifndef TESTS_LIB_PRINT_BATCH_H
#define TESTS_LIB_PRINT_BATCH_H

#include <cyctop/front.h>

const struct batch_format *batch_format_named(const char *name);
/* Its beginning and one refresh; the caller frees the text. */
char *print_batch(const char *format, const struct view_input *in, const struct batch_config *config);

#endif
