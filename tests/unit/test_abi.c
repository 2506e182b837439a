/* Compares the numbers in <cyctop/abi.h> with those of the installed kernel header, which never change.
 * test_host_abi.c looks for newer ones. */
#include <cyctop/abi.h>
#include <cyctop/base.h>

#include <linux/perf_event.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void sample_and_read_bits(void **state)
{
	(void)state;
	static const struct {
		uint64_t ours, theirs;
	} bits[] = {
#define SAME(name) {SAMPLE_##name, PERF_SAMPLE_##name}
		SAME(IP),
		SAME(TID),
		SAME(TIME),
		SAME(ADDR),
		SAME(READ),
		SAME(CALLCHAIN),
		SAME(ID),
		SAME(CPU),
		SAME(PERIOD),
		SAME(STREAM_ID),
		SAME(RAW),
		SAME(BRANCH_STACK),
		SAME(REGS_USER),
		SAME(STACK_USER),
		SAME(WEIGHT),
		SAME(DATA_SRC),
		SAME(IDENTIFIER),
		SAME(TRANSACTION),
		SAME(REGS_INTR),
		SAME(PHYS_ADDR),
		SAME(AUX),
		SAME(CGROUP),
		SAME(DATA_PAGE_SIZE),
		SAME(CODE_PAGE_SIZE),
		SAME(WEIGHT_STRUCT),
#undef SAME
		{READ_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_ENABLED},
		{READ_TIME_RUNNING, PERF_FORMAT_TOTAL_TIME_RUNNING},
		{READ_ID, PERF_FORMAT_ID},
		{READ_GROUP, PERF_FORMAT_GROUP},
#if HAVE_PERF_FORMAT_LOST
		{READ_LOST, PERF_FORMAT_LOST},
#endif
		{BRANCH_HW_INDEX, PERF_SAMPLE_BRANCH_HW_INDEX},
#if HAVE_PERF_SAMPLE_BRANCH_COUNTERS
		{BRANCH_COUNTERS, PERF_SAMPLE_BRANCH_COUNTERS},
#endif
		{ABI_TYPE_HARDWARE, PERF_TYPE_HARDWARE},
		{ABI_TYPE_SOFTWARE, PERF_TYPE_SOFTWARE},
		{ABI_TYPE_TRACEPOINT, PERF_TYPE_TRACEPOINT},
		{ABI_TYPE_HW_CACHE, PERF_TYPE_HW_CACHE},
		{ABI_TYPE_RAW, PERF_TYPE_RAW},
		{ABI_TYPE_BREAKPOINT, PERF_TYPE_BREAKPOINT},
	};
	for (size_t i = 0; i < ARRAY_LEN(bits); i++)
		assert_true(bits[i].ours == bits[i].theirs);
}

static void record_types_and_misc_bits(void **state)
{
	(void)state;
	static const struct {
		uint32_t ours, theirs;
	} numbers[] = {
#define SAME(name) {RECORD_##name, PERF_RECORD_##name}
		SAME(MMAP),
		SAME(LOST),
		SAME(COMM),
		SAME(EXIT),
		SAME(THROTTLE),
		SAME(UNTHROTTLE),
		SAME(FORK),
		SAME(READ),
		SAME(SAMPLE),
		SAME(MMAP2),
		SAME(AUX),
		SAME(ITRACE_START),
		SAME(LOST_SAMPLES),
		SAME(SWITCH),
		SAME(SWITCH_CPU_WIDE),
		SAME(NAMESPACES),
		SAME(KSYMBOL),
		SAME(BPF_EVENT),
		SAME(CGROUP),
		SAME(TEXT_POKE),
#if HAVE_PERF_RECORD_AUX_OUTPUT_HW_ID
		SAME(AUX_OUTPUT_HW_ID),
#endif
#if HAVE_PERF_RECORD_CALLCHAIN_DEFERRED
		SAME(CALLCHAIN_DEFERRED),
#endif
#undef SAME
#define SAME(name) {MISC_##name, PERF_RECORD_MISC_##name}
		SAME(CPUMODE_MASK),
		SAME(KERNEL),
		SAME(USER),
		SAME(HYPERVISOR),
		SAME(GUEST_KERNEL),
		SAME(GUEST_USER),
		SAME(MMAP_DATA),
		SAME(COMM_EXEC),
		SAME(FORK_EXEC),
		SAME(SWITCH_OUT),
		SAME(EXACT_IP),
		SAME(SWITCH_OUT_PREEMPT),
		SAME(MMAP_BUILD_ID),
#undef SAME
	};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		assert_int_equal(numbers[i].ours, numbers[i].theirs);
	assert_true(CALLCHAIN_CONTEXT_MAX == (uint64_t)PERF_CONTEXT_MAX);
}

