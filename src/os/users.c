#include "os/users.h"

#include "base/alloc.h"
#include "base/index.h"

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
	struct asker *asker;
	int64_t wait_ms;
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
	index_add(&u->by_uid, index_hash(&u->by_uid, uid), (uint32_t)u->all.n);
	vec_push(&u->all) = user;
}

static struct user *find(const struct users *u, uint32_t uid)
{
	const struct {
		const struct users *u;
		uint32_t uid;
	} want = {u, uid};
	uint32_t pos = index_find(&u->by_uid, index_hash(&u->by_uid, uid), same_uid, &want);
	return pos == INDEX_NONE ? NULL : u->all.data[pos];
}

/* Reads /etc/passwd now: local users are then found without the name service, which may use the network. */
struct users *users_create(asker_fn *ask, int64_t wait_ms)
{
	struct users *u = mem_calloc(1, sizeof(*u));
	index_init(&u->by_uid);
	u->wait_ms = wait_ms;
	u->asker = asker_create(ask);
	FILE *f = fopen("/etc/passwd", "re");
	for (struct passwd *pw; f && (pw = fgetpwent(f));)
		if (!find(u, pw->pw_uid))
			remember(u, pw->pw_uid, pw->pw_name);
	if (f)
		fclose(f);
	return u;
}

static void take_answers(struct users *u)
{
	uint64_t uid;
	char *answer;
	while (asker_take(u->asker, &uid, &answer)) {
		struct user *user = find(u, (uint32_t)uid);
		if (answer)
			snprintf(user->name, sizeof(user->name), "%s", answer);
		free(answer);
	}
}

void users_destroy(struct users *u)
{
	if (!u)
		return;
	asker_destroy(u->asker);
	for (size_t i = 0; i < u->all.n; i++)
		free(u->all.data[i]);
	vec_free(&u->all);
	index_deinit(&u->by_uid);
	free(u);
}

const char *users_name(struct users *u, uint32_t uid)
{
	char number[12];
	if (uid == UINT32_MAX)
		return "";
	if (!find(u, uid)) {
		snprintf(number, sizeof(number), "%u", uid);
		remember(u, uid, number);
		if (asker_ask(u->asker, uid))
			asker_wait(u->asker, &u->wait_ms);
	}
	take_answers(u);
	return find(u, uid)->name;
}
