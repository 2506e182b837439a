/* Visits the fields of decoded kernel records. */
#include "perfdata/fields.h"

#include <stdio.h>

static void visit_id(uint32_t has, const struct sample_id *id, const struct pd_visitor *v)
{
	if (has & SAMPLE_TID) {
		v->i64(v->ctx, "pid", (int32_t)id->pid);
		v->i64(v->ctx, "tid", (int32_t)id->tid);
	}
	if (has & SAMPLE_TIME)
		v->u64(v->ctx, "time", id->time_ns);
	if (has & (SAMPLE_ID | SAMPLE_IDENTIFIER))
		v->u64(v->ctx, "id", id->id);
	if (has & SAMPLE_STREAM_ID)
		v->u64(v->ctx, "stream_id", id->stream_id);
	if (has & SAMPLE_CPU)
		v->u64(v->ctx, "cpu", id->cpu);
}

static void visit_task(uint32_t pid, uint32_t tid, const struct pd_visitor *v)
{
	v->i64(v->ctx, "pid", (int32_t)pid);
	v->i64(v->ctx, "tid", (int32_t)tid);
}

static void visit_words(const char *name, struct record_words words, const struct pd_visitor *v)
{
	v->open(v->ctx, name, true);
	for (uint64_t i = 0; i < words.n; i++)
		v->hex(v->ctx, NULL, record_u64(words, i));
	v->close(v->ctx, true);
}

static void visit_bytes(const char *name, struct record_bytes bytes, const struct pd_visitor *v)
{
	v->bytes(v->ctx, name, bytes.data, bytes.size);
}

static void visit_read(const struct record_read *read, const struct pd_visitor *v)
{
	v->open(v->ctx, "read", false);
	if (read->format & READ_TIME_ENABLED)
		v->u64(v->ctx, "enabled", read->enabled_ns);
	if (read->format & READ_TIME_RUNNING)
		v->u64(v->ctx, "running", read->running_ns);
	v->open(v->ctx, "values", true);
	for (uint64_t i = 0; read->values && i < read->nr; i++) {
		struct read_value value = record_read_value(read, i);
		v->open(v->ctx, NULL, false);
		v->u64(v->ctx, "value", value.value);
		if (read->format & READ_ID)
			v->u64(v->ctx, "id", value.id);
		if (read->format & READ_LOST)
			v->u64(v->ctx, "lost", value.lost);
		v->close(v->ctx, false);
	}
	v->close(v->ctx, true);
	v->close(v->ctx, false);
}

/* ---- fields of samples ----------------------------------------------------------------- */

static const struct {
	uint64_t from;
	const char *name;
} contexts[] = {
	{(uint64_t)-32, "hypervisor"},	   {(uint64_t)-128, "kernel"}, {(uint64_t)-512, "user"},
	{(uint64_t)-640, "user_deferred"}, {(uint64_t)-2048, "guest"}, {(uint64_t)-2176, "guest_kernel"},
	{(uint64_t)-2560, "guest_user"},
};

static void visit_callchain(struct record_words chain, const struct pd_visitor *v)
{
	v->open(v->ctx, "callchain", true);
	for (uint64_t i = 0; i < chain.n; i++) {
		uint64_t ip = record_u64(chain, i);
		const char *context = NULL;
		for (size_t j = 0; j < ARRAY_LEN(contexts); j++)
			context = contexts[j].from == ip ? contexts[j].name : context;
		if (context)
			v->text(v->ctx, NULL, context);
		else
			v->hex(v->ctx, NULL, ip);
	}
	v->close(v->ctx, true);
}

static void visit_branches(const struct record_layout *l, const struct record_sample *s, const struct pd_visitor *v)
{
	static const char *const flags[] = {"mispredicted", "predicted", "in_tx", "abort"};
	(void)l;
	v->open(v->ctx, "branch_stack", false);
	v->hex(v->ctx, "hw_idx", s->branch.hw_idx);
	v->open(v->ctx, "entries", true);
	for (uint64_t i = 0; s->branch.entries && i < s->branch.nr; i++) {
		struct branch_entry e = record_branch(s, i);
		v->open(v->ctx, NULL, false);
		v->hex(v->ctx, "from", e.from);
		v->hex(v->ctx, "to", e.to);
		for (unsigned f = 0; f < ARRAY_LEN(flags); f++)
			if (e.flags >> f & 1)
				v->u64(v->ctx, flags[f], 1);
		v->u64(v->ctx, "cycles", e.flags >> 4 & 0xffff);
		v->u64(v->ctx, "type", e.flags >> 20 & 15);
		v->u64(v->ctx, "spec", e.flags >> 24 & 3);
		v->u64(v->ctx, "new_type", e.flags >> 26 & 15);
		v->u64(v->ctx, "priv", e.flags >> 30 & 7);
		if (i < s->branch.counters.n)
			v->hex(v->ctx, "counters", record_u64(s->branch.counters, i));
		v->close(v->ctx, false);
	}
	v->close(v->ctx, true);
	v->close(v->ctx, false);
}