static void attr_has_the_kernels_shape(void **state)
{
	(void)state;
#define SAME(ours, theirs)                                                                                             \
	do {                                                                                                           \
		assert_int_equal(offsetof(struct perf_attr, ours), offsetof(struct perf_event_attr, theirs));          \
		assert_int_equal(sizeof(((struct perf_attr *)0)->ours),                                                \
				 sizeof(((struct perf_event_attr *)0)->theirs));                                       \
	} while (0)
	SAME(type, type);
	SAME(size, size);
	SAME(config, config);
	SAME(sample_period, sample_period);
	SAME(sample_type, sample_type);
	SAME(read_format, read_format);
	SAME(wakeup, wakeup_events);
	SAME(bp_type, bp_type);
	SAME(config1, config1);
	SAME(config2, config2);
	SAME(branch_sample_type, branch_sample_type);
	SAME(sample_regs_user, sample_regs_user);
	SAME(sample_stack_user, sample_stack_user);
	SAME(clockid, clockid);
	SAME(sample_regs_intr, sample_regs_intr);
	SAME(aux_watermark, aux_watermark);
	SAME(sample_max_stack, sample_max_stack);
	SAME(aux_sample_size, aux_sample_size);
	SAME(sig_data, sig_data);
#undef SAME
	assert_int_equal(sizeof(struct record_header), sizeof(struct perf_event_header));
	assert_int_equal(offsetof(struct record_header, misc), offsetof(struct perf_event_header, misc));
	assert_int_equal(offsetof(struct record_header, size), offsetof(struct perf_event_header, size));
}

/* The bit-field of struct perf_event_attr as a number. */
static uint64_t flags_of(const struct perf_event_attr *attr)
{
	uint64_t flags;
	memcpy(&flags, (const char *)attr + offsetof(struct perf_event_attr, read_format) + 8, sizeof(flags));
	return flags;
}

static void attr_flags(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct perf_attr, flags), offsetof(struct perf_event_attr, read_format) + 8);
#define SAME(flag, field) assert_true(flags_of(&(struct perf_event_attr){.field = 1}) == (flag))
	SAME(ATTR_DISABLED, disabled);
	SAME(ATTR_INHERIT, inherit);
	SAME(ATTR_PINNED, pinned);
	SAME(ATTR_EXCLUSIVE, exclusive);
	SAME(ATTR_EXCLUDE_USER, exclude_user);
	SAME(ATTR_EXCLUDE_KERNEL, exclude_kernel);
	SAME(ATTR_EXCLUDE_HV, exclude_hv);
	SAME(ATTR_EXCLUDE_IDLE, exclude_idle);
	SAME(ATTR_MMAP, mmap);
	SAME(ATTR_COMM, comm);
	SAME(ATTR_FREQ, freq);
	SAME(ATTR_INHERIT_STAT, inherit_stat);
	SAME(ATTR_ENABLE_ON_EXEC, enable_on_exec);
	SAME(ATTR_TASK, task);
	SAME(ATTR_WATERMARK, watermark);
	SAME(1ull << ATTR_PRECISE_SHIFT, precise_ip);
	SAME(ATTR_MMAP_DATA, mmap_data);
	SAME(ATTR_SAMPLE_ID_ALL, sample_id_all);
	SAME(ATTR_EXCLUDE_HOST, exclude_host);
	SAME(ATTR_EXCLUDE_GUEST, exclude_guest);
	SAME(ATTR_EXCLUDE_CALLCHAIN_KERNEL, exclude_callchain_kernel);
	SAME(ATTR_EXCLUDE_CALLCHAIN_USER, exclude_callchain_user);
	SAME(ATTR_MMAP2, mmap2);
	SAME(ATTR_COMM_EXEC, comm_exec);
	SAME(ATTR_USE_CLOCKID, use_clockid);
	SAME(ATTR_CONTEXT_SWITCH, context_switch);
	SAME(ATTR_WRITE_BACKWARD, write_backward);
	SAME(ATTR_NAMESPACES, namespaces);
	SAME(ATTR_KSYMBOL, ksymbol);
	SAME(ATTR_BPF_EVENT, bpf_event);
	SAME(ATTR_AUX_OUTPUT, aux_output);
	SAME(ATTR_CGROUP, cgroup);
	SAME(ATTR_TEXT_POKE, text_poke);
	SAME(ATTR_BUILD_ID, build_id);
	SAME(ATTR_INHERIT_THREAD, inherit_thread);
	SAME(ATTR_REMOVE_ON_EXEC, remove_on_exec);
	SAME(ATTR_SIGTRAP, sigtrap);
#undef SAME
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_and_read_bits),
		cmocka_unit_test(record_types_and_misc_bits),
		cmocka_unit_test(attr_has_the_kernels_shape),
		cmocka_unit_test(attr_flags),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
