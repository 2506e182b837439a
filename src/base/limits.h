/* Every bound on memory or time that grows with input: how much of a file, process or script cyctop reads, and the
 * sentence that tells the user that there was more.
 *
 * A row: X(NAME, value, unit, sentence).  It defines the constant LIMIT_NAME and the number REACHED_NAME.  Code that
 * stops at a limit notes REACHED_NAME: in a set that goes with its result (struct dso_image has one), in the counts of
 * the catalog or of a recorder, or in a notice of its source.  The screen (key !) and batch output show each sentence
 * once, and how often the limit was reached.  tests/lint/limits.sh checks every row.  Bounds of a format (a header's
 * size, a field's width) stay with the format. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <cyctop/base.h>

enum limit_unit { LIMIT_COUNT, LIMIT_BYTES };

/* clang-format off */
#define LIMITS(X) \
	/* processes */ \
	X(MAPS, 65536, LIMIT_COUNT, "a process has more than 65,536 mappings; the rest has no names") \
	X(MAPS_BYTES, 64 << 20, LIMIT_BYTES, \
	  "/proc/PID/maps of a process is larger than 64 MiB; the rest has no names") \
	X(ENDED_COMMANDS, 128, LIMIT_COUNT, \
	  "more than 128 different commands have ended; in totals since start the smallest share one row") \
	X(EARLIER_CGROUPS, 128, LIMIT_COUNT, \
	  "more than 128 cgroups have not run lately; in totals since start the smallest share one row") \
	X(TASKS_KIB, 32, LIMIT_COUNT, \
	  "new programs and mappings overran a buffer of 32 KiB or more; what ended meanwhile may lack its names") \
	X(COMMAND_LINE, 4096, LIMIT_COUNT, "a command line has more than 4,096 bytes; the rest is not shown") \
	X(COMMANDS_BYTES, 16 << 20, LIMIT_BYTES, \
	  "command lines take more than 16 MiB; those of processes that ended are forgotten") \
	X(THREADS, 262144, LIMIT_COUNT, \
	  "more than 262,144 threads exist or have samples; some have lost their names and those of their code") \
	X(MAPPED_FILES, 65536, LIMIT_COUNT, "more than 65,536 files are mapped; the rest share a row") \
	X(TASK_TIMES, 65536, LIMIT_COUNT, \
	  "more than 65,536 processes exist; the CPU times of the rest are estimates") \
	X(THREAD_TIMES, 512, LIMIT_COUNT, \
	  "more than 512 threads ran in one interval; the CPU times of the rest are estimates") \
	X(FACT_SAMPLES, INT32_MAX, LIMIT_COUNT, \
	  "one function had more than 2,147,483,647 samples of a thread on a CPU; SAMPLES counts no further") \
	X(FIELD_VALUES, 65536, LIMIT_COUNT, \
	  "over 65,536 combinations of fields' values, or data pages; new values of some fields are [other]") \
	X(CALL_CHAINS, 1 << 18, LIMIT_COUNT, \
	  "call chains or branches have over 262,144 places; some functions lack samples with callees or targets") \
	X(DEFERRED_BYTES, 16 << 20, LIMIT_BYTES, \
	  "samples that wait for the callers of their user code take more than 16 MiB; some go without them") \
	X(SWITCHES, 262144, LIMIT_COUNT, \
	  "context switches were lost, or more than 262,144 threads wait; some waited for a time that is not known") \
	X(SWITCHES_COST, 2, LIMIT_COUNT, \
	  "all context switches cost more than 2% of a CPU; times off it are of a part of the refreshes, scaled up") \
	X(CGROUPS, 65536, LIMIT_COUNT, "more than 65,536 cgroups; samples in the rest have none") \
	/* code of JIT compilers */ \
	X(PERF_MAP_BYTES, 1 << 30, LIMIT_BYTES, "a perf map is larger than 1 GiB; the rest is not read") \
	X(JITDUMP_BYTES, 1 << 30, LIMIT_BYTES, "a jitdump file is larger than 1 GiB; the rest is not read") \
	X(JIT_PROCESS_BYTES, 16 << 20, LIMIT_BYTES, \
	  "JIT functions of a process take more than 16 MiB; the oldest are forgotten") \
	X(JIT_BYTES, 48 << 20, LIMIT_BYTES, \
	  "JIT functions of all processes take more than 48 MiB; the oldest are forgotten") \
	X(JIT_DEPTH, 1024, LIMIT_COUNT, \
	  "a process made more than 1,024 functions at one address; some of the earlier ones are forgotten") \
	X(JIT_OPEN, 64, LIMIT_COUNT, \
	  "more than 64 processes have a perf map or jitdump; what one removes before its end may stay unread") \
	X(JVM_CODE, 256 << 10, LIMIT_COUNT, "a JVM has more than 262,144 pieces of code; the rest has no names") \
	X(JVM_NAMES_BYTES, 8 << 20, LIMIT_BYTES, \
	  "what is kept of the methods of JVMs takes more than 8 MiB; new methods get their names later") \
	X(BASELINE_FUNCTIONS, 16, LIMIT_COUNT, \
	  "more than 16 functions of the baseline have samples of instructions; the rest lacks them if rebuilt") \
	X(GONE_FUNCTIONS, 512, LIMIT_COUNT, \
	  "more than 512 functions are not loaded any more; in totals since start the smallest share rows") \
	/* the kernel */ \
	X(MODULES_BYTES, 1 << 20, LIMIT_BYTES, "/proc/modules is larger than 1 MiB; the rest has no names") \
	X(KERNEL_SYMBOLS, 4 << 20, LIMIT_COUNT, \
	  "/proc/kallsyms has more than 4,194,304 symbols; the rest has no names") \
	X(KERNEL_EXTRA, 65536, LIMIT_COUNT, \
	  "the kernel made more than 65,536 pieces of code; the rest has no names") \
	X(MODULE_TEXT_BYTES, 256 << 20, LIMIT_BYTES, \
	  "a kernel module has more than 256 MiB of code; it is not read") \
	/* ELF files */ \
	X(ELF_SYMBOLS, 4 << 20, LIMIT_COUNT, "a file has more than 4,194,304 symbols; the rest has no names") \
	X(ELF_STRINGS, 512 << 20, LIMIT_BYTES, \
	  "the symbol names of a file take more than 512 MiB; the rest has no names") \
	X(ELF_SECTIONS, 64 << 10, LIMIT_COUNT, "a file has more than 65,536 sections; the rest is not read") \
	X(ELF_SECTION_NAMES, 4 << 20, LIMIT_BYTES, \
	  "the section names of a file take more than 4 MiB; the rest is not read") \
	X(SEARCHED_SYMBOLS_BYTES, 64 << 20, LIMIT_BYTES, \
	  "the symbols of the file of a kernel or a JVM take more than 64 MiB; they are not searched") \
	X(CHECKSUM_BYTES, 256 << 20, LIMIT_BYTES, \
	  "a debug file without build-id is larger than 256 MiB; it is not used") \
	X(ELF_NOTES_BYTES, 1 << 20, LIMIT_BYTES, "the notes of a file take more than 1 MiB; the rest is not read") \
	X(PLT_BYTES, 64 << 20, LIMIT_BYTES, "the linkage table of a file is larger than 64 MiB; it is not read") \
	X(PLT_STUBS, 256 << 10, LIMIT_COUNT, "a file has more than 262,144 linkage stubs; the rest has no names") \
	X(PLT_RELOCATIONS, 1 << 20, LIMIT_COUNT, \
	  "a file has more than 1,048,576 relocations; the rest is not read") \
	X(UNWIND_BYTES, 64 << 20, LIMIT_BYTES, \
	  "the unwind table of a file is larger than 64 MiB; it is not read") \
	X(UNWIND_INDEX_BYTES, 32 << 20, LIMIT_BYTES, \
	  "the index of the unwind table of a file is larger than 32 MiB; it is not read") \
	X(GO_TABLE_BYTES, 128 << 20, LIMIT_BYTES, \
	  "the function table of a Go program is larger than 128 MiB; it is not read") \
	X(GO_SEARCH_BYTES, 256 << 20, LIMIT_BYTES, \
	  "a Go program has more than 256 MiB of data; the rest is not searched for its function table") \
	X(XZ_BYTES, 16 << 20, LIMIT_BYTES, "a compressed symbol table is larger than 16 MiB; it is not read") \
	X(UNXZ_BYTES, 64 << 20, LIMIT_BYTES, "a symbol table decompresses to more than 64 MiB; it is not read") \
	X(PACKED_FILE_BYTES, 256 << 20, LIMIT_BYTES, \
	  "a compressed file decompresses to more than 256 MiB; it is not read") \
	X(TABLE_BYTES, 160 << 20, LIMIT_BYTES, "a symbol table takes more than 160 MiB; the rest has no names") \
	X(NAMES_WORK, 512 << 20, LIMIT_BYTES, \
	  "the symbols of a file have names of more than 512 MiB; the rest has no names") \
	/* addresses that wait for their symbol table; addresses kept without a name */ \
	X(PENDING, 65536, LIMIT_COUNT, \
	  "more than 65,536 addresses wait for one symbol table; the rest has no names") \
	X(NAMELESS, 4096, LIMIT_COUNT, \
	  "more than 4,096 addresses of one file have no name; the rest share one row") \
	X(NAMELESS_ALL, 16384, LIMIT_COUNT, "more than 16,384 addresses have no name; the rest share rows") \
	/* recordings */ \
	X(RECORDING_SECTION, 64 << 20, LIMIT_BYTES, \
	  "a section of the recording is larger than 64 MiB; it is skipped") \
	X(RECORDING_ROUND, 64 << 20, LIMIT_BYTES, \
	  "a round of the recording is larger than 64 MiB; its records may be applied out of order") \
	X(RECORDING_PARTS, 4096, LIMIT_COUNT, \
	  "the recording has more than 4,096 data files; the rest is not read") \
	X(RECORDED_FILES, 100000, LIMIT_COUNT, \
	  "more than 100,000 files were mapped; the rest is recorded without build-ids") \
	X(CODE_NAMES, 16 << 20, LIMIT_BYTES, \
	  "names of JIT functions take more than 16 MiB in the recording; the rest has none") \
	/* comparisons */ \
	X(SERIES, 4 << 20, LIMIT_COUNT, \
	  "a table over time has more than 4,194,304 cells; the rest of its rows share one") \
	X(SNAPSHOT_BYTES, 128 << 20, LIMIT_BYTES, "the snapshot is larger than 128 MiB") \
	X(SNAPSHOT_LINE, 4 << 20, LIMIT_BYTES, "a line of the snapshot is longer than 4 MiB") \
	X(SNAPSHOT_INTERVALS, 4096, LIMIT_COUNT, "the snapshot has more than 4,096 intervals") \
	X(SNAPSHOT_CELLS, 4 << 20, LIMIT_COUNT, "the snapshot has more than 4,194,304 weights") \
	X(SNAPSHOT_FILES, 4096, LIMIT_COUNT, "the snapshot has more than 4,096 files") \
	X(TURN_PAIRS, 400, LIMIT_COUNT, "there are more than 400 pairs of turns; the oldest is forgotten") \
	X(TURNS_BYTES, 128 << 20, LIMIT_BYTES, "turns take more than 128 MiB; the oldest are forgotten") \
	/* the command line */ \
	X(OUTPUT_BYTES, 16 << 20, LIMIT_BYTES, \
	  "a command printed more than 16 MiB; what it had printed before is not kept") \
	X(SCRIPT_BYTES, 16 << 20, LIMIT_BYTES, "the script is larger than 16 MiB")
