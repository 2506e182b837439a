/* Collects the names of JIT code for the feature CODE_NAMES of a recording.  Only samples of processes that have JIT
 * code, as their mappings show, are looked up. */
#ifndef RECORDER_CODE_H
#define RECORDER_CODE_H

#include "base/limits.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>
#include <cyctop/runtime.h>

struct code_names;
/* Starts a thread that reads perf maps and jitdumps.  Returns 0, or -errno and sets *err. */
CYC_MUST_CHECK int code_names_create(struct code_names **ret, struct error *err);
void code_names_destroy(struct code_names *c); /* c may be NULL */

/* Pass records and samples in order of time: those of the rings, and records about what existed before. */
void code_names_record(struct code_names *c, const struct record *rec);
void code_names_samples(struct code_names *c, const struct sample_core *samples, size_t n);
/* Looks up the callers in user code of a sample, from its call chain. */
void code_names_callers(struct code_names *c, const struct sample_core *sample, struct record_words chain);
/* Requests reads of perf maps and jitdumps that are due, and installs the names that have been read; to be called each
 * second.  now_ns: CLOCK_MONOTONIC. */
void code_names_tend(struct code_names *c, uint64_t now_ns);
/* Waits up to 1.5 s for names that are still being read. */
void code_names_settle(struct code_names *c);
/* Returns the number of samples in JIT code that have no name so far.  Sets *most_ret to the JIT runtime with most of
 * them; NULL: unknown. */
uint64_t code_names_unnamed(const struct code_names *c, const struct jit_runtime **most_ret);
/* Moves the names to info->code, and adds to *limits the limits that were reached since the last call. */
void code_names_get(struct code_names *c, struct pd_info *info, struct limit_counts *limits);

#endif
