#include "record/writer.h"

static void put_mmap(struct writer *w, const struct record *rec)
{
	const struct record_mmap *m = &rec->u.mmap;
	put_pair(w, m->pid, m->tid);
	put_u64(w, m->start);
	put_u64(w, m->len);
	put_u64(w, m->pgoff);
	if (rec->type == RECORD_MMAP2) {
		if (rec->misc & MISC_MMAP_BUILD_ID) {
			const uint8_t size[4] = {m->build_id_size}; /* the length, and three reserved bytes */
			put(w, size, sizeof(size));
			put(w, m->build_id, sizeof(m->build_id));
		} else {
			put_pair(w, m->maj, m->min);
			put_u64(w, m->ino);
			put_u64(w, m->ino_generation);
		}
		put_pair(w, m->prot, m->flags);
	}
	put_string(w, m->filename);
}

static void put_ksymbol(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.ksymbol.addr);
	put_u32(w, rec->u.ksymbol.len);
	put_u16(w, rec->u.ksymbol.ksym_type);
	put_u16(w, rec->u.ksymbol.flags);
	put_string(w, rec->u.ksymbol.name);
}

static void put_text_poke(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.text_poke.addr);
	put_u16(w, rec->u.text_poke.old_len);
	put_u16(w, rec->u.text_poke.new_len);
	put(w, rec->u.text_poke.bytes, (uint64_t)rec->u.text_poke.old_len + rec->u.text_poke.new_len);
	put_padding(w);
}

static void put_task(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.task.pid, rec->u.task.ppid);
	put_pair(w, rec->u.task.tid, rec->u.task.ptid);
	put_u64(w, rec->u.task.time_ns);
}

static void put_throttle(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.throttle.time_ns);
	put_u64(w, rec->u.throttle.id);
	put_u64(w, rec->u.throttle.stream_id);
}

static void put_lost(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.lost.id);
	put_u64(w, rec->u.lost.lost);
}

static void put_comm(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.comm.pid, rec->u.comm.tid);
	put_string(w, rec->u.comm.comm);
}

static void put_read_record(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.read.pid, rec->u.read.tid);
	put_read(w, &rec->u.read.read);
}

static void put_aux(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.aux.offset);
	put_u64(w, rec->u.aux.size);
	put_u64(w, rec->u.aux.flags);
}

static void put_itrace_start(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.itrace_start.pid, rec->u.itrace_start.tid);
}

static void put_lost_samples(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.lost_samples.lost);
}

static void put_switch(struct writer *w, const struct record *rec)
{
	(void)w, (void)rec; /* no payload: the task is in the trailer */
}

static void put_switch_cpu_wide(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.sched.next_prev_pid, rec->u.sched.next_prev_tid);
}

static void put_namespaces(struct writer *w, const struct record *rec)
{
	put_pair(w, rec->u.namespaces.pid, rec->u.namespaces.tid);
	put_u64(w, rec->u.namespaces.nr);
	for (uint64_t i = 0; i < rec->u.namespaces.nr && !w->over; i++) {
		struct namespace_link link = record_namespace(rec, i);
		put_u64(w, link.dev);
		put_u64(w, link.inode);
	}
}

static void put_bpf(struct writer *w, const struct record *rec)
{
	put_u16(w, rec->u.bpf.type);
	put_u16(w, rec->u.bpf.flags);
	put_u32(w, rec->u.bpf.id);
	put(w, rec->u.bpf.tag, sizeof(rec->u.bpf.tag));
}

static void put_cgroup(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.cgroup.id);
	put_string(w, rec->u.cgroup.path);
}

static void put_aux_hw_id(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.aux_hw_id.hw_id);
}

static void put_deferred(struct writer *w, const struct record *rec)
{
	put_u64(w, rec->u.deferred.cookie);
	put_u64(w, rec->u.deferred.callchain.n);
	put_words(w, rec->u.deferred.callchain);
}

typedef void put_fn(struct writer *w, const struct record *rec);

static put_fn *const putters[RECORD_CALLCHAIN_DEFERRED + 1] = {
	[RECORD_MMAP] = put_mmap,
	[RECORD_LOST] = put_lost,
	[RECORD_COMM] = put_comm,
	[RECORD_EXIT] = put_task,
	[RECORD_THROTTLE] = put_throttle,
	[RECORD_UNTHROTTLE] = put_throttle,
	[RECORD_FORK] = put_task,
	[RECORD_READ] = put_read_record,
	[RECORD_SAMPLE] = put_sample,
	[RECORD_MMAP2] = put_mmap,
	[RECORD_AUX] = put_aux,
	[RECORD_ITRACE_START] = put_itrace_start,
	[RECORD_LOST_SAMPLES] = put_lost_samples,
	[RECORD_SWITCH] = put_switch,
	[RECORD_SWITCH_CPU_WIDE] = put_switch_cpu_wide,
	[RECORD_NAMESPACES] = put_namespaces,
	[RECORD_KSYMBOL] = put_ksymbol,
	[RECORD_BPF_EVENT] = put_bpf,
	[RECORD_CGROUP] = put_cgroup,
	[RECORD_TEXT_POKE] = put_text_poke,
	[RECORD_AUX_OUTPUT_HW_ID] = put_aux_hw_id,
	[RECORD_CALLCHAIN_DEFERRED] = put_deferred,
};

static void put_trailer(struct writer *w, uint64_t type, const struct sample_id *id)
{
	if (type & SAMPLE_TID)
		put_pair(w, id->pid, id->tid);
	if (type & SAMPLE_TIME)
		put_u64(w, id->time_ns);
	if (type & SAMPLE_ID)
		put_u64(w, id->id);
	if (type & SAMPLE_STREAM_ID)
		put_u64(w, id->stream_id);
	if (type & SAMPLE_CPU)
		put_pair(w, id->cpu, 0);
	if (type & SAMPLE_IDENTIFIER)
		put_u64(w, id->id);
}

size_t record_encode(const struct record_layout *layout, const struct record *rec, void *buf, size_t cap)
{
	struct record_header header = {.type = rec->type, .misc = rec->misc};
	struct writer w = {.p = buf, .cap = cap < RECORD_SIZE_MAX ? cap : RECORD_SIZE_MAX, .layout = layout};
	if (rec->type >= ARRAY_LEN(putters) || !putters[rec->type])
		return 0;
	put(&w, &header, sizeof(header));
	putters[rec->type](&w, rec);
	if (layout->id_all && record_has_trailer(rec->type))
		put_trailer(&w, layout->sample_type, &rec->id);
	if (w.over)
		return 0;
	header.size = (uint16_t)w.n;
	record_header_swap(&header, layout->swap);
	memcpy(buf, &header, sizeof(header));
	return w.n;
}
