/* Prints messages to the user on stderr. */
#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include "base/limits.h"

#include <cyctop/options.h>
#include <stdio.h>

/* Prints "cyctop: ", the text cleaned as one line (names in it may contain anything), and a newline. */
void message(const char *fmt, ...) CYC_PRINTF(1, 2);
/* Prints the notice of a source: a line for each of its parts, which are separated by "; ".  And, if the user has named
 * the events, which of them are not measured, and why: a line for each reason. */
struct source_info;
void message_source(const struct source_info *info, bool events_given);
/* Says that standard output, or the file in its place, could not be written, for the reason of this errno. */
void message_unwritten(int code);
/* Puts the terminal right, says that the output is not complete, and ends the process: for signals_watch(). */
void message_give_up(void);
/* Writes what is left of standard output.  Returns false, and says why, if that cannot be done; a reader that went away
 * has seen enough. */
bool message_flush(void);
/* Parses a command line, and says what is wrong with it, or prints the help of the command.  Returns the exit status;
 * -1: neither, and the command goes on.  See options_parse(). */
int message_options(enum command_id command, int argc, char **argv, struct options *ret);
/* Writes the text as it is.  Waits for a reader that does not read until a signal ends the program. */
void message_write(const char *text);
/* Prints the limits that were reached, one per line. */
void message_limits(const struct limit_counts *limits);

#endif
