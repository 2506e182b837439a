/* Level 1 of the top-down method: which part of a CPU's issue slots retired, was wasted, or stayed empty.  All events
 * are general-purpose ones, so that functions have samples of them; the kernel cannot sample Intel's PERF_METRICS.
 *
 * Sources of the formulas.  Intel: TMA metrics (github.com/intel/perfmon; Optimization Reference Manual, appendix B),
 * in the variant for threads: slots that the core's other thread took count as back end.  AMD: Processor Programming
 * Reference of family 19h models 10h on and of 1Ah, "pipeline utilization"; earlier families have no event for empty
 * slots of the front end.  Arm: Telemetry Specifications of Neoverse V1, N2, V2.  Neoverse N1, and Cortex-A76, A77, A78
 * with the same events (Technical Reference Manuals), count cycles without an operation instead of slots.
 *
 * All events of a formula are of one PMU, since a ratio is computed only over CPUs that count both parts: on a hybrid
 * machine each kind of core has formulas of its own. */
#include "event/internal.h"

#include <stdlib.h>
#include <string.h>

#define INTEL(pmu, dropping)                                                                                           \
	"cycles,instructions," pmu "/event=0xa4,umask=0x1,name=slots/," pmu                                            \
	"/event=0x9c,umask=0x1,name=fe_slots/," pmu "/event=" dropping ",umask=0x10,name=fe_dropped/," pmu             \
	"/event=0xa4,umask=0x2,name=be_slots/," pmu "/event=0xc2,umask=0x2,name=retired_slots/"
#define INTEL_METRICS                                                                                                  \
	"RET%=retired_slots/slots", "BAD%=1 - (fe_slots - fe_dropped + be_slots + retired_slots)/slots",               \
		"FE%=(fe_slots - fe_dropped)/slots", "BE%=be_slots/slots"

/* Gracemont has 5 slots in a cycle. */
#define GRACEMONT(pmu)                                                                                                 \
	pmu "/event=0x71,name=e_fe_slots/," pmu "/event=0x74,name=e_be_slots/," pmu "/event=0xc2,name=e_retired/"
#define GRACEMONT_METRICS(e)                                                                                           \
	e "RET%=e_retired/(5*cycles)", e "BAD%=1 - (e_fe_slots + e_be_slots + e_retired)/(5*cycles)",                  \
		e "FE%=e_fe_slots/(5*cycles)", e "BE%=e_be_slots/(5*cycles)"

#define AMD(width)                                                                                                     \
	{                                                                                                              \
		"RET%=retired_ops/(" width "*cycles)", "BAD%=(dispatched_ops - retired_ops)/(" width "*cycles)",       \
			"FE%=fe_slots/(" width "*cycles)", "BE%=be_slots/(" width "*cycles)",                          \
			"SMT%=smt_slots/(" width "*cycles)"                                                            \
	}
static const char amd_events[] =
	"cycles,cpu/event=0x1a0,umask=0x1,name=fe_slots/,cpu/event=0x1a0,umask=0x1e,name=be_slots/,"
	"cpu/event=0x1a0,umask=0x60,name=smt_slots/,cpu/event=0xaa,umask=0x7,name=dispatched_ops/,"
	"cpu/event=0xc1,name=retired_ops/";

/* `missing`: a term that corrects the event's count, which is one too high in each cycle (N2). */
#define ARM_METRICS(slots, missing)                                                                                    \
	{                                                                                                              \
		"RET%=op_retired/op_spec*(1 - (stall_slot" missing ")/(" slots "*cycles))",                            \
			"BAD%=(1 - op_retired/op_spec)*(1 - (stall_slot" missing ")/(" slots "*cycles))",              \
			"FE%=(stall_slot_frontend" missing ")/(" slots "*cycles)",                                     \
			"BE%=stall_slot_backend/(" slots "*cycles)"                                                    \
	}
#define ARM_EVENTS "cycles,stall_slot,stall_slot_frontend,stall_slot_backend,op_retired,op_spec"

static const struct event_topdown skylake = {
	"cycles,instructions,cpu/event=0x9c,umask=0x1,name=fe_slots/,cpu/event=0xe,umask=0x1,name=issued_uops/,"
	"cpu/event=0xd,umask=0x1,name=recovery_cycles/,cpu/event=0xc2,umask=0x2,name=retired_slots/",
	{"RET%=retired_slots/(4*cycles)", "BAD%=(issued_uops - retired_slots + 4*recovery_cycles)/(4*cycles)",
	 "FE%=fe_slots/(4*cycles)", "BE%=1 - (fe_slots + issued_uops + 4*recovery_cycles)/(4*cycles)"}};
static const struct event_topdown ice_lake = {INTEL("cpu", "0xd"), {INTEL_METRICS}};
static const struct event_topdown golden_cove = {INTEL("cpu", "0xad"), {INTEL_METRICS}};
static const struct event_topdown gracemont = {"cycles,instructions," GRACEMONT("cpu"), {GRACEMONT_METRICS("")}};
static const struct event_topdown alder_lake = {INTEL("cpu_core", "0xad") "," GRACEMONT("cpu_atom"),
						{INTEL_METRICS, GRACEMONT_METRICS("e")}};
