/* Level 1 of the top-down method: which part of a CPU's issue slots retired, was wasted, or stayed empty.  All events
 * are general-purpose ones, so that functions have samples of them; the kernel cannot sample Intel's PERF_METRICS.
 *
 * Formulas of Intel: github.com/intel/perfmon, TMA_Metrics-full.csv (where there are no PERF_METRICS) and, for E cores,
 * E-core_TMA_Metrics.csv.  Those of Skylake are for cores of one thread (SMT off): slots that the other thread took
 * count as lost to the back end.  From Ice Lake on the hardware divides the slots among the threads.  AMD: Processor
 * Programming Reference of family 19h models 10h on and of 1Ah, "pipeline utilization"; earlier families have no event
 * for the front end's slots.  Arm Neoverse V1, N2, V2: Telemetry Specifications
 * (gitlab.arm.com/telemetry-solution, data/pmu/cpu/neoverse).  Neoverse N1 (its specification) and Cortex-A76,
 * A77, A78 (their Technical Reference Manuals) have events that count cycles without an operation, not slots.
 *
 * All events of a formula are of one PMU, since a ratio is computed only over CPUs that count both parts: on a hybrid
 * machine each kind of core has formulas of its own. */
#include "event/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `misc`: event code of INT_MISC, which counts with umask 0x10 (UOP_DROPPING) empty slots that the front end did not
 * cause. */
#define INTEL_SLOTS(pmu)                                                                                               \
	"cycles,instructions," pmu "/event=0xa4,umask=0x1,name=slots/," pmu                                            \
	"/event=0x9c,umask=0x1,name=fe_slots/," pmu "/event=0xa4,umask=0x2,name=be_slots/," pmu                        \
	"/event=0xc2,umask=0x2,name=retired_slots/"
#define INTEL(pmu, misc) INTEL_SLOTS(pmu) "," pmu "/event=" misc ",umask=0x10,name=fe_dropped/"
/* `fe`, `be`: formulas of the slots lost to the front end and to the back end */
#define INTEL_METRICS(fe, be)                                                                                          \
	"RET%=retired_slots/slots", "BAD%=1 - (" fe " + " be " + retired_slots)/slots", "FE%=(" fe ")/slots",          \
		"BE%=(" be ")/slots"
#define INTEL_DROPPED "fe_slots - fe_dropped"

/* E cores.  `fe`, `be`, `ret`: terms (event code and umask) of the events for front end, back end and retired
 * operations. `width`: how many operations a core allocates per cycle. */
#define E_CORE(pmu, fe, be, ret)                                                                                       \
	pmu "/event=" fe ",name=e_fe_slots/," pmu "/event=" be ",name=e_be_slots/," pmu "/event=" ret ",name=e_"       \
	    "retired/"
#define E_CORE_METRICS(e, width, bad)                                                                                  \
	e "RET%=e_retired/(" width "*cycles)", e "BAD%=" bad "/(" width "*cycles)",                                    \
		e "FE%=e_fe_slots/(" width "*cycles)", e "BE%=e_be_slots/(" width "*cycles)"
#define GRACEMONT(pmu) E_CORE(pmu, "0x71", "0x74", "0xc2")
#define GRACEMONT_METRICS(e) E_CORE_METRICS(e, "5", "(5*cycles - e_fe_slots - e_be_slots - e_retired)")
#define CRESTMONT(pmu) E_CORE(pmu, "0x71", "0x74", "0x72") "," pmu "/event=0x73,name=e_bad_slots/"
#define CRESTMONT_METRICS(e) E_CORE_METRICS(e, "6", "e_bad_slots")
#define SKYMONT(pmu)                                                                                                   \
	E_CORE(pmu, "0x9c,umask=0x1", "0xa4,umask=0x2", "0xc2,umask=0x2") "," pmu "/event=0x73,name=e_bad_slots/"
#define SKYMONT_METRICS(e) E_CORE_METRICS(e, "8", "e_bad_slots")

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

