#include "app/users.h"

#include "base/alloc.h"
#include "base/index.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

struct user {
	uint32_t uid;
	char name[33];
};
struct users {
	VEC(struct user *) all;
	struct index by_uid;
};

static bool same_uid(const void *ctx, uint32_t pos)
{
	const struct {
		const struct users *u;
		uint32_t uid;
	} *want = ctx;
	return want->u->all.data[pos]->uid == want->uid;
}

static void remember(struct users *u, uint32_t uid, const char *name)
{
	struct user *user = mem_calloc(1, sizeof(*user));
	user->uid = uid;
	snprintf(user->name, sizeof(user->name), "%s", name);
	index_add(&u->by_uid, hash_u64(uid), (uint32_t)u->all.n);
	vec_push(&u->all) = user;
}

static const char *lookup(const struct users *u, uint32_t uid)
{
	const struct {
		const struct users *u;
		uint32_t uid;
	} want = {u, uid};
	uint32_t pos = index_find(&u->by_uid, hash_u64(uid), same_uid, &want);
	return pos == INDEX_NONE ? NULL : u->all.data[pos]->name;
}

/* The local accounts at once: one small file instead of a name-service library and
 * whatever network stands behind it. */
struct users *users_create(void)
{
	struct users *u = mem_calloc(1, sizeof(*u));
	index_init(&u->by_uid);
	FILE *f = fopen("/etc/passwd", "re");
	for (struct passwd *pw; f && (pw = fgetpwent(f));)
		if (!lookup(u, pw->pw_uid))
			remember(u, pw->pw_uid, pw->pw_name);
	if (f)
		fclose(f);
	return u;
}

void users_destroy(struct users *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->all.n; i++)
		free(u->all.data[i]);
	vec_free(&u->all);
	index_deinit(&u->by_uid);
	free(u);
}

const char *users_name(struct users *u, uint32_t uid)
{
	if (uid == UINT32_MAX)
		return "";
	const char *name = lookup(u, uid);
	if (name)
		return name;
	char number[12];
	const struct passwd *pw = getpwuid(uid);
	snprintf(number, sizeof(number), "%u", uid);
	remember(u, uid, pw ? pw->pw_name : number);
	return lookup(u, uid);
}

int users_find(const char *name, uint32_t *ret)
{
	const struct passwd *pw = getpwnam(name);
	if (!pw)
		return -ENOENT;
	*ret = pw->pw_uid;
	return 0;
}
