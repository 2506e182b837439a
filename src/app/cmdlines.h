/* Reads command lines of processes from /proc, on a separate thread: /proc/PID/cmdline is the memory of that
 * process, and reading it may hang. */
#ifndef APP_CMDLINES_H
#define APP_CMDLINES_H

#include "base/limits.h"
#include "os/asker.h"

#include <cyctop/catalog.h>

/* Reads the command line of the pid in the lower half of the question, at most LIMIT_COMMAND_LINE + 1 bytes.
 * Characters between arguments and lines become blanks. */
char *cmdlines_read(uint64_t question);

struct cmdlines;
/* Starts the thread.  `wait_ms`: how long cmdlines_get() may wait for answers, in all; 0: never (the screen). */
struct cmdlines *cmdlines_create(asker_fn *read, int64_t wait_ms);
void cmdlines_destroy(struct cmdlines *c);
/* Returns the command line of a process by the id of its leader; it is read when it is first asked for, and again
 * after an exec.  NULL: it is being read, or could not be.  Valid until cmdlines_update(). */
const char *cmdlines_get(struct cmdlines *c, const struct catalog *cat, uint32_t leader);
/* Takes the answers that have come.  If they take too much memory, all are forgotten, and read again when they are
 * asked for. */
void cmdlines_update(struct cmdlines *c);
/* Returns a number that grows with every answer that was taken.  `c` may be NULL. */
uint64_t cmdlines_answers(const struct cmdlines *c);
/* Returns the limits that were reached; valid as long as `c`. */
const struct limit_counts *cmdlines_limits(const struct cmdlines *c);

#endif
