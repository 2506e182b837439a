/* Parsers of the command line of a Java virtual machine (HotSpot), and of its answer to the request for the names of
 * its code.  A process may send anything as an answer. */
#ifndef ATTACH_JVM_H
#define ATTACH_JVM_H

#include <cyctop/base.h>

/* Returns true if a command line, as in /proc/PID/cmdline, has -XX:+DisableAttachMechanism: such a JVM never answers,
 * and SIGQUIT makes it print its threads. */
bool jvm_is_closed(const char *cmdline, size_t n);

/* Parses the answer of a JVM: a status in decimal, a newline, a text.  Returns 0 if the JVM did what it was asked for.
 * Otherwise returns -errno, with the reason as the end of a sentence in `why`, without control characters. -EBADMSG:
 * not an answer; -ENOTSUP: the JVM does not know the command; -EIO: it refused. */
CYC_MUST_CHECK int jvm_answer_parse(const char *text, size_t n, char *why, size_t cap);

#endif
