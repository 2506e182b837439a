/* Prints messages to the user on stderr. */
#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include "base/limits.h"

#include <cyctop/options.h>
#include <stdio.h>

/* Prints "cyctop: ", the text without control characters (names in it are untrusted), and a newline. */
void message(const char *fmt, ...) CYC_PRINTF(1, 2);
/* Prints the notice of a source: a line for each of its clauses, which are separated by "; ".  If the user has named
 * the events, prints also which of them are not measured, and why: a line for each reason. */
struct source_info;
void message_source(const struct source_info *info, bool events_given);
/* Prints that standard output, or the file in its place, could not be written, because of this errno (0: not known). */
void message_unwritten(int code);
/* Callback for signals_watch(): restores the terminal, says that the output is incomplete, and ends the process. */
void message_give_up(void);
/* Flushes standard output.  Returns false, and prints why, if this fails; a reader that closed the pipe has read enough
 * and is no failure. */
bool message_flush(void);
/* Parses a command line, see options_parse().  Returns -1 if the command shall run; else the exit status, after
 * printing the command's help, or what is wrong with the command line. */
int message_options(enum command_id command, int argc, char **argv, struct options *ret);
/* Writes a text to stderr as it is.  Waits for a slow reader until a signal ends the program. */
void message_write(const char *text);
/* Prints the limits that were reached, one per line. */
void message_limits(const struct limit_counts *limits);

#endif
