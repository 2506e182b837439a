/* Describes the machine, its tasks and the events for a recording: all that is not in the records of the source. */
#ifndef RECORDER_DESCRIBE_H
#define RECORDER_DESCRIBE_H

#include "base/limits.h"

#include <cyctop/event.h>
#include <cyctop/perfdata.h>
#include <cyctop/source.h>

/* Adds an event for each open stream of the source (describe.c). */
CYC_MUST_CHECK int describe_events(struct pd_info *info, struct source *src, struct error *err);
/* Adds the ids of events that were opened since describe_events(), for new tasks and CPUs. */
void describe_new_ids(struct pd_info *info, struct source *src);
void describe_command_line(struct pd_info *info, int argc, char **argv);

/* Appends the contents of the feature CPU_TOPOLOGY to `out` (host.c). */
void describe_topology(struct pd_buffer *out);

/* Appends the contents of the feature TRACING_DATA to `out` (tracing.c); returns false if no event is a tracepoint. */
bool describe_tracepoints(const struct pd_info *info, struct pd_buffer *out);

/* Calls `put` with records of time 0 for all that exists before the first record: the kernel's mapping, modules,
 * generated code (as of BPF), cgroups; and for each process of the target its threads' names and executable mappings.
 * Counts limits that were reached.  Returns 0, or the first result of `put` that is not 0 (existing.c). */
typedef int put_record_fn(void *ctx, const struct record *rec);
CYC_MUST_CHECK int describe_existing(const struct target *who, put_record_fn *put, void *ctx,
				     struct limit_counts *limits);
/* Calls `put` with the kernel's mapping and a KSYMBOL record for each piece of code that the kernel generated;
 * `kallsyms`: path of a file in the format of /proc/kallsyms (existing_kernel.c).  Returns as describe_existing(). */
CYC_MUST_CHECK int describe_kernel(const char *kallsyms, put_record_fn *put, void *ctx);

/* Reads the build-id of a mapped file; `path`: as process `pid` sees it.  Returns false if the file has no build-id,
 * cannot be read, or has another inode than `ino` (0: any) (build_id.c). */
bool build_id_of_file(const char *path, uint32_t pid, uint64_t ino, struct pd_build_id *ret);
/* Reads the build-id of the kernel or of a module; `map`: the name of its mapping.  Returns false if there is none. */
bool build_id_of_kernel(const char *map, struct pd_build_id *ret);
/* Reads the build-id of the [vdso] of programs with this machine's word size. */
bool build_id_of_vdso(struct pd_build_id *ret);

#endif
