/* What is said to a .NET process (CoreCLR) over its diagnostics socket, and parsers of what is read of it.  The
 * protocol is documentation/design-docs/ipc-protocol.md of dotnet/diagnostics.  All of it may come from a process that
 * lies. */
#ifndef ATTACH_DOTNET_H
#define ATTACH_DOTNET_H

#include <cyctop/base.h>

/* EnablePerfMap: "write a perf map of what was and will be compiled". */
enum { DOTNET_QUESTION_BYTES = 24 };
extern const char dotnet_question[DOTNET_QUESTION_BYTES];

/* What helps a process that cannot be asked. */
extern const char dotnet_from_start[];

/* The name of the socket of a process: its pid in its own pid namespace, and the start time of /proc/PID/stat. */
void dotnet_socket_name(uint32_t own_pid, uint64_t start_ticks, char *buf, size_t cap);

/* The folder of the socket, from the text of /proc/PID/environ, which must be followed by a NUL; NULL: the default. */
const char *dotnet_folder(const char *vars, size_t n);

/* Reads the whole answer.  0: it did what it was told.  Otherwise -errno, with the reason as the end of a sentence in
 * `why`: -EBADMSG: that is no answer; -ENOTSUP: it does not know the command; -EIO: it could not. */
CYC_MUST_CHECK int dotnet_answer_parse(const char *bytes, size_t n, char *why, size_t cap);

#endif