/* clang-format on */

#define LIMIT_VALUE(name, value, unit, sentence) LIMIT_##name = (value),
enum { LIMITS(LIMIT_VALUE) };
#undef LIMIT_VALUE

#define LIMIT_NUMBER(name, value, unit, sentence) REACHED_##name,
enum limit { LIMITS(LIMIT_NUMBER) LIMITS_N };
#undef LIMIT_NUMBER

struct limit_row {
	uint64_t value;
	enum limit_unit unit;
	const char *sentence; /* without capital and full stop, as it is printed after a name or a colon */
};
/* Returns the row of a limit; `which` is below LIMITS_N. */
const struct limit_row *limit_row(enum limit which);

/* A set of limits that were reached. */
enum { LIMIT_WORDS = (LIMITS_N + 63) / 64 };
struct limit_set {
	uint64_t bits[LIMIT_WORDS];
};
static inline void limit_reached(struct limit_set *set, enum limit which)
{
	set->bits[which / 64] |= (uint64_t)1 << which % 64;
}
static inline struct limit_set limit_only(enum limit which)
{
	struct limit_set set = {{0}};
	limit_reached(&set, which);
	return set;
}
static inline bool limit_is_reached(const struct limit_set *set, enum limit which)
{
	return set->bits[which / 64] >> which % 64 & 1;
}
static inline void limit_add(struct limit_set *to, const struct limit_set *from)
{
	for (size_t i = 0; i < LIMIT_WORDS; i++)
		to->bits[i] |= from->bits[i];
}
/* Removes the limits `what` from the set. */
static inline void limit_remove(struct limit_set *from, const struct limit_set *what)
{
	for (size_t i = 0; i < LIMIT_WORDS; i++)
		from->bits[i] &= ~what->bits[i];
}
static inline bool limit_any(const struct limit_set *set)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < LIMIT_WORDS; i++)
		bits |= set->bits[i];
	return bits != 0;
}

/* How often each limit was reached. */
struct limit_counts {
	uint64_t n[LIMITS_N];
};
static inline void limit_count(struct limit_counts *counts, enum limit which)
{
	counts->n[which]++;
}
void limit_count_set(struct limit_counts *counts, const struct limit_set *set);
/* Adds the counts of `from`, which may be NULL, to those of `to`. */
void limit_counts_add(struct limit_counts *to, const struct limit_counts *from);
/* Returns how many different limits were reached. */
unsigned limits_reached(const struct limit_counts *counts);
/* Writes the sentence of a limit and how often it was reached: "more than 64 processes have ... (reached 3 times)".
 * Returns false, with "" in `buf`, if the limit was not reached. */
bool limit_text(const struct limit_counts *counts, enum limit which, char *buf, size_t cap);

#endif
