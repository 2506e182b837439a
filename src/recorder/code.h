/* Collects the names of code made at run time, for the feature CODE_NAMES of a recording.  Mappings tell which
 * processes make such code; only their samples are looked up, as on the screen. */
#ifndef RECORDER_CODE_H
#define RECORDER_CODE_H

#include "base/limits.h"

#include <cyctop/perfdata.h>
#include <cyctop/record.h>
#include <cyctop/runtime.h>

struct code_names;
/* Starts a thread, which reads perf maps and jitdumps. */
CYC_MUST_CHECK int code_names_create(struct code_names **ret, struct error *err);
void code_names_destroy(struct code_names *c); /* c may be NULL */

/* Take records and samples in the order of time, from the rings or of what exists already. */
void code_names_record(struct code_names *c, const struct record *rec);
void code_names_samples(struct code_names *c, const struct sample_core *samples, size_t n);
/* Requests the files that are due, and takes what was read of them; to be called each second. */
void code_names_tend(struct code_names *c, uint64_t now_ns);
/* Waits for the last names, for a short time at most. */
void code_names_settle(struct code_names *c);
/* Returns the number of samples in code without a name so far; sets *most_ret to the program with most of them. */
uint64_t code_names_unnamed(const struct code_names *c, const struct code_maker **most_ret);
/* Replaces info->code by the names, and counts the limits that were reached. */
void code_names_get(struct code_names *c, struct pd_info *info, struct limit_counts *limits);

#endif
