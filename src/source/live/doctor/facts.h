/* The facts that the doctor judges by: read from files (facts.c) and by opening events (probe.c). */
#ifndef SOURCE_LIVE_DOCTOR_FACTS_H
#define SOURCE_LIVE_DOCTOR_FACTS_H

#include "source/live/caps.h"
#include "source/live/open.h"

#include <cyctop/doctor.h>

/* A feature of perf_event_open(), which is tried on a dummy event. */
struct doctor_feature {
	const char *name, *since; /* `since` is the first kernel that has it */
	bool used;		  /* cyctop asks for it */
	uint64_t sample_type, read_format, flags;
};
extern const struct doctor_feature doctor_features[];
extern const size_t doctor_features_n; /* at most 32 */

/* A process that has perf events open. */
struct holder {
	uint32_t pid;
	char comm[32];
	unsigned events;
};
enum { HOLDERS_SHOWN = 4, PMU_COUNTERS_MAX = 32 };

struct doctor_facts {
	struct live_env env;
	unsigned cpus; /* number of CPUs online */

	/* ---- files ---- */
	int nmi_watchdog;		  /* kernel.nmi_watchdog; -1: there is no such file, here and in the next two */
	int rdpmc, user_access;		  /* settings of user-space reads on x86, and on arm64 */
	char lockdown[24];		  /* mode that is chosen; "": there is no such file */
	bool has_securityfs, has_tracefs; /* the kernel knows these file systems */
	int tracefs;			  /* errno of opening its events; 0: none */
	bool has_proc;			  /* /proc is mounted */
	char hidepid[16];		  /* option with which /proc was mounted; "": without */
	bool hides_first;		  /* process 1 cannot be seen */
	struct opener opener;		  /* its core PMUs */
	struct holder holders[HOLDERS_SHOWN];
	size_t holders_n; /* number of holders, also of those beyond the array */
	size_t processes, unreadable;

	/* ---- probes ---- */
	uint64_t files_hard;	 /* RLIMIT_NOFILE, to which a live run raises its own limit */
	int open_code;		 /* errno of an event on all tasks of a CPU, kernel included; 0: it opens */
	int cycles_code;	 /* errno of cycles on this process, user space only */
	int dummy_code;		 /* errno of a dummy event there */
	uint32_t known, refused; /* features, a bit each: accepted, or with more privilege only */
	struct {
		unsigned all, free;
	} counters[CORE_PMUS_MAX]; /* numbers of the PMUs' counters; all is 0 if unknown */
	bool user_reads;	   /* cap_user_rdpmc of a counter */

	/* ---- a live run ---- */
	enum source_scope scope;
	char event[96], notice[1024];
	uint64_t rate_hz;
	size_t ring_bytes; /* size of a data ring; 0: it has none */
};

/* Fill the facts, in this order, since privileges are given up before the last.  `root_fd` is the directory / of the
 * machine. */
void facts_settings(int root_fd, struct doctor_facts *f);
void facts_probe(struct doctor_facts *f);
void facts_look(int root_fd, struct doctor_facts *f);

/* Judges.  Pure. */
void doctor_judge(const struct doctor_facts *f, struct doctor_line ret[static DOCTOR_LINES]);

#endif
