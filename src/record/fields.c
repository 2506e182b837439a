/* Lists, by record type, the fields that all records of the type have, in the order of their bytes. */
#include <cyctop/record.h>

/* clang-format off */
#define FIELD(name, member, shown) \
	{name, offsetof(struct record, u.member), sizeof(((const struct record *)0)->u.member), shown}
/* clang-format on */
enum { FIELDS_MAX = 5 };

static const struct record_field fields[][FIELDS_MAX + 1] = {
	[RECORD_LOST] = {FIELD("lost_id", lost.id, SHOWN_NUMBER), FIELD("lost", lost.lost, SHOWN_NUMBER)},
	[RECORD_COMM] = {FIELD("pid", comm.pid, SHOWN_SIGNED), FIELD("tid", comm.tid, SHOWN_SIGNED),
			 FIELD("comm", comm.comm, SHOWN_TEXT)},
	[RECORD_THROTTLE] = {FIELD("at", throttle.time_ns, SHOWN_NUMBER),
			     FIELD("throttle_id", throttle.id, SHOWN_NUMBER),
			     FIELD("throttle_stream_id", throttle.stream_id, SHOWN_NUMBER)},
	[RECORD_FORK] = {FIELD("pid", task.pid, SHOWN_SIGNED), FIELD("ppid", task.ppid, SHOWN_SIGNED),
			 FIELD("tid", task.tid, SHOWN_SIGNED), FIELD("ptid", task.ptid, SHOWN_SIGNED),
			 FIELD("at", task.time_ns, SHOWN_NUMBER)},
	[RECORD_AUX] = {FIELD("offset", aux.offset, SHOWN_HEX), FIELD("aux_size", aux.size, SHOWN_HEX),
			FIELD("flags", aux.flags, SHOWN_HEX)},
	[RECORD_ITRACE_START] = {FIELD("pid", itrace_start.pid, SHOWN_SIGNED),
				 FIELD("tid", itrace_start.tid, SHOWN_SIGNED)},
	[RECORD_LOST_SAMPLES] = {FIELD("lost", lost_samples.lost, SHOWN_NUMBER)},
	[RECORD_SWITCH_CPU_WIDE] = {FIELD("next_prev_pid", sched.next_prev_pid, SHOWN_SIGNED),
				    FIELD("next_prev_tid", sched.next_prev_tid, SHOWN_SIGNED)},
	[RECORD_KSYMBOL] = {FIELD("addr", ksymbol.addr, SHOWN_HEX), FIELD("len", ksymbol.len, SHOWN_NUMBER),
			    FIELD("ksym_type", ksymbol.ksym_type, SHOWN_NUMBER),
			    FIELD("flags", ksymbol.flags, SHOWN_HEX), FIELD("name", ksymbol.name, SHOWN_TEXT)},
	[RECORD_BPF_EVENT] = {FIELD("bpf_type", bpf.type, SHOWN_NUMBER), FIELD("flags", bpf.flags, SHOWN_HEX),
			      FIELD("bpf_id", bpf.id, SHOWN_NUMBER), FIELD("tag", bpf.tag, SHOWN_BYTES)},
	[RECORD_CGROUP] = {FIELD("cgroup_id", cgroup.id, SHOWN_NUMBER), FIELD("path", cgroup.path, SHOWN_TEXT)},
	[RECORD_AUX_OUTPUT_HW_ID] = {FIELD("hw_id", aux_hw_id.hw_id, SHOWN_HEX)},
};

const struct record_field *record_fields(uint32_t type)
{
	static const struct record_field none = {.name = NULL};
	if (type == RECORD_EXIT)
		type = RECORD_FORK;
	if (type == RECORD_UNTHROTTLE)
		type = RECORD_THROTTLE;
	return type < ARRAY_LEN(fields) ? fields[type] : &none;
}

uint64_t record_field_number(const struct record_field *f, const struct record *rec)
{
	const void *at = (const uint8_t *)rec + f->at;
	if (f->size == sizeof(uint16_t))
		return *(const uint16_t *)at;
	return f->size == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
}
