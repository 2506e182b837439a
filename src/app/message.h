/* Prints messages to the user on stderr. */
#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include "base/limits.h"

#include <cyctop/options.h>
#include <stdio.h>

/* Prints "cyctop: ", the text and a newline.  Removes control characters, as names in the text are untrusted. */
void message(const char *fmt, ...) CYC_PRINTF(1, 2);
/* Prints the notice of a source, one line for each of its clauses, which "; " separates.  If the user has named the
 * events, also prints which events are not measured and why, one line for each reason. */
struct source_info;
void message_source(const struct source_info *info, bool events_given);
/* Prints that standard output, or the file in its place, could not be written; `code`: the errno, or 0 if unknown. */
void message_unwritten(int code);
/* Callback for signals_watch(): restores the terminal, says that the output is incomplete, and ends the process. */
void message_give_up(void);
/* Flushes standard output.  If this fails, prints why and returns false.  A closed pipe is no failure: its reader has
 * read enough. */
bool message_flush(void);
/* Parses a command line, see options_parse().  Returns -1 if the command shall run.  Otherwise prints the command's
 * help, or what is wrong with the command line, and returns the exit status. */
int message_options(enum command_id command, int argc, char **argv, struct options *ret);
/* Writes a text to stderr as it is.  Waits for a slow reader, but only until a signal ends the program. */
void message_write(const char *text);
/* Prints the limits that were reached, one per line. */
void message_limits(const struct limit_counts *limits);

#endif
