/* Decides which threads DIM_PARALLELISM counts as running at the same time: those that pass the session's filters. */
#include "session/internal.h"

static bool counts(void *ctx, uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	struct session *s = ctx;
	const struct model_names *names = session_names(s);
	uint32_t task = resolver_task(s->resolver, pid, tid, time_ns);
	for (size_t i = 0; i < s->only_n; i++)
		if (!s->only[i].accepts(s->only[i].ctx, names, s->only[i].dim == DIM_CPU ? cpu : task))
			return false;
	return true;
}

void session_count_threads(struct session *s, const struct filter *only, size_t n)
{
	s->only = only;
	s->only_n = n;
	s->ingest.parallel.counts = n ? counts : NULL;
	s->ingest.parallel.ctx = s;
}
