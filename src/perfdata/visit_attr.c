#include "perfdata/internal.h"

#include <inttypes.h>
#include <stdio.h>

/* Names of the flags, indexed by bit.  NULL: the two bits of precise_ip, which are shown as a number. */
static const char *const flag_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	NULL,
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};
static const char *const sample_names[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};
static const char *const read_names[] = {"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST"};

static void visit_bits(const struct pd_visitor *v, const char *name, uint64_t bits, const char *const *names, size_t n)
{
	v->open(v->ctx, name, true);
	for (unsigned i = 0; i < 64; i++) {
		char number[16];
		const char *bit = i < n ? names[i] : NULL;
		if (!(bits >> i & 1))
			continue;
		if (!bit)
			snprintf(number, sizeof(number), "bit%u", i);
		v->text(v->ctx, NULL, bit ? bit : number);
	}
	v->close(v->ctx, true);
}

void pd_visit_attr(const struct perf_attr *attr, const struct pd_visitor *v)
{
	const uint64_t precise = 3ull << ATTR_PRECISE_SHIFT;
	v->u64(v->ctx, "type", attr->type);
	v->u64(v->ctx, "size", attr->size);
	v->hex(v->ctx, "config", attr->config);
	v->u64(v->ctx, attr->flags & ATTR_FREQ ? "sample_freq" : "sample_period", attr->sample_period);
	visit_bits(v, "sample_type", attr->sample_type, sample_names, ARRAY_LEN(sample_names));
	visit_bits(v, "read_format", attr->read_format, read_names, ARRAY_LEN(read_names));
	visit_bits(v, "flags", attr->flags & ~precise, flag_names, ARRAY_LEN(flag_names));
	v->u64(v->ctx, "precise_ip", (attr->flags & precise) >> ATTR_PRECISE_SHIFT);
	v->u64(v->ctx, attr->flags & ATTR_WATERMARK ? "wakeup_watermark" : "wakeup_events", attr->wakeup);
	v->u64(v->ctx, "bp_type", attr->bp_type);
	v->hex(v->ctx, "config1", attr->config1);
	v->hex(v->ctx, "config2", attr->config2);
	v->hex(v->ctx, "branch_sample_type", attr->branch_sample_type);
	v->hex(v->ctx, "sample_regs_user", attr->sample_regs_user);
	v->u64(v->ctx, "sample_stack_user", attr->sample_stack_user);
	v->i64(v->ctx, "clockid", attr->clockid);
	v->hex(v->ctx, "sample_regs_intr", attr->sample_regs_intr);
	v->u64(v->ctx, "aux_watermark", attr->aux_watermark);
	v->u64(v->ctx, "sample_max_stack", attr->sample_max_stack);
	v->u64(v->ctx, "aux_sample_size", attr->aux_sample_size);
	v->hex(v->ctx, "aux_action", attr->aux_action);
	v->hex(v->ctx, "sig_data", attr->sig_data);
	v->hex(v->ctx, "config3", attr->config3);
	v->hex(v->ctx, "config4", attr->config4);
}
