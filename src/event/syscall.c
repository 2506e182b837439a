/* The table of system calls of this program's architecture. */
#include <cyctop/event.h>

#include <string.h>

const char *event_syscall_name(uint64_t number)
{
	static const struct {
		uint64_t number;
		const char *name;
	} rows[] = {
#include "event/syscalls.inc"
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].number == number)
			return rows[i].name;
	return NULL;
}

bool event_syscalls_are_of(const char *machine)
{
	/* compares only the beginning: uname -m says "armv7l" for "arm" */
	return strncmp(machine, CYCTOP_MACHINE, sizeof(CYCTOP_MACHINE) - 1) == 0;
}
