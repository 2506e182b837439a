/* Parsers of what is read of a Java virtual machine (HotSpot) before and after it is asked for the names of the code
 * that it made.  All of it may come from a process that lies. */
#ifndef ATTACH_JVM_H
#define ATTACH_JVM_H

#include <cyctop/base.h>

/* Does a command line, as /proc/PID/cmdline has it, forbid the JVM to answer?  It would take SIGQUIT for the order to
 * print its threads. */
bool jvm_is_closed(const char *cmdline, size_t n);

/* Reads the answer of a JVM: a status in decimal, a newline, a text.  0: it did what it was told.  Otherwise -errno,
 * with the reason as the end of a sentence in `why`, without control characters: -EBADMSG: that is no answer;
 * -ENOTSUP: it does not know the command; -EIO: it could not. */
CYC_MUST_CHECK int jvm_answer_parse(const char *text, size_t n, char *why, size_t cap);

#endif
