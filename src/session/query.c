/* Completes queries with what the session knows of its events. */
#include "session/internal.h"

/* Returns the primary event.  In a recording it is the first event with samples: events before it may never have had a
 * counter, or belong to CPUs on which nothing ran. */
static size_t primary_of(const struct session *s)
{
	size_t n = s->info->events_n * s->info->cpus_n;
	for (size_t i = 0; s->ingest.sampled && i < n; i++)
		if (s->ingest.sampled[i])
			return i / s->info->cpus_n;
	return 0;
}

struct query session_complete(const struct session *s, const struct query *query)
{
	struct query q = *query;
	q.metrics = s->metrics;
	q.roles = s->roles;
	q.modes = s->modes;
	q.rates = s->rates;
	q.siblings = s->siblings;
	q.primary = primary_of(s);
	q.branches = s->info->branches;
	q.chains = s->ingest.chains.used && !q.stretch.to_ns; /* now; the stretch may be from before the key g */
	q.partial = s->info->scope != SCOPE_SYSTEM;
	q.tasks = scope_is_of_tasks(s->info->scope);
	return q;
}

struct snapshot *session_snapshot(struct session *s, const struct query *query)
{
	struct query q = session_complete(s, query);
	return snapshot_create(session_shown(s), session_names(s), &q);
}

const struct model_names *session_names(struct session *s)
{
	s->names.cat = resolver_catalog(s->resolver);
	return &s->names;
}