static void visit_regs(const char *name, const struct record_regs *regs, const struct pd_visitor *v)
{
	v->open(v->ctx, name, false);
	v->u64(v->ctx, "abi", regs->abi);
	v->hex(v->ctx, "mask", regs->mask);
	visit_words("values", regs->values, v);
	v->close(v->ctx, false);
}

/* Visits one part of data_src: a list of the names of the bits that are set. */
static void visit_set(const struct data_src_row *row, uint64_t bits, const struct pd_visitor *v)
{
	v->open(v->ctx, row->name, true);
	for (size_t i = 0; i < row->names_n; i++)
		if (bits >> i & 1)
			v->text(v->ctx, NULL, row->names[i].name);
	v->close(v->ctx, true);
}

static void visit_data_src(uint64_t src, const struct pd_visitor *v)
{
	v->open(v->ctx, "data_src", false);
	v->hex(v->ctx, "value", src);
	for (enum data_src_part part = 0; part < DATA_SRC_PARTS; part++) {
		const struct data_src_row *row = &data_src_rows[part];
		uint64_t bits = data_src_bits(src, part);
		if (part == DATA_SRC_LVL_NUM && bits)
			v->text(v->ctx, row->name, row->names[bits].name);
		else if (part == DATA_SRC_REMOTE || part == DATA_SRC_HOPS)
			v->u64(v->ctx, row->name, bits);
		else if (part != DATA_SRC_LVL_NUM)
			visit_set(row, bits, v);
	}
	v->close(v->ctx, false);
}

static void visit_sample_rest(const struct record_layout *l, const struct record_sample *s, const struct pd_visitor *v)
{
	const struct {
		uint64_t bit;
		const char *name;
		uint64_t value;
	} words[] = {
		{SAMPLE_TRANSACTION, "transaction", s->transaction},
		{SAMPLE_PHYS_ADDR, "phys_addr", s->phys_addr},
		{SAMPLE_CGROUP, "cgroup", s->cgroup},
		{SAMPLE_DATA_PAGE_SIZE, "data_page_size", s->data_page_size},
		{SAMPLE_CODE_PAGE_SIZE, "code_page_size", s->code_page_size},
	};
	uint64_t type = l->sample_type;
	if (type & SAMPLE_REGS_USER)
		visit_regs("regs_user", &s->regs_user, v);
	if (type & SAMPLE_STACK_USER)
		visit_bytes("stack_user", s->stack_user, v);
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		v->u64(v->ctx, "weight", s->weight);
	if (type & SAMPLE_WEIGHT_STRUCT) {
		v->u64(v->ctx, "weight2", s->weight2);
		v->u64(v->ctx, "weight3", s->weight3);
	}
	if (type & SAMPLE_DATA_SRC)
		visit_data_src(s->data_src, v);
	if (type & SAMPLE_REGS_INTR)
		visit_regs("regs_intr", &s->regs_intr, v);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (type & words[i].bit)
			v->hex(v->ctx, words[i].name, words[i].value);
	if (type & SAMPLE_AUX)
		visit_bytes("aux", s->aux, v);
}

static void visit_sample(const struct record_layout *l, const struct record *rec, const struct pd_visitor *v)
{
	const struct record_sample *s = &rec->u.sample;
	uint64_t type = l->sample_type;
	if (type & SAMPLE_IP)
		v->hex(v->ctx, "ip", s->ip);
	visit_id(rec->id.has, &rec->id, v);
	if (type & SAMPLE_ADDR)
		v->hex(v->ctx, "addr", s->addr);
	if (type & SAMPLE_PERIOD)
		v->u64(v->ctx, "period", s->period);
	if (type & SAMPLE_READ)
		visit_read(&s->read, v);
	if (type & SAMPLE_CALLCHAIN)
		visit_callchain(s->callchain, v);
	if (type & SAMPLE_RAW)
		visit_bytes("raw", s->raw, v);
	if (type & SAMPLE_BRANCH_STACK)
		visit_branches(l, s, v);
	visit_sample_rest(l, s, v);
}

/* ---- fields of records other than samples -------------------------------------------------- */

static void visit_mmap(const struct record *rec, const struct pd_visitor *v)
{
	const struct record_mmap *m = &rec->u.mmap;
	visit_task(m->pid, m->tid, v);
	v->hex(v->ctx, "start", m->start);
	v->hex(v->ctx, "len", m->len);
	v->hex(v->ctx, "pgoff", m->pgoff);
	if (rec->type == RECORD_MMAP2) {
		if (rec->misc & MISC_MMAP_BUILD_ID) {
			v->bytes(v->ctx, "build_id", m->build_id, m->build_id_size);
		} else {
			v->u64(v->ctx, "major", m->maj);
			v->u64(v->ctx, "minor", m->min);
			v->u64(v->ctx, "inode", m->ino);
			v->u64(v->ctx, "inode_generation", m->ino_generation);
		}
		v->hex(v->ctx, "prot", m->prot);
		v->hex(v->ctx, "flags", m->flags);
	}
	v->text(v->ctx, "filename", m->filename);
}

