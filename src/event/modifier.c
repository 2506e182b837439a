/* The modifiers of events: the letters behind the last colon or slash, as in perf-list(1). */
#include "event/internal.h"

#include <errno.h>
#include <string.h>

static const char all_letters[] = "ukhpPGHSDWeIbRX";

bool event_is_modifiers(struct event_text text)
{
	if (!text.n)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!strchr(all_letters, text.s[i]))
			return false;
	return true;
}

static bool has(struct event_text letters, char c)
{
	return letters.n && memchr(letters.s, c, letters.n);
}

/* Refuses letters that are no modifiers of perf (Linux 6.18), and modifiers without a meaning for samples. */
static int refuse(struct event_text letters, struct error *err)
{
	static const struct {
		char letter;
		const char *why;
	} refused[] = {
		{'b', "counts by a BPF program in perf stat, without samples: leave it out"},
		{'R',
		 "is perf stat's for a latency from samples: leave it out; -W shows latencies that the CPU measured"},
		{'X', "keeps perf from regrouping events by PMU; cyctop never regroups them: leave it out"},
	};
	for (size_t i = 0; i < letters.n; i++)
		if (!strchr(all_letters, letters.s[i]))
			return error_set(
				err, EINVAL,
				"'%.*s' is no list of modifiers: u user space, k kernel, h hypervisor, G guests, "
				"H host, p to ppp or P precise, I not idle, D pinned, e exclusive, S the leader of a "
				"group samples for all, "
				"W weak group",
				(int)letters.n, letters.s);
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		if (has(letters, refused[i].letter))
			return error_set(err, EINVAL, "the modifier '%c' %s", refused[i].letter, refused[i].why);
	return 0;
}

int event_modify(struct event_text letters, struct event_spec *spec, uint8_t most_precise, struct error *err)
{
	int rc = refuse(letters, err);
	if (rc < 0)
		return rc;
	bool user = has(letters, 'u'), kernel = has(letters, 'k'), hv = has(letters, 'h');
	bool named =
		/* the event's own modifiers (cycles:u) named modes already; those of its group add to them */
		spec->exclude_user || spec->exclude_kernel || spec->exclude_hv;
	/* modes that are not named are excluded */
	if (user || kernel || hv) {
		spec->exclude_user = !user && (!named || spec->exclude_user);
		spec->exclude_kernel = !kernel && (!named || spec->exclude_kernel);
		spec->exclude_hv = !hv && (!named || spec->exclude_hv);
	}
	if (has(letters, 'G') || has(letters, 'H')) {
		spec->guests = has(letters, 'G');
		spec->exclude_host = !has(letters, 'H');
	}
	spec->exclude_idle |= has(letters, 'I');
	spec->pinned |= has(letters, 'D');
	spec->exclusive |= has(letters, 'e');
	spec->leader_reads |= has(letters, 'S');
	spec->weak |= has(letters, 'W');
	if (has(letters, 'P'))
		spec->precise = most_precise;
	for (size_t i = 0; i < letters.n; i++)
		spec->precise = (uint8_t)(spec->precise + (letters.s[i] == 'p'));
	return spec->precise > 3 ? error_set(err, EINVAL, "ppp (precise=3) is the highest precision") : 0;
}
