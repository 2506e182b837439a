/* Finds names of users in /etc/passwd alone, for static executables: these cannot load the C library's name
 * services. */
#include "os/users.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

char *users_ask_system(uint64_t uid)
{
	(void)uid;
	return NULL; /* users_create() has read the file already */
}

int users_find(const char *name, uint32_t *ret, struct error *err)
{
	int rc = error_set(err, ENOENT,
			   "/etc/passwd has no user '%.60s', and a static cyctop asks nobody else: give the "
			   "number",
			   name);
	FILE *f = fopen("/etc/passwd", "re");
	for (const struct passwd *pw; f && rc < 0 && (pw = fgetpwent(f));)
		if (strcmp(pw->pw_name, name) == 0) {
			*ret = pw->pw_uid;
			rc = 0;
		}
	if (f)
		fclose(f);
	return rc;
}
