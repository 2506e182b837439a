#include "options/rows.h"

#include <string.h>

const struct command *const commands[COMMANDS] = {
	[COMMAND_SHOW] = &show_command,	      [COMMAND_RECORD] = &record_command,
	[COMMAND_DUMP] = &dump_command,	      [COMMAND_DIFF] = &diff_command,
	[COMMAND_COMPARE] = &compare_command, [COMMAND_DOCTOR] = &doctor_command,
	[COMMAND_LIST] = &list_command,	      [COMMAND_CALLS] = &calls_command,
	[COMMAND_PROBE] = &probe_command,     [COMMAND_ANNOTATE] = &annotate_command,
};

enum command_id command_find(const char *name)
{
	enum command_id c = COMMANDS - 1;
	while (c > COMMAND_SHOW && strcmp(commands[c]->name, name) != 0)
		c--;
	return c;
}
