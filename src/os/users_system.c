/* Finds names of users by the C library's name services: files, LDAP, systemd. */
#include "os/users.h"

#include "base/alloc.h"

#include <errno.h>
#include <pwd.h>

char *users_ask_system(uint64_t uid)
{
	struct passwd pw, *found = NULL;
	char buf[4096];
	if (getpwuid_r((uid_t)uid, &pw, buf, sizeof(buf), &found) != 0 || !found)
		return NULL;
	return mem_strdup(found->pw_name);
}

int users_find(const char *name, uint32_t *ret, struct error *err)
{
	const struct passwd *pw = getpwnam(name);
	if (!pw)
		return error_set(err, ENOENT, "there is no user '%.60s'", name);
	*ret = pw->pw_uid;
	return 0;
}
