/* Parsers of what a Java virtual machine (HotSpot) shows before, and answers after, it is asked for the names of its
 * code.  All of it may come from a process that lies. */
#ifndef ATTACH_JVM_H
#define ATTACH_JVM_H

#include <cyctop/base.h>

/* Returns true if a command line, as in /proc/PID/cmdline, forbids the JVM to answer: it would take SIGQUIT as the
 * order to print its threads. */
bool jvm_is_closed(const char *cmdline, size_t n);

/* Reads the answer of a JVM: a status in decimal, a newline, a text.  Returns 0 if it did what it was told.
 * Otherwise returns -errno, with the reason as the end of a sentence in `why`, without control characters. -EBADMSG:
 * not an answer; -ENOTSUP: it does not know the command; -EIO: it could not. */
CYC_MUST_CHECK int jvm_answer_parse(const char *text, size_t n, char *why, size_t cap);

#endif
