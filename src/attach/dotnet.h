/* Messages to a .NET process (CoreCLR) over its diagnostics socket, and parsers of its answers.  The protocol is
 * documentation/design-docs/ipc-protocol.md of dotnet/diagnostics.  A process may send anything as an answer. */
#ifndef ATTACH_DOTNET_H
#define ATTACH_DOTNET_H

#include <cyctop/base.h>

/* The message EnablePerfMap: "write a perf map of all code, also of code compiled later". */
enum { DOTNET_QUESTION_BYTES = 24 };
extern const char dotnet_question[DOTNET_QUESTION_BYTES];

/* Advice for the user, if a process cannot be asked: how to start the process so that it writes a perf map.  It is the
 * end of a sentence. */
extern const char dotnet_from_start[];

/* Makes the name of a process's socket, from its pid in its own pid namespace and the start time of /proc/PID/stat. */
void dotnet_socket_name(uint32_t own_pid, uint64_t start_ticks, char *buf, size_t cap);

/* Finds the folder of the socket (TMPDIR) in the text of /proc/PID/environ, after which there must be a NUL.  NULL: the
 * default, /tmp. */
const char *dotnet_folder(const char *vars, size_t n);

/* Parses the whole answer.  Returns 0 if the process did what it was asked for.  Otherwise returns -errno, with the
 * reason as the end of a sentence in `why`. -EBADMSG: not an answer; -ENOTSUP: the process does not know the command;
 * -EIO: it refused. */
CYC_MUST_CHECK int dotnet_answer_parse(const char *bytes, size_t n, char *why, size_t cap);

#endif
