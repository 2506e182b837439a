#include "app/dump.h"
#include "app/commands.h"
#include "os/signals.h"
#include "app/message.h"
#include "os/privileges.h"

#include <errno.h>

/* Reports an error.  Returns the exit status, which is success if a reader closed the pipe: it has read enough. */
static int failed(const struct error *err)
{
	if (err->code == EPIPE)
		return 0;
	message("%s", err->text);
	return EXIT_FAILED;
}

int dump_main(int argc, char **argv)
{
	struct dump_options o;
	struct error err = {0};
	privileges_drop(PRIVILEGES_READ);
	signals_usual();
	signals_ignore_failed_writes();
	int ended = message_options(COMMAND_DUMP, argc, argv, &o.common);
	if (ended >= 0)
		return ended;
	return dump_file(o.path, o.json, stdout, &err) < 0 ? failed(&err) : 0;
}
