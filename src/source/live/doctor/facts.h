/* What the doctor judges by: read from files (facts.c) and by opening events (probe.c). */
#ifndef SOURCE_LIVE_DOCTOR_FACTS_H
#define SOURCE_LIVE_DOCTOR_FACTS_H

#include "source/live/caps.h"
#include "source/live/open.h"

#include <cyctop/doctor.h>

/* What perf_event_open() may be asked for, asked of a software event. */
struct doctor_feature {
	const char *name, *since; /* the first kernel that has it */
	bool used;		  /* by cyctop */
	uint64_t sample_type, read_format, flags;
};
extern const struct doctor_feature doctor_features[];
extern const size_t doctor_features_n; /* at most 32 */

/* A process with perf events open. */
struct holder {
	uint32_t pid;
	char comm[32];
	unsigned events;
};
enum { HOLDERS_SHOWN = 4, PMU_COUNTERS_MAX = 32 };

struct doctor_facts {
	struct live_env env;
	unsigned cpus; /* online */

	/* ---- files ---- */
	int nmi_watchdog;		  /* -1: it cannot be read */
	int rdpmc, user_access;		  /* user-space reads on x86, and on arm64; -1: there is no such file */
	char lockdown[24];		  /* the mode that is chosen; "": there is no such file */
	bool has_securityfs, has_tracefs; /* the kernel knows these file systems */
	int tracefs;			  /* errno of opening its events; 0: none */
	bool has_proc;			  /* /proc is mounted */
	char hidepid[16];		  /* as /proc was mounted; "": without */
	bool hides_first;		  /* process 1 cannot be seen */
	struct opener opener;		  /* the core PMUs */
	struct holder holders[HOLDERS_SHOWN];
	size_t holders_n, processes, unreadable; /* holders_n: also those beyond the array */

	/* ---- probes ---- */
	uint64_t files_hard;	 /* RLIMIT_NOFILE, to which a live run raises its own limit */
	int open_code;		 /* errno of events on all tasks of a CPU, kernel included; 0: they open */
	int cycles_code;	 /* the same of cycles on this process, user space only */
	int dummy_code;		 /* of a dummy event there */
	uint32_t known, refused; /* features, a bit each: accepted, or with more privilege only */
	struct {
		unsigned all, free;
	} counters[CORE_PMUS_MAX]; /* of the PMUs; all: 0: unknown */
	bool user_reads;	   /* cap_user_rdpmc of a counter */

	/* ---- a live run ---- */
	enum source_scope scope;
	char event[64], notice[1024];
	uint64_t rate_hz;
	size_t events_n;   /* that it opened on each CPU */
	size_t ring_bytes; /* 0: it has no rings */
};

/* In this order, since privileges are given up before the last.  `root_fd`: the directory / of the machine. */
void facts_settings(int root_fd, struct doctor_facts *f);
void facts_probe(struct doctor_facts *f);
void facts_look(int root_fd, struct doctor_facts *f);

/* Pure. */
void doctor_judge(const struct doctor_facts *f, struct doctor_line ret[static DOCTOR_LINES]);

#endif
