/* Adds samples to the model, and finds the addresses of those that are told apart by address. */
#include "session/ingest.h"

void ingest_add(struct ingest *in, struct model_sample *samples, size_t n, bool crosses)
{
	for (size_t i = 0; in->sampled && i < n; i++) {
		uint64_t *sum = &in->sampled[samples[i].event * (size_t)in->cpus_n + samples[i].cpu];
		*sum = u64_add_sat(*sum, samples[i].period);
	}
	if (crosses && in->crossing.waits)
		n = crossing_row(&in->crossing, samples, n);
	model_add_row(in->model, samples, n);
}

uint64_t ingest_address(struct ingest *in, const struct resolver_lookup *l)
{
	const struct catalog *cat = resolver_catalog(in->resolver);
	uint64_t addr = 0;
	if (in->annotated.id == CATALOG_NONE || catalog_sym_row(cat, l->sym) != in->annotated.id ||
	    !catalog_sym_valid(cat, in->annotated))
		return 0;
	return resolver_address(in->resolver, l, cat->syms[l->sym].resolved, &addr) ? addr : 0;
}
