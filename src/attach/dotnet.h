/* Messages to a .NET process (CoreCLR) over its diagnostics socket, and the parser of its answers.  dotnet/diagnostics
 * specifies the protocol in documentation/design-docs/ipc-protocol.md.  A process may send anything as an answer. */
#ifndef ATTACH_DOTNET_H
#define ATTACH_DOTNET_H

#include <cyctop/base.h>

/* The message EnablePerfMap, which asks for a perf map of all code, including code that is compiled later. */
enum { DOTNET_QUESTION_BYTES = 24 };
extern const char dotnet_question[DOTNET_QUESTION_BYTES];

/* Advice for the user, if a process cannot be asked: how to start the process so that it writes a perf map.  It is the
 * end of a sentence. */
extern const char dotnet_from_start[];

/* Makes the name of the socket from the process's pid in its own namespace and the start time in /proc/PID/stat. */
void dotnet_socket_name(uint32_t own_pid, uint64_t start_ticks, char *buf, size_t cap);

/* Finds the folder of the socket, TMPDIR, in the `n` bytes of /proc/PID/environ, after which there must be a NUL.
 * Returns NULL if TMPDIR is not set, so that the socket is in /tmp. */
const char *dotnet_folder(const char *vars, size_t n);

/* Parses the whole answer.  Returns 0 if the process did what it was asked for.  Otherwise sets `why` to the reason, as
 * the end of a sentence, and returns -errno: -EBADMSG: not an answer; -ENOTSUP: the process does not know the command;
 * -EIO: it refused. */
CYC_MUST_CHECK int dotnet_answer_parse(const char *bytes, size_t n, char *why, size_t cap);

#endif
