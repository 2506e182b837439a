/* Command lines of processes, read from /proc on a thread of its own: /proc/PID/cmdline is the memory
 * of that process, and reading it may hang. */
#ifndef APP_CMDLINES_H
#define APP_CMDLINES_H

#include "base/limits.h"
#include "os/asker.h"

#include <cyctop/catalog.h>

/* Reads the command line of the pid in the lower half of the question, at most LIMIT_COMMAND_LINE + 1
 * bytes; what separates arguments and lines becomes blanks. */
char *cmdlines_read(uint64_t question);

struct cmdlines;
/* `wait_ms`: how long cmdlines_get() may wait for answers, in all; 0: never (the screen). */
struct cmdlines *cmdlines_create(asker_fn *read, int64_t wait_ms);
void cmdlines_destroy(struct cmdlines *c);
/* The command line of a process by the id of its leader; it is read when it is first asked for, and
 * again after an exec.  NULL: it is being read, or could not be.  Valid until cmdlines_update(). */
const char *cmdlines_get(struct cmdlines *c, const struct catalog *cat, uint32_t leader);
/* Adopts what was read meanwhile; of too much, all is forgotten, and read again where it is asked for. */
void cmdlines_update(struct cmdlines *c);
/* Grows with every answer that was adopted.  `c` may be NULL. */
uint64_t cmdlines_answers(const struct cmdlines *c);
/* The limits that were reached; valid as long as `c`. */
const struct limit_counts *cmdlines_limits(const struct cmdlines *c);

#endif
