/* Options that choose which tasks and CPUs are measured or shown. */
#include "options/rows.h"

#include "os/users.h"

#include <errno.h>
#include <math.h>

static int add_ids(struct options *o, enum target_kind kind, const char *what, const char *arg, struct error *err)
{
	struct target *t = &o->live.target;
	struct error why;
	t->kind = kind;
	return target_add_ids(t, arg, &why) < 0 ? error_set(err, EINVAL, "%s: %s", what, why.text) : 0;
}

int option_pids(struct options *o, const char *arg, struct error *err)
{
	return add_ids(o, TARGET_PROCESSES, "-p", arg, err);
}

int option_tids(struct options *o, const char *arg, struct error *err)
{
	return add_ids(o, TARGET_THREADS, "-t", arg, err);
}

int option_user(struct options *o, const char *arg, struct error *err)
{
	struct target *t = &o->live.target;
	double number;
	struct error why;
	if (t->kind == TARGET_USER)
		return error_set(err, EINVAL, "-u takes one user: it is given twice");
	if (users_find(arg, &t->uid, &why) < 0) {
		if (option_number("-u", arg, 0, UINT32_MAX - 1.0, &number, NULL) < 0 || number != floor(number))
			return error_set(err, EINVAL, "-u: %s", why.text);
		t->uid = (uint32_t)number;
	}
	t->kind = TARGET_USER;
	snprintf(t->user, sizeof(t->user), "%s", arg);
	return 0;
}

int option_cgroups(struct options *o, const char *arg, struct error *err)
{
	struct error why;
	if (o->live.target.kind == TARGET_CGROUPS)
		return error_set(err, EINVAL, "-G takes one list (A,B): it is given twice");
	return target_set_cgroups(&o->live.target, arg, &why) < 0 ? error_set(err, EINVAL, "-G: %s", why.text) : 0;
}

int option_cpus(struct options *o, const char *arg, struct error *err)
{
	struct error why;
	return target_set_cpus(&o->live.target, arg, &why) < 0 ? error_set(err, EINVAL, "-C: %s", why.text) : 0;
}