static const struct event_topdown meteor_lake = {INTEL("cpu_core", "0xad"), {INTEL_METRICS}};
static const struct event_topdown zen4 = {amd_events, AMD("6")}, zen5 = {amd_events, AMD("8")};
static const struct event_topdown neoverse_v1 = {
	ARM_EVENTS ",br_mis_pred",
	{"RET%=op_retired/op_spec*(1 - stall_slot/(8*cycles))",
	 "BAD%=(1 - op_retired/op_spec)*(1 - stall_slot/(8*cycles)) + 4*br_mis_pred/cycles",
	 "FE%=stall_slot_frontend/(8*cycles) - 4*br_mis_pred/cycles", "BE%=stall_slot_backend/(8*cycles)"}};
static const struct event_topdown neoverse_n2 = {ARM_EVENTS, ARM_METRICS("5", " - cycles")};
static const struct event_topdown neoverse_v2 = {ARM_EVENTS, ARM_METRICS("8", "")};
/* Needs no formulas, because its events have the built-in metrics FSTL% and BSTL%. */
static const struct event_topdown neoverse_n1 = {"cycles,instructions,stall_frontend,stall_backend", {NULL}};

/* Ranges of CPU models within a family; for Arm, of part numbers. */
static const struct {
	const char *vendor; /* vendor_id of /proc/cpuinfo, or Arm's "CPU implementer" */
	uint32_t family, first, last;
	const struct event_topdown *is;
} rows[] = {
	{"GenuineIntel", 6, 0x4e, 0x4e, &skylake},
	{"GenuineIntel", 6, 0x55, 0x55, &skylake}, /* and Cascade Lake, Cooper Lake */
	{"GenuineIntel", 6, 0x5e, 0x5e, &skylake},
	{"GenuineIntel", 6, 0x8e, 0x8e, &skylake}, /* Kaby Lake, Coffee Lake */
	{"GenuineIntel", 6, 0x9e, 0x9e, &skylake},
	{"GenuineIntel", 6, 0xa5, 0xa6, &skylake}, /* Comet Lake */
	{"GenuineIntel", 6, 0x6a, 0x6a, &ice_lake},
	{"GenuineIntel", 6, 0x6c, 0x6c, &ice_lake},
	{"GenuineIntel", 6, 0x7d, 0x7e, &ice_lake},
	{"GenuineIntel", 6, 0x8c, 0x8d, &ice_lake}, /* Tiger Lake */
	{"GenuineIntel", 6, 0xa7, 0xa7, &ice_lake}, /* Rocket Lake */
	{"GenuineIntel", 6, 0x8f, 0x8f, &golden_cove},
	{"GenuineIntel", 6, 0xcf, 0xcf, &golden_cove}, /* Emerald Rapids */
	{"GenuineIntel", 6, 0xad, 0xae, &golden_cove}, /* Granite Rapids */
	{"GenuineIntel", 6, 0x97, 0x97, &alder_lake},  /* Alder Lake */
	{"GenuineIntel", 6, 0x9a, 0x9a, &alder_lake},
	{"GenuineIntel", 6, 0xaa, 0xaa, &meteor_lake}, /* Meteor Lake */
	{"GenuineIntel", 6, 0xac, 0xac, &meteor_lake},
	{"GenuineIntel", 6, 0xb7, 0xb7, &alder_lake}, /* Raptor Lake */
	{"GenuineIntel", 6, 0xba, 0xba, &alder_lake},
	{"GenuineIntel", 6, 0xbf, 0xbf, &alder_lake},
	{"GenuineIntel", 6, 0xbe, 0xbe, &gracemont}, /* Alder Lake-N */
	{"AuthenticAMD", 0x19, 0x10, 0x1f, &zen4},
	{"AuthenticAMD", 0x19, 0x60, 0x7f, &zen4},
	{"AuthenticAMD", 0x19, 0xa0, 0xaf, &zen4},
	{"AuthenticAMD", 0x1a, 0x00, 0x4f, &zen5},
	{"AuthenticAMD", 0x1a, 0x60, 0x7f, &zen5},
	{"0x41", 0, 0xd0b, 0xd0b, &neoverse_n1}, /* Cortex-A76 */
	{"0x41", 0, 0xd0c, 0xd0c, &neoverse_n1},
	{"0x41", 0, 0xd0d, 0xd0d, &neoverse_n1}, /* Cortex-A77 */
	{"0x41", 0, 0xd41, 0xd42, &neoverse_n1}, /* Cortex-A78, A78AE */
	{"0x41", 0, 0xd40, 0xd40, &neoverse_v1},
	{"0x41", 0, 0xd49, 0xd49, &neoverse_n2},
	{"0x41", 0, 0xd4f, 0xd4f, &neoverse_v2},
};

/* Finds the value of the first line "KEY : VALUE" in /proc/cpuinfo; "": there is none. */
static struct event_text value_of(const char *text, const char *key)
{
	size_t n = strlen(key);
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + n;
		if (strncmp(line, key, n) != 0)
			continue;
		at += strspn(at, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		return (struct event_text){at, strcspn(at, " \t\n")};
	}
	return (struct event_text){"", 0};
}

static uint32_t number_of(const char *text, const char *key)
{
	return (uint32_t)strtoul(value_of(text, key).s, NULL, 0);
}

const struct event_topdown *event_topdown(const char *cpuinfo)
{
	struct event_text vendor = value_of(cpuinfo, "vendor_id");
	uint32_t family = number_of(cpuinfo, "cpu family"), model = number_of(cpuinfo, "model");
	if (!vendor.n) {
		vendor = value_of(cpuinfo, "CPU implementer");
		model = number_of(cpuinfo, "CPU part");
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (event_text_is(vendor, rows[i].vendor) && rows[i].family == family && model >= rows[i].first &&
		    model <= rows[i].last)
			return rows[i].is;
	return NULL;
}
