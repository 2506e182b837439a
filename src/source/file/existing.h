/* Parts of writer_existing(). */
#ifndef SOURCE_FILE_EXISTING_H
#define SOURCE_FILE_EXISTING_H

#include <cyctop/writer.h>

/* A KSYMBOL record for each piece of code that the kernel made and `kallsyms` lists; 0, or
 * what put() failed with. */
int existing_code(const char *kallsyms, writer_put_fn *put, void *ctx);

#endif
