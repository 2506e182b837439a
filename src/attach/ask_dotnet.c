/* Connects to a .NET process, which listens at its diagnostics socket, in $TMPDIR or /tmp, from its start. */
#include "attach/dotnet.h"
#include "attach/way.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Opens the folder of the socket: TMPDIR in the environment with which the process was started, or /tmp. */
static int prepare(struct attach *a)
{
	enum { ENVIRON_MAX = 1024 * 1024 };
	char *text;
	ssize_t n = attach_load(a->proc, "environ", ENVIRON_MAX, &text);
	if (n < 0)
		return attach_fail(a, (int)-n, "its environment cannot be read: %s", strerror((int)-n));
	const char *path = dotnet_folder(text, (size_t)n);
	a->folder = attach_open_folder(a, path ? path : a->place->tmp);
	free(text);
	return a->folder < 0 ? a->folder : 0;
}

static int open_socket(struct attach *a)
{
	char name[64];
	dotnet_socket_name(a->status.own_pid, a->q->start_ticks, name, sizeof(name));
	int rc = attach_connect(a, a->folder, name);
	if (rc == 0)
		return attach_fail(a, ENOENT,
				   "nobody listens at its diagnostics socket (DOTNET_EnableDiagnostics=0?); %s",
				   dotnet_from_start);
	return rc < 0 ? rc : 0;
}

const struct attach_way attach_dotnet = {
	.none = "it does not map libcoreclr.so, so it is no .NET process",
	.socket = "diagnostics socket",
	.second_file = "perfinfo", /* some versions of .NET write this file besides the map */
	.prepare = prepare,
	.open = open_socket,
	.question = dotnet_question,
	.question_n = sizeof(dotnet_question),
	.parse = dotnet_answer_parse,
};