static void visit_fork(const struct record *rec, const struct pd_visitor *v)
{
	visit_task(rec->u.task.pid, rec->u.task.tid, v);
	v->i64(v->ctx, "ppid", (int32_t)rec->u.task.ppid);
	v->i64(v->ctx, "ptid", (int32_t)rec->u.task.ptid);
	v->u64(v->ctx, "at", rec->u.task.time_ns);
}

static void visit_read_record(const struct record *rec, const struct pd_visitor *v)
{
	visit_task(rec->u.read.pid, rec->u.read.tid, v);
	visit_read(&rec->u.read.read, v);
}

/* Visits the fields that record_fields() lists for the type of the record. */
static void visit_fields(const struct record *rec, const struct pd_visitor *v)
{
	for (const struct record_field *f = record_fields(rec->type); f->name; f++) {
		const void *at = (const uint8_t *)rec + f->at;
		if (f->shown == SHOWN_TEXT)
			v->text(v->ctx, f->name, *(const char *const *)at);
		else if (f->shown == SHOWN_BYTES)
			v->bytes(v->ctx, f->name, at, f->size);
		else if (f->shown == SHOWN_SIGNED)
			v->i64(v->ctx, f->name, (int32_t)record_field_number(f, rec));
		else if (f->shown == SHOWN_HEX)
			v->hex(v->ctx, f->name, record_field_number(f, rec));
		else
			v->u64(v->ctx, f->name, record_field_number(f, rec));
	}
}

static void visit_switch(const struct record *rec, const struct pd_visitor *v)
{
	v->u64(v->ctx, "out", !!(rec->misc & MISC_SWITCH_OUT));
	visit_fields(rec, v); /* pid and tid of the next or previous task, in SWITCH_CPU_WIDE records */
}

static void visit_namespaces(const struct record *rec, const struct pd_visitor *v)
{
	visit_task(rec->u.namespaces.pid, rec->u.namespaces.tid, v);
	v->open(v->ctx, "namespaces", true);
	for (uint64_t i = 0; i < rec->u.namespaces.nr; i++) {
		struct namespace_link link = record_namespace(rec, i);
		v->open(v->ctx, NULL, false);
		v->u64(v->ctx, "dev", link.dev);
		v->u64(v->ctx, "inode", link.inode);
		v->close(v->ctx, false);
	}
	v->close(v->ctx, true);
}

static void visit_text_poke(const struct record *rec, const struct pd_visitor *v)
{
	v->hex(v->ctx, "addr", rec->u.text_poke.addr);
	v->bytes(v->ctx, "old", rec->u.text_poke.bytes, rec->u.text_poke.old_len);
	v->bytes(v->ctx, "new", rec->u.text_poke.bytes + rec->u.text_poke.old_len, rec->u.text_poke.new_len);
}

static void visit_deferred(const struct record *rec, const struct pd_visitor *v)
{
	v->hex(v->ctx, "cookie", rec->u.deferred.cookie);
	visit_callchain(rec->u.deferred.callchain, v);
}

/* Visitors for record types with more fields than record_fields() lists, or in another order; indexed by type. */
static void (*const visitors[])(const struct record *rec, const struct pd_visitor *v) = {
	[RECORD_MMAP] = visit_mmap,
	[RECORD_EXIT] = visit_fork,
	[RECORD_FORK] = visit_fork,
	[RECORD_READ] = visit_read_record,
	[RECORD_MMAP2] = visit_mmap,
	[RECORD_SWITCH] = visit_switch,
	[RECORD_SWITCH_CPU_WIDE] = visit_switch,
	[RECORD_NAMESPACES] = visit_namespaces,
	[RECORD_TEXT_POKE] = visit_text_poke,
	[RECORD_CALLCHAIN_DEFERRED] = visit_deferred,
};

void pd_visit_record(const struct record_layout *layout, const struct record *rec, const struct pd_visitor *v)
{
	if (rec->type == RECORD_SAMPLE) {
		visit_sample(layout, rec, v);
		return;
	}
	if (rec->type < ARRAY_LEN(visitors) && visitors[rec->type])
		visitors[rec->type](rec, v);
	else
		visit_fields(rec, v);
	if (!layout->id_all || !rec->id.has)
		return;
	v->open(v->ctx, "sample_id", false);
	visit_id(rec->id.has, &rec->id, v);
	v->close(v->ctx, false);
}
