/* Parsers of the command line of a Java virtual machine (HotSpot), and of its answer to the request for the names of
 * its JIT code.  A process may send anything as an answer. */
#ifndef ATTACH_JVM_H
#define ATTACH_JVM_H

#include <cyctop/base.h>

/* Returns true if a command line, in the format of /proc/PID/cmdline, has -XX:+DisableAttachMechanism.  Such a JVM
 * never answers, and prints its threads upon SIGQUIT. */
bool jvm_is_closed(const char *cmdline, size_t n);

/* Parses the answer of a JVM: a status in decimal, a newline, a text.  Returns 0 if the JVM did what it was asked for.
 * Otherwise sets `why` to the reason, as the end of a sentence without control characters, and returns -errno:
 * -EBADMSG: not an answer; -ENOTSUP: the JVM does not know the command; -EIO: it refused. */
CYC_MUST_CHECK int jvm_answer_parse(const char *text, size_t n, char *why, size_t cap);

#endif
