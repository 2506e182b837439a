/* Messages to the user on stderr. */
#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include "base/limits.h"

#include <cyctop/base.h>

/* Prints "cyctop: ", the text cleaned as one line (names in it are other people's), and a newline. */
void message(const char *fmt, ...) CYC_PRINTF(1, 2);
/* The limits that were reached, a line each. */
void message_limits(const struct limit_counts *limits);

#endif
