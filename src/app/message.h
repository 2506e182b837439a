/* Messages to the user on stderr. */
#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include "base/limits.h"

#include <cyctop/base.h>

/* Prints "cyctop: ", the text cleaned as one line (names in it are other people's), and a newline. */
void message(const char *fmt, ...) CYC_PRINTF(1, 2);
/* The same for a notice of a source, a line for each of its parts, which are separated by "; ". */
void message_notice(const char *notice);
/* Standard output, or a file in its place, could not be written, for the reason of this errno. */
void message_unwritten(int code);
/* Writes the text as it is; a reader that does not read is waited for until a signal ends the program. */
void message_write(const char *text);
/* The limits that were reached, a line each. */
void message_limits(const struct limit_counts *limits);

#endif
