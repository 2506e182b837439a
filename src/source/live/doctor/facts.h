/* The findings ("facts") that cyctop doctor judges by: from files (facts.c) and from opening events (probe.c). */
#ifndef SOURCE_LIVE_DOCTOR_FACTS_H
#define SOURCE_LIVE_DOCTOR_FACTS_H

#include "source/live/caps.h"
#include "source/live/open.h"

#include <cyctop/doctor.h>

/* A feature of perf_event_open(), tried on a dummy event. */
struct doctor_feature {
	const char *name, *since; /* `since`: the first kernel version that has it */
	bool used;		  /* cyctop uses it */
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

	/* ---- read from files ---- */
	int nmi_watchdog;		      /* kernel.nmi_watchdog; this and the next two: -1 if unknown */
	int rdpmc, user_access;		      /* settings of x86 and arm64: counters may be read in user space */
	char lockdown[24];		      /* current lockdown mode; "": there is no such file */
	bool has_securityfs, has_tracefs;     /* /proc/filesystems lists them */
	int tracefs;			      /* errno with which opening tracefs fails; 0: it opens */
	bool has_proc;			      /* /proc is mounted */
	char hidepid[16];		      /* mount option hidepid= of /proc; "": not set */
	bool hides_first;		      /* process 1 cannot be seen */
	struct opener opener;		      /* has the core PMUs of the machine */
	struct holder holders[HOLDERS_SHOWN]; /* processes that have perf events open */
	size_t holders_n;		      /* number of processes with perf events; may exceed holders[] */
	size_t processes, unreadable;	      /* unreadable: number of processes whose open files cannot be listed */

	/* ---- found by opening events ---- */
	uint64_t files_hard;	 /* hard limit of open files, to which a live run raises the soft one */
	int open_code;		 /* errno of opening an event on all tasks of a CPU, kernel included; 0: it opens */
	int cycles_code;	 /* errno of opening cycles on this process in user space; 0: it opens */
	int dummy_code;		 /* errno of opening a dummy event on this process; 0: it opens */
	uint32_t known, refused; /* bit i: doctor_features[i] is accepted, or refused for lack of privilege */
	struct {
		unsigned all, free;
	} counters[CORE_PMUS_MAX]; /* [core PMU]: number of counters, and of free ones; all 0: unknown */
	bool user_reads;	   /* counters can be read in user space (cap_user_rdpmc) */

	/* ---- what live_open() can measure without options ---- */
	enum source_scope scope;
	char event[96], notice[1024];
	uint64_t rate_hz;
	size_t ring_bytes; /* size of a data ring; 0: there is none */
};

/* Set the facts.  To be called in this order; privileges must be dropped before facts_look().  `root_fd`: root
 * directory of the machine, for tests. */
void facts_settings(int root_fd, struct doctor_facts *f);
void facts_probe(struct doctor_facts *f);
void facts_look(int root_fd, struct doctor_facts *f);

/* Writes a line for each check, judged by the facts.  Pure. */
void doctor_judge(const struct doctor_facts *f, struct doctor_line ret[static DOCTOR_LINES]);

#endif
