#include <cyctop/record.h>

#include <errno.h>
#include <string.h>

/* Known bits of branch_sample_type.  abi.h names only the two that add fields to a record. */
#define BRANCH_KNOWN ((1ull << 20) - 1)

struct place {
	uint64_t bit;
	size_t member; /* offset, in struct record_layout, of the int16_t that says where the field is */
};
#define PLACE(bit, name)                                                                                               \
	{                                                                                                              \
		bit, offsetof(struct record_layout, name)                                                              \
	}

/* The fields of fixed size in a sample, in the order in which they are in the record. */
static const struct place sample_places[] = {
	PLACE(SAMPLE_IDENTIFIER, identifier),
	PLACE(SAMPLE_IP, ip),
	PLACE(SAMPLE_TID, tid),
	PLACE(SAMPLE_TIME, time),
	PLACE(SAMPLE_ADDR, addr),
	PLACE(SAMPLE_ID, id),
	PLACE(SAMPLE_STREAM_ID, stream_id),
	PLACE(SAMPLE_CPU, cpu),
	PLACE(SAMPLE_PERIOD, period),
};

/* The fields of the sample_id, in their order from the end of the record backwards. */
static const struct place trailer_places[] = {
	PLACE(SAMPLE_IDENTIFIER, tr_identifier),
	PLACE(SAMPLE_CPU, tr_cpu),
	PLACE(SAMPLE_STREAM_ID, tr_stream_id),
	PLACE(SAMPLE_ID, tr_id),
	PLACE(SAMPLE_TIME, tr_time),
	PLACE(SAMPLE_TID, tr_tid),
};

static void place(struct record_layout *layout, const struct place *p, int16_t offset)
{
	memcpy((char *)layout + p->member, &offset, sizeof(offset));
}

static unsigned count_bits(uint64_t mask)
{
	return (unsigned)__builtin_popcountll(mask);
}

static bool known(const struct perf_attr *attr)
{
	if (attr->sample_type & ~(uint64_t)SAMPLE_KNOWN || attr->read_format & ~(uint64_t)READ_KNOWN)
		return false;
	/* Both bits give a meaning to the same field, so the kernel, too, refuses them together. */
	if ((attr->sample_type & SAMPLE_WEIGHT) && (attr->sample_type & SAMPLE_WEIGHT_STRUCT))
		return false;
	return !(attr->sample_type & SAMPLE_BRANCH_STACK) || !(attr->branch_sample_type & ~BRANCH_KNOWN);
}

/* Returns how many bytes before the end of the record the cgroup is.  LAYOUT_ABSENT: the record has no cgroup, or has
 * AUX data, which is the last field and may have any size. */
static int16_t cgroup_place(uint64_t sample_type)
{
	if (!(sample_type & SAMPLE_CGROUP) || sample_type & SAMPLE_AUX)
		return LAYOUT_ABSENT;
	return (int16_t)(8 * (1 + count_bits(sample_type & (SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE))));
}

/* Sets up the layout for the records of an event.  Returns -EINVAL if the event has unknown bits.  Of attr->flags only
 * two matter: SAMPLE_ID_ALL adds a sample_id to records, and ATTR_INHERIT changes the meaning of READ values. */
int record_layout_init(struct record_layout *ret, const struct perf_attr *attr)
{
	if (!known(attr))
		return -EINVAL;
	struct record_layout layout = {
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_type = attr->branch_sample_type,
		.regs_user_mask = attr->sample_regs_user,
		.regs_intr_mask = attr->sample_regs_intr,
		.regs_user_n = count_bits(attr->sample_regs_user),
		.regs_intr_n = count_bits(attr->sample_regs_intr),
		.id_all = attr->flags & ATTR_SAMPLE_ID_ALL,
		.own_counts =
			attr->flags & ATTR_INHERIT && attr->sample_type & SAMPLE_READ && attr->sample_type & SAMPLE_TID,
	};
	int16_t at = sizeof(struct record_header);
	for (size_t i = 0; i < ARRAY_LEN(sample_places); i++) {
		bool there = attr->sample_type & sample_places[i].bit;
		place(&layout, &sample_places[i], there ? at : LAYOUT_ABSENT);
		at += there ? 8 : 0;
	}
	layout.fixed_size = (uint16_t)at;
	int16_t back = 0;
	for (size_t i = 0; i < ARRAY_LEN(trailer_places); i++) {
		bool there = layout.id_all && (attr->sample_type & trailer_places[i].bit);
		back += there ? 8 : 0;
		place(&layout, &trailer_places[i], there ? back : LAYOUT_ABSENT);
	}
	layout.trailer_size = (uint16_t)back;
	layout.cgroup = cgroup_place(attr->sample_type);
	*ret = layout;
	return 0;
}
