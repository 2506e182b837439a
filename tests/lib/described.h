/* Describes processes that run, and looks for this one among them. */
#ifndef TESTS_LIB_DESCRIBED_H
#define TESTS_LIB_DESCRIBED_H

#include <cyctop/event.h>

/* Describes the processes of the target, up to this process.  Asserts that it has a name, and then a mapping of its
 * program, and that all records before that are whole. */
void assert_describes_this_process(const struct target *who);

#endif
