/* Collects the names of JIT code for the feature CODE_NAMES of a recording.  Mappings tell which processes have JIT
 * code; only samples of these processes are looked up. */
#ifndef RECORDER_CODE_H
#define RECORDER_CODE_H

#include "base/limits.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>
#include <cyctop/runtime.h>

struct code_names;
/* Starts a thread that reads perf maps and jitdumps. */
CYC_MUST_CHECK int code_names_create(struct code_names **ret, struct error *err);
void code_names_destroy(struct code_names *c); /* c may be NULL */

/* Take records and samples in the order of time, both of the rings and of what existed before. */
void code_names_record(struct code_names *c, const struct record *rec);
void code_names_samples(struct code_names *c, const struct sample_core *samples, size_t n);
/* Requests the perf maps and jitdumps that are due to be read, and takes over the names that were read; to be called
 * each second. */
void code_names_tend(struct code_names *c, uint64_t now_ns);
/* Waits a short time for names that are still being read. */
void code_names_settle(struct code_names *c);
/* Returns the number of samples in JIT code without a name so far; *most_ret: the JIT runtime with most of them; NULL:
 * unknown. */
uint64_t code_names_unnamed(const struct code_names *c, const struct jit_runtime **most_ret);
/* Moves the names to info->code, and counts the limits that were reached. */
void code_names_get(struct code_names *c, struct pd_info *info, struct limit_counts *limits);

#endif
