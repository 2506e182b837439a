/* Records for what was there before the recording began: code that the kernel generated, and processes. */
#include "../lib/described.h"
#include "../lib/scratch.h"

#include "recorder/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int note_record(void *ctx, const struct record *rec)
{
	FILE *out = ctx;
	if (rec->type == RECORD_MMAP) {
		fprintf(out, "%llx+%llx %s\n", (unsigned long long)rec->u.mmap.start,
			(unsigned long long)rec->u.mmap.len, rec->u.mmap.filename);
		return 0;
	}
	assert_int_equal(rec->type, RECORD_KSYMBOL);
	fprintf(out, "%llx+%x %u %s\n", (unsigned long long)rec->u.ksymbol.addr, rec->u.ksymbol.len,
		rec->u.ksymbol.ksym_type, rec->u.ksymbol.name);
	return 0;
}

/* A piece of code of unknown length ends at the start of the next one.  The kernel's own reaches from _text to
 * the end of its data, whatever modules call theirs. */
static void the_kernel_and_generated_code_get_records(void **state)
{
	(void)state;
	char said[512] = "", path[SCRATCH_PATH];
	static const char kallsyms[] = "ffffffff81000000 T _text\n"
				       "ffffffff81e00000 T _etext\n"
				       "ffffffff82600000 D _edata\n"
				       "ffffffffc0100000 T _text\t[made]\n"
				       "ffffffffc0200000 t fuse_read\t[fuse]\n"
				       "ffffffffc0302f80 t bpf_prog_2_b\t[bpf]\n"
				       "ffffffffc0302000 t bpf_prog_1_a\t[bpf]\n"
				       "ffffffffc0400000 t ftrace_trampoline\t[__builtin__ftrace]\n"
				       "0000000000000000 t bpf_prog_3_hidden\t[bpf]\n"
				       "ffffffffc0500000 t\t[bpf]\n"
				       "\t[bpf]\n"
				       "ffffffffc0600000 t kprobe_insn_page\t[__builtin__kprobes]";
	close(scratch_file(path));
	scratch_text(path, kallsyms);
	FILE *out = fmemopen(said, sizeof(said), "w");
	assert_int_equal(describe_kernel(path, note_record, out), 0);
	fclose(out);
	unlink(path);
	assert_string_equal(said, "ffffffff81000000+1600000 [kernel.kallsyms]_text\n"
				  "ffffffffc0302000+f80 1 bpf_prog_1_a\n"
				  "ffffffffc0302f80+80 1 bpf_prog_2_b\n"
				  "ffffffffc0400000+1000 2 ftrace_trampoline\n"
				  "ffffffffc0600000+1000 2 kprobe_insn_page\n");
	assert_int_equal(describe_kernel("/nowhere/kallsyms", note_record, NULL), 0);
}

static void a_process_that_runs_is_described(void **state)
{
	(void)state;
	assert_describes_this_process(
		&(struct target){.kind = TARGET_PROCESSES, .ids = {(uint32_t)getpid()}, .ids_n = 1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_and_generated_code_get_records),
		cmocka_unit_test(a_process_that_runs_is_described),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
