/* Recognises features in records of types 69 to 80: Google's version of perf wrote features with these types into
 * pipes, and perf later gave the types to other records.  So the size and contents of a record decide. */
#include "perfdata/internal.h"

enum { FIRST = 69, LAST = 80, TO_FEATURE = FIRST - PD_HOSTNAME, UPDATE_LAST = 3, STAT_ROUND_SIZE = 24 };
enum { DESC_MAX = 4096 };

static bool at_end(const struct cursor *c)
{
	return !c->bad && c->p == c->end;
}

/* Returns true if the record is a u32 length and that many bytes, and its size is no multiple of 8, as sizes of perf's
 * own records are. */
static bool is_string(struct cursor c)
{
	cursor_string(&c);
	return at_end(&c) && (size_t)(c.end - c.base) % 8 == 4;
}

static bool is_cmdline(struct cursor c)
{
	skip_strings(&c);
	return at_end(&c);
}

static bool is_event_desc(struct cursor c)
{
	uint32_t n = cursor_u32(&c), attr_size = cursor_u32(&c);
	for (uint32_t i = 0; i < n && n <= DESC_MAX && !c.bad; i++) {
		cursor_take(&c, attr_size);
		uint32_t ids = cursor_u32(&c);
		cursor_string(&c);
		cursor_array(&c, ids, 8);
	}
	return n && attr_size >= ATTR_SIZE_MIN && at_end(&c);
}

static bool is_cpu_topology(struct cursor c)
{
	skip_strings(&c);
	skip_strings(&c);
	return at_end(&c);
}

/* Returns true if the record has a number of nodes and, for each: its number, total memory, free memory, and a list of
 * CPUs padded to 64 bytes. */
static bool is_numa_topology(struct cursor c)
{
	uint32_t n = cursor_u32(&c);
	bool sound = n;
	for (uint32_t i = 0; i < n && sound; i++) {
		cursor_take(&c, 4 + 8 + 8);
		uint32_t list = cursor_u32(&c);
		sound = list && list % 64 == 0 && cursor_take(&c, list);
	}
	return sound && at_end(&c);
}

static bool has_shape(unsigned feature, struct cursor c)
{
	switch (feature) {
	case PD_NRCPUS: /* 8 zero bytes would be a THREAD_MAP without threads */
		return cursor_left(&c) == 8 && cursor_u64(&c) != 0;
	case PD_TOTAL_MEM: /* not a STAT record, which is larger */
		return cursor_left(&c) == 8;
	case PD_CMDLINE:
		return cursor_left(&c) + sizeof(struct record_header) != STAT_ROUND_SIZE && is_cmdline(c);
	case PD_EVENT_DESC:
		return is_event_desc(c);
	case PD_CPU_TOPOLOGY:
		return is_cpu_topology(c);
	case PD_NUMA_TOPOLOGY:
		return is_numa_topology(c);
	default:
		return is_string(c);
	}
}

bool pd_record_feature(const void *bytes, size_t n, bool swap, uint64_t *feature_ret, struct record_bytes *ret)
{
	struct record_header h = pd_record_header(bytes, swap);
	if (h.size < sizeof(h) || h.size > n || h.type < FIRST || h.type > LAST)
		return false;
	struct cursor c = cursor_of((const uint8_t *)bytes + sizeof(h), h.size - sizeof(h), swap);
	if (has_shape(h.type - TO_FEATURE, c))
		*feature_ret = h.type - TO_FEATURE;
	else if (h.type == PD_RECORD_HEADER_FEATURE && cursor_left(&c) >= 8)
		*feature_ret = cursor_u64(&c);
	else
		return false;
	*ret = (struct record_bytes){c.p, cursor_left(&c)};
	return true;
}

bool is_google_header(const uint8_t *bytes, size_t n, bool swap, struct record_header h)
{
	uint64_t feature;
	struct record_bytes body;
	return pd_record_feature(bytes, n, swap, &feature, &body) &&
	       (h.type != PD_RECORD_HEADER_FEATURE || body.data == bytes + sizeof(h));
}
