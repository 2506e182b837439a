/* What all generators share: sample ids, random numbers, writing records, adding items. */
#include "source/synth/synth.h"

#define ID_BASE 1000 /* first sample id, so large that no id is 0, or mistaken for an index */

uint64_t synth_id(const struct synth *sy, uint32_t event, uint32_t cpu)
{
	return ID_BASE + (uint64_t)event * sy->info.cpus_n + cpu;
}

bool synth_opened(const struct synth *sy, uint32_t event, uint32_t cpu)
{
	const struct script_event *ev = &sy->script.events[event];
	return sy->info.events[event].available && !sy->script.offline[cpu] && cpu >= ev->cpu_first &&
	       cpu <= ev->cpu_last;
}

bool synth_identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret)
{
	const struct synth *sy = (const struct synth *)src;
	uint64_t i = id - ID_BASE;
	if (id < ID_BASE || i >= sy->info.events_n * sy->info.cpus_n)
		return false;
	uint32_t event = (uint32_t)(i / sy->info.cpus_n), cpu = (uint32_t)(i % sy->info.cpus_n);
	if (!synth_opened(sy, event, cpu))
		return false;
	*event_ret = event;
	*cpu_ret = cpu;
	return true;
}

uint64_t synth_random(struct synth *sy, uint64_t below)
{
	sy->rng += 0x9e3779b97f4a7c15ull;
	return (uint64_t)((unsigned __int128)hash_u64(sy->rng) * below >> 64);
}

/* Writes a record to a ring.  As in the kernel, a LOST record precedes the first record after lost ones. */
bool generate_record(struct synth *sy, struct synth_ring *ring, const struct record *rec)
{
	uint8_t buf[RECORD_SIZE_MAX + 1];
	size_t n = 0;
	if (ring->lost) {
		struct record lost = {
			.type = RECORD_LOST,
			.id = rec->id,
			.u.lost = {.id = rec->id.id, .lost = ring->lost},
		};
		n = record_encode(&sy->layout, &lost, buf, sizeof(buf));
	}
	size_t own = record_encode(&sy->layout, rec, buf + n, sizeof(buf) - n);
	if (!own || !synth_ring_put(ring, buf, n + own)) {
		ring->lost++;
		return false;
	}
	ring->lost = 0;
	return true;
}

void generate_item(struct synth *sy, struct item item)
{
	item.seq = (uint32_t)sy->items.n;
	vec_push(&sy->items) = item;
}
