/* Describes the machine and its tasks for a recording: all that does not come as records of the source. */
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

/* Writes the bytes of the feature CPU_TOPOLOGY (host.c). */
void describe_topology(struct pd_buffer *out);

/* Writes the bytes of the feature TRACING_DATA (tracing.c); returns false if no event is a tracepoint. */
bool describe_tracepoints(const struct pd_info *info, struct pd_buffer *out);

/* Calls `put` with records of time 0 for all that exists before the first record: the kernel's mapping, modules, BPF
 * programs and the like, and for each process of the target the names of its threads and its executable mappings.
 * Counts the limits that were reached.  Returns 0, or the result of `put` if that is not 0 (existing.c). */
typedef int put_record_fn(void *ctx, const struct record *rec);
CYC_MUST_CHECK int describe_existing(const struct target *who, put_record_fn *put, void *ctx,
				     struct limit_counts *limits);
/* Calls `put` for the kernel, from a file in the format of /proc/kallsyms: with its mapping, and a KSYMBOL record for
 * each piece of code that it generated (existing_kernel.c). */
CYC_MUST_CHECK int describe_kernel(const char *kallsyms, put_record_fn *put, void *ctx);

/* Reads the build-id of a mapped file, as process `pid` sees it, if the file's inode is `ino` (0: any).  Returns false
 * if it has none, or cannot be read (build_id.c). */
bool build_id_of_file(const char *path, uint32_t pid, uint64_t ino, struct pd_build_id *ret);
/* Reads the build-id of the kernel or a module, by the name of its mapping. */
bool build_id_of_kernel(const char *map, struct pd_build_id *ret);
/* Reads the build-id of the [vdso] of programs with this machine's word size. */
bool build_id_of_vdso(struct pd_build_id *ret);

#endif
