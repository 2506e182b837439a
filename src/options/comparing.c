/* Options of comparisons, for the screen as well as for cyctop diff and cyctop compare. */
#include "options/rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int option_baseline(struct options *o, const char *arg, struct error *err)
{
	if (strcmp(arg, "-") == 0)
		return error_set(err, EINVAL, "--baseline takes a file: it may be read twice");
	o->baseline = arg;
	return 0;
}

/* Handles --toggle A B; called once with A and once with B. */
int option_toggle(struct options *o, const char *arg, struct error *err)
{
	if (!arg[strspn(arg, " \t\n")])
		return error_set(err, EINVAL, "--toggle takes two commands, and one of them is empty");
	if (o->toggle[1])
		return error_set(err, EINVAL, "--toggle takes two commands, and is given once");
	o->toggle[o->toggle[0] != NULL] = arg;
	return 0;
}

int option_every(struct options *o, const char *arg, struct error *err)
{
	char number[32];
	double seconds;
	size_t n = strlen(arg);
	snprintf(number, sizeof(number), "%.*s", n && arg[n - 1] == 's' ? (int)n - 1 : (int)n, arg);
	int rc = option_number("--every", number, 0.5, 3600, &seconds, err);
	if (rc == 0)
		o->every_ns = (uint64_t)(seconds * 1e9);
	return rc;
}

int option_per(struct options *o, const char *arg, struct error *err)
{
	return option_event_name("--per", arg, &o->per, err);
}

int option_fdr(struct options *o, const char *arg, struct error *err)
{
	return option_percent("--fdr", arg, 0.01, 50, &o->fdr, err);
}

int option_min_change(struct options *o, const char *arg, struct error *err)
{
	return option_percent("--min-change", arg, 0, 1000, &o->min_change, err);
}