/* `missing`: correction for a CPU that counts too much in stall_slot; `fe`, `be`: parts, for the front and the back
 * end, of the 4 cycles that a mispredicted branch costs. */
#define ARM_METRICS(slots, missing, fe, be)                                                                            \
	{                                                                                                              \
		"RET%=op_retired/op_spec*(1 - (stall_slot" missing ")/(" slots "*cycles))",                            \
			"BAD%=(1 - op_retired/op_spec)*(1 - (stall_slot" missing ")/(" slots                           \
			"*cycles)) + 4*br_mis_pred/cycles",                                                            \
			"FE%=(stall_slot_frontend" missing ")/(" slots "*cycles) - " fe "br_mis_pred/cycles",          \
			"BE%=stall_slot_backend/(" slots "*cycles)" be                                                 \
	}
static const char arm_events[] =
	"cycles,stall_slot,stall_slot_frontend,stall_slot_backend,op_retired,op_spec,br_mis_pred";

static const struct event_topdown skylake = {
	"cycles,instructions,cpu/event=0x9c,umask=0x1,name=fe_slots/,cpu/event=0xe,umask=0x1,name=issued_uops/,"
	"cpu/event=0xd,umask=0x1,name=recovery_cycles/,cpu/event=0xc2,umask=0x2,name=retired_slots/",
	{"RET%=retired_slots/(4*cycles)", "BAD%=(issued_uops - retired_slots + 4*recovery_cycles)/(4*cycles)",
	 "FE%=fe_slots/(4*cycles)", "BE%=1 - (fe_slots + issued_uops + 4*recovery_cycles)/(4*cycles)"}};
/* `clears`: after each machine clear the slots of one cycle are the back end's, which its event does not count. */
static const struct event_topdown ice_lake = {
	INTEL("cpu", "0xd") ",cpu/event=0xd,umask=0x1,edge=1,cmask=1,name=clears/",
	{INTEL_METRICS(INTEL_DROPPED, "be_slots + 5*clears")}};
static const struct event_topdown golden_cove = {INTEL("cpu", "0xad"), {INTEL_METRICS(INTEL_DROPPED, "be_slots")}};
static const struct event_topdown gracemont = {"cycles,instructions," GRACEMONT("cpu"), {GRACEMONT_METRICS("")}};
static const struct event_topdown crestmont = {"cycles,instructions," CRESTMONT("cpu"), {CRESTMONT_METRICS("")}};
static const struct event_topdown alder_lake = {INTEL("cpu_core", "0xad") "," GRACEMONT("cpu_atom"),
						{INTEL_METRICS(INTEL_DROPPED, "be_slots"), GRACEMONT_METRICS("e")}};
static const struct event_topdown meteor_lake = {INTEL("cpu_core", "0xad") "," CRESTMONT("cpu_atom"),
						 {INTEL_METRICS(INTEL_DROPPED, "be_slots"), CRESTMONT_METRICS("e")}};
static const struct event_topdown lunar_lake = {INTEL_SLOTS("cpu_core") "," SKYMONT("cpu_atom"),
						{INTEL_METRICS("fe_slots", "be_slots"), SKYMONT_METRICS("e")}};
static const struct event_topdown zen4 = {amd_events, AMD("6")}, zen5 = {amd_events, AMD("8")};
static const struct event_topdown neoverse_v1 = {arm_events, ARM_METRICS("8", "", "4*", "")};
static const struct event_topdown neoverse_n2_r0p0 = {arm_events,
						      ARM_METRICS("5", " - cycles", "", " - 3*br_mis_pred/cycles")};
static const struct event_topdown neoverse_n2 = {arm_events, ARM_METRICS("5", "", "", " - 3*br_mis_pred/cycles")};
static const struct event_topdown neoverse_v2 = {arm_events, ARM_METRICS("8", "", "", " - 3*br_mis_pred/cycles")};
/* No formulas, because these stall events have built-in columns, FSTL% and BSTL%. */
static const struct event_topdown neoverse_n1 = {"cycles,instructions,stall_frontend,stall_backend", {NULL}};

