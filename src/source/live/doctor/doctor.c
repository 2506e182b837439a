#include "source/live/doctor/facts.h"

#include "os/privileges.h"

#include <fcntl.h>
#include <unistd.h>

void doctor_examine(struct doctor_line ret[static DOCTOR_LINES])
{
	struct doctor_facts f;
	int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	facts_settings(root_fd, &f);
	facts_probe(&f);
	privileges_drop(PRIVILEGES_MEASURE);
	facts_look(root_fd, &f);
	if (root_fd >= 0)
		close(root_fd);
	doctor_judge(&f, ret);
}
