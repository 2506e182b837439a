/* Parsers of what is read of a Java virtual machine (HotSpot) before and after it is asked for the names of the code
 * that it made.  All of it may come from a process that lies. */
#ifndef BASE_JVM_H
#define BASE_JVM_H

#include <cyctop/base.h>

/* What /proc/PID/status says of a process. */
struct jvm_status {
	uint32_t uid, gid, real_uid; /* the first two: effective */
	uint32_t own_pid;	     /* in the process's own pid namespace */
	bool catches_quit;	     /* it has a handler for SIGQUIT, which ends it otherwise */
	bool stopped;		     /* by a signal or a debugger: it answers nobody */
	bool ended;
};
/* Parses the whole file.  0, or -EBADMSG: a line is missing or has no number. */
CYC_MUST_CHECK int jvm_status_parse(const char *text, struct jvm_status *ret);

enum jvm_kind {
	JVM_NONE,
	JVM_HOTSPOT,
	JVM_OTHER, /* OpenJ9, which has a libjvm.so, too, and takes SIGQUIT for another order */
};
/* Is the file of this path, which a process maps, the library of a JVM? */
enum jvm_kind jvm_library(const char *path);

/* Does a command line, as /proc/PID/cmdline has it, forbid the JVM to answer?  It would take SIGQUIT for the order to
 * print its threads. */
bool jvm_is_closed(const char *cmdline, size_t n);

/* Reads the answer of a JVM: a status in decimal, a newline, a text.  0: it did what it was told.  Otherwise -errno,
 * with the reason as the end of a sentence in `why`, without control characters: -EBADMSG: that is no answer;
 * -ENOTSUP: it does not know the command; -EIO: it could not. */
CYC_MUST_CHECK int jvm_answer_parse(const char *text, size_t n, char *why, size_t cap);

#endif