/* Models of a vendor's family.  Arm: part number, and lowest revision (rNpM is 0xNM); higher revisions come first. */
static const struct {
	const char *vendor; /* vendor_id of /proc/cpuinfo, or Arm's "CPU implementer" */
	uint32_t family, first, last;
	const struct event_topdown *is;
	uint32_t revision;
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
	{"GenuineIntel", 6, 0xb5, 0xb5, &meteor_lake}, /* Arrow Lake U */
	{"GenuineIntel", 6, 0xbd, 0xbd, &lunar_lake},  /* Lunar Lake */
	{"GenuineIntel", 6, 0xc5, 0xc6, &lunar_lake},  /* Arrow Lake; no columns for PMU cpu_lowpower */
	{"GenuineIntel", 6, 0xb7, 0xb7, &alder_lake},  /* Raptor Lake */
	{"GenuineIntel", 6, 0xba, 0xba, &alder_lake},
	{"GenuineIntel", 6, 0xbf, 0xbf, &alder_lake},
	{"GenuineIntel", 6, 0xbe, 0xbe, &gracemont}, /* Alder Lake-N */
	{"GenuineIntel", 6, 0xaf, 0xaf, &crestmont}, /* Sierra Forest */
	{"GenuineIntel", 6, 0xb6, 0xb6, &crestmont}, /* Grand Ridge */
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
	{"0x41", 0, 0xd49, 0xd49, &neoverse_n2, 0x03},
	{"0x41", 0, 0xd49, 0xd49, &neoverse_n2_r0p0},
	{"0x41", 0, 0xd4f, 0xd4f, &neoverse_v2},
};

/* Returns VALUE of the first line "KEY : VALUE" in /proc/cpuinfo; "" if there is no such line. */
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

static const struct event_topdown *find(struct event_text vendor, uint32_t family, uint32_t model, uint32_t revision)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (event_text_is(vendor, rows[i].vendor) && rows[i].family == family && model >= rows[i].first &&
		    model <= rows[i].last && revision >= rows[i].revision)
			return rows[i].is;
	return NULL;
}

const struct event_topdown *event_topdown(const char *cpuinfo)
{
	struct event_text vendor = value_of(cpuinfo, "vendor_id");
	if (vendor.n)
		return find(vendor, number_of(cpuinfo, "cpu family"), number_of(cpuinfo, "model"), 0);
	return find(value_of(cpuinfo, "CPU implementer"), 0, number_of(cpuinfo, "CPU part"),
		    number_of(cpuinfo, "CPU variant") << 4 | number_of(cpuinfo, "CPU revision"));
}

/* Bits of an Arm MIDR: 31-24 implementer, 23-20 variant, 15-4 part, 3-0 revision.  perf up to 6.6 writes no variant and
 * revision: then formulas that differ by revision are not chosen. */
static const struct event_topdown *find_midr(uint32_t midr)
{
	char implementer[8];
	int n = snprintf(implementer, sizeof(implementer), "0x%02x", midr >> 24);
	uint32_t revision = (midr >> 16 & 0xf0) | (midr & 0xf);
	const struct event_topdown *is =
		find((struct event_text){implementer, (size_t)n}, 0, midr >> 4 & 0xfff, revision);
	return is == &neoverse_n2_r0p0 && !revision ? NULL : is;
}

const struct event_topdown *event_topdown_recorded(const char *cpuid)
{
	struct event_text vendor = {cpuid, strcspn(cpuid, ",")};
	char *end;
	if (strncmp(cpuid, "0x", 2) == 0)
		return find_midr((uint32_t)strtoul(cpuid, NULL, 16));
	if (cpuid[vendor.n] != ',')
		return NULL;
	unsigned long family = strtoul(cpuid + vendor.n + 1, &end, 10);
	if (*end != ',')
		return NULL;
	unsigned long model = strtoul(end + 1, &end, 10);
	return *end == ',' || !*end ? find(vendor, (uint32_t)family, (uint32_t)model, 0) : NULL;
}
