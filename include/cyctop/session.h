/* Room session: reads a source, resolves its samples, and fills the model; knows no screen and no options.
 *
 *   source --lanes--> merge --record--> ingest --fact--> model --snapshot-->
 *                                         |  ^
 *                                         v  | ids
 *                                        resolve
 */
#ifndef CYCTOP_SESSION_H
#define CYCTOP_SESSION_H

#include <cyctop/model.h>
#include <cyctop/resolve.h>
#include <cyctop/source.h>

struct session_config {
	struct source *source; /* the session closes it, also when creation fails */
	struct resolver_config names;
	struct recording_names *recording; /* used by `names`, or NULL; the session destroys them */
	uint64_t keep_ns;		   /* see struct model_config */
	size_t keep_bytes;
};
struct session;
CYC_MUST_CHECK int session_create(const struct session_config *config, struct session **ret, struct error *err);

/* Create a session with a live, synthetic or file source, and the chain of symbolizers that fits it. `live` is the
 * result of live_open(); the session closes it, also on failure. */
CYC_MUST_CHECK int session_open_live(struct source *live, const struct live_config *config, struct session **ret,
				     struct error *err);
CYC_MUST_CHECK int session_open_synth(const char *script, size_t len, const char *script_name, bool realtime,
				      struct session **ret, struct error *err);
CYC_MUST_CHECK int session_open_file(const struct file_config *config, struct session **ret, struct error *err);
void session_destroy(struct session *s);

/* Where drain_source() moves records. */
struct drain_sink {
	merge_fn *records; /* gets the records in the order of time, see merger_run() */
	/* Called after the records were moved.  In each lane, the first `used` bytes are the records that were moved:
	 * those older than horizon_ns.  May be NULL. */
	void (*lanes)(void *ctx, const struct lane *lanes, size_t n, uint64_t horizon_ns);
	void *ctx;
};
/* Moves the records of a source that are older than `horizon_ns` to the sink.  If the source has
 * its own horizon (source_ops.horizon: a recording comes in batches), uses that instead, for each
 * batch.  Adds to *stats. */
void drain_source(struct source *source, struct merger *merger, uint64_t horizon_ns, const struct drain_sink *sink,
		  struct merge_stats *stats);

/* Moves the records in the rings into the open interval. */
void session_drain(struct session *s);
/* Ends an interval: reads the counters, drains the rings, and closes the interval. */
void session_tick(struct session *s);
/* Measures one more event from now on, or one that was closed: see source_ops.open_event().  -ENOSYS: the events of
 * this source stay as they are. */
CYC_MUST_CHECK int session_open_event(struct session *s, const struct event_spec *spec, struct error *err);
/* Stops measuring an event, which must not be the primary event. */
void session_close_event(struct session *s, size_t event);
/* Sets the sampling rate in Hz, as far as the kernel permits, and returns the new rate; 0: this source's rate is
 * fixed. */
uint64_t session_set_rate(struct session *s, uint64_t hz);
/* Forgets all measurements, but not the tasks and names. */
void session_reset(struct session *s);
/* To be called after a recording was rewound: forgets all measurements, and also the tasks and
 * mappings, because the records that describe them will be read again. */
void session_rewound(struct session *s);
/* Moves a recording back to its beginning.  -ESPIPE: a pipe cannot go back. */
int session_rewind(struct session *s);
/* Moves a recording to `to_ns` after its first record, but not beyond its end. An interval ends
 * there and begins at most `window_ns` before, so that a window of that length shows only this
 * time. -ENODATA: the records have no times; -ESPIPE: a pipe cannot go back. */
int session_seek(struct session *s, uint64_t to_ns, uint64_t window_ns);

/* Gives samples the weights that perf report sums up, see doc/statistics.md.  To be called before the first tick. */
void session_raw_weights(struct session *s);
/* Has queries compute these metrics, which must outlive the session; NULL: the built-in ones, as without this call. */
void session_use_metrics(struct session *s, const struct metric_set *metrics);
/* Distinguishes samples by fields of tracepoints, whose names must outlive the session.  -EINVAL: no event has one of
 * these fields; *err lists the fields that there are. */
CYC_MUST_CHECK int session_use_fields(struct session *s, const struct field_names *names, struct error *err);
/* From now on also distinguishes samples by these parts of memory accesses, bits of enum memory_part.  Returns true if
 * samples were not distinguished by all of them before. */
bool session_use_memory(struct session *s, unsigned parts);
/* Measures the time off the CPU by the event that the source has for it (event_spec.off_cpu).  To be called before the
 * first tick.  -EINVAL: there are no records of context switches. */
CYC_MUST_CHECK int session_use_off_cpu(struct session *s, struct error *err);
/* Distinguishes samples by their call chains.  To be called before the first tick.  -EINVAL: samples have no call
 * chains; *err says how to get them. */
CYC_MUST_CHECK int session_use_chains(struct session *s, struct error *err);
/* Begins or ends to distinguish samples by their call chains, while measuring.  -EINVAL: samples cannot have call
 * chains; *err says how to get them. */
CYC_MUST_CHECK int session_set_chains(struct session *s, bool chains, struct error *err);
/* Has `bytes` of stack copied into each sample, to unwind user code; 0: follows frame pointers instead.  The source
 * must have source_ops.set_chains. */
void session_set_stacks(struct session *s, uint32_t bytes);
/* Counts only the threads that pass these filters as running at the same time (DIM_PARALLELISM).  The filters are of
 * tasks and CPUs, have accepts(), and must outlive the session.  To be called before the first tick. */
void session_count_threads(struct session *s, const struct filter *only, size_t n);
/* Stops distinguishing samples by cgroup, which saves time if no query will ask for DIM_CGROUP.  To be called before
 * the first tick. */
void session_leave_cgroups(struct session *s);

/* From now on distinguishes the samples of function `sym` by address, for DIM_ADDRESS; CATALOG_NONE: of no function.
 * Earlier samples keep address 0; in a recording they get their addresses when it is read again. */
void session_annotate(struct session *s, uint32_t sym);

/* Makes the session keep the samples and counts of the whole run, older ones in longer intervals, in at most `bytes` of
 * memory.  Without this call it keeps the last two minutes in 4 MB; of a recording with file_config.whole, all of it in
 * 128 MB. */
void session_keep(struct session *s, size_t bytes);
/* Keeps the most recent raw records in at most `bytes` of memory; 0: none. */
void session_remember(struct session *s, size_t bytes);
/* Returns the records that session_remember() keeps now, none without session_remember(); the caller calls
 * flight_destroy().  The result shares memory with the session, which goes on freeing its own part; another thread may
 * use and destroy the result, even after the session. */
struct flight *session_remembered(const struct session *s);
/* Calls `fn` with pieces of whole records, the oldest first, and with NULL after the records of
 * each drain.  Stops at the first result of `fn` that is not 0, and returns it; otherwise 0. */
typedef int flight_fn(void *ctx, const void *bytes, size_t n);
int flight_each(const struct flight *f, flight_fn *fn, void *ctx);
void flight_destroy(struct flight *f);

/* Makes READ records, of no thread, from the counters of a source: one for each event on each CPU on which the event is
 * open.  Recordings need these records, because samples do not tell how long an event was running. */
struct read_records;
struct read_records *read_records_create(struct source *source); /* needs source_ops.stream */
void read_records_destroy(struct read_records *r);
/* Calls `fn` with each READ record.  `counters` were read at `time_ns`.  Stops at, and returns, a result that is not
 * 0. */
int read_records_each(struct read_records *r, const struct counter *counters, uint64_t time_ns, flight_fn *fn,
		      void *ctx);

/* Freezes or unfreezes the session.  While it is frozen, snapshots show a copy of the samples and counts from when it
 * was frozen; measuring goes on. */
void session_freeze(struct session *s, bool frozen);

/* Copies the newest intervals that snapshots show, as the baseline of a comparison: at most `most` intervals, which
 * began at `since_ns` or later, and after the last joined interval.  The copy replaces an earlier copy, stays when the
 * history drops intervals and after session_reset(), and its ids stay valid.  Returns false if there are no such
 * intervals; an earlier copy then stays. */
bool session_mark(struct session *s, uint64_t since_ns, size_t most);
/* Copies the intervals that lie in a stretch, like session_mark(). */
bool session_mark_stretch(struct session *s, struct stretch of, size_t most);
void session_unmark(struct session *s);
/* Lists the intervals that session_mark() copied or, if `marked` is false, those that it would copy: see
 * model_newest().  Returns their number. */
size_t session_intervals(const struct session *s, bool marked, uint64_t since_ns, size_t most,
			 struct snapshot_interval *ret);
/* Takes a snapshot of the copy by session_mark(); the window of the query is ignored.  NULL: there is no copy. */
struct snapshot *session_snapshot_marked(struct session *s, const struct query *query);

/* The number of states that are measured in turn.  Turns k of both states are a pair; each turn is one interval.  Turns
 * stay when the history drops intervals and after session_reset(), and their ids keep their meaning. */
enum { SESSION_SIDES = 2 };
/* Adds a turn: the intervals that lie wholly in a stretch, also while the session is frozen.  Returns false if there
 * are no such intervals.  *limit_ret: a sentence with the limit that made the session forget its oldest pairs; NULL: no
 * pair was forgotten. */
bool session_add_turn(struct session *s, size_t side, struct stretch of, const char **limit_ret);
size_t session_turn_pairs(struct session *s);
void session_forget_turns(struct session *s);
/* Takes a snapshot of those turns of a side that are in a pair; the window of the query is ignored.  NULL: there are no
 * pairs. */
struct snapshot *session_snapshot_turns(struct session *s, size_t side, const struct query *query);

/* Receives a sample: its event; its weight, the number of events that it stands for; its cost, as for
 * model_add_cost() (0: not measured); and its address in the function, or NULL if it is in another function.
 * Returns false to stop session_addresses(). */
typedef bool address_fn(void *ctx, uint32_t event, double weight, uint64_t cost, const uint64_t *addr);
/* Reads a recording once more from its beginning, and calls `fn` for each sample, with addresses in the function `sym`;
 * the model stays as it is.  The recording must have been read to its end, and its names be settled.  -ESPIPE: the
 * recording comes through a pipe. */
CYC_MUST_CHECK int session_addresses(struct session *s, uint32_t sym, address_fn *fn, void *ctx);

/* Returns the role of each event in metrics (cycles, instructions, ...), [info->events_n]. */
const enum event_role *session_roles(const struct session *s);
const struct metric_set *session_metrics(const struct session *s);
const struct source_info *session_info(const struct session *s);
const struct catalog *session_catalog(const struct session *s);
/* Returns what the ids in snapshots mean, including the catalog.  Valid until the next call. */
const struct model_names *session_names(struct session *s);
struct resolver *session_resolver(struct session *s);
/* Takes a snapshot.  The session fills in the query's roles, siblings, primary and partial. */
struct snapshot *session_snapshot(struct session *s, const struct query *query);
/* Returns the time range of the intervals that session_snapshot() can show. */
struct stretch session_extent(const struct session *s);
/* Updates a timeline, which must be used with this session alone.  Fills in query->query like session_snapshot(). */
void session_timeline(struct session *s, const struct timeline_query *query, size_t n, struct timeline *t);
/* The source, for operations that only some sources have: streams, playback. */
struct source *session_source(struct session *s);
uint64_t session_now_ns(const struct session *s); /* event time of the end of the last interval */
uint64_t session_uptime_ns(const struct session *s);
bool session_finished(const struct session *s);
/* Return an fd that polls readable when the source has records, or when symbol tables finished loading; -1: there is
 * none. */
int session_wake_fd(const struct session *s);
int session_resolver_fd(const struct session *s);
/* Takes over symbol tables that finished loading.  Returns true if names changed, so that a new snapshot is needed. */
bool session_collect(struct session *s);

/* ---- chain_way.c: chooses the method by which call chains of user code are found -------------------------------- */

/* Following frame pointers is cheapest, but breaks in programs that were built without them; call chains of such
 * programs need copies of stacks, EVENT_STACK_DEFAULT bytes in each sample. */
struct chain_way {
	bool automatic; /* false: the user named the method, or only one is possible */
	bool given_up;	/* copies of stacks were no better, or took too much: frame pointers from now on */
	double framed;	/* share of the samples whose chains did not break at frame pointers, 0 to 1; 0: not tried */
	uint64_t since_ns, checked_ns; /* event times: when the method changed; when it is checked next */
};
/* CHAIN_BY_STACKS: change to copies of stacks.  CHAIN_NO_BETTER and CHAIN_TOO_MANY: back to frame pointers, because
 * copies do not help or take too much. */
enum chain_change { CHAIN_STAYS, CHAIN_BY_STACKS, CHAIN_NO_BETTER, CHAIN_TOO_MANY };
/* Returns which method of recording call chains to change to, after some time with the present method; CHAIN_STAYS:
 * keep it.  `stacks`: the present method copies stacks; `rate`: samples per second. */
enum chain_change chain_way_next(struct chain_way *w, bool stacks, const struct trust *trust, double rate);

/* Chooses the method before measuring begins: copies of stacks if most of the target's code has no frame pointers,
 * according to the unwind tables of its program.  `command`: name of the command that will run as the target, or
 * NULL. */
void chain_way_begin(struct live_config *config, const char *command);
void chain_way_init(struct chain_way *w, const struct live_config *config, struct session *s);
/* Checks the call chains of the last seconds.  If the other method is better, changes to it, says so in `text`, and
 * returns true. */
bool chain_way_step(struct chain_way *w, struct session *s, char *text, size_t cap);

/* ---- budget.c: adapts the sampling rate so that measuring takes at most a fraction of the CPU time --------------- */

struct budget {
	double most;	   /* the budget: fraction of the machine's CPU time; 0: no bound */
	double sample_ns;  /* CPU time of the kernel's interrupt for a sample; 0: not known */
	uint64_t asked_hz; /* the rate that the user asked for */
	uint64_t since_ns; /* event time when the rate was set */
};

/* What was measured in a period of time, and the cost of measuring. */
struct budget_cost {
	double own;	/* CPU time of cyctop itself in this period, as a fraction of all CPUs' time */
	double samples; /* number of samples per second, on all CPUs */
	unsigned cpus_n;
};
/* Returns the fraction of the machine's CPU time that measuring takes. */
double budget_part(const struct budget *b, const struct budget_cost *cost);
/* Returns the rate that keeps within the budget after some time at rate `now_hz`.  The rate is lowered at once, but
 * raised only if the cost is far below the budget.  It is never above the rate asked for, and at least 10 Hz, because
 * a part of the cost does not depend on the rate. */
uint64_t budget_rate(const struct budget *b, const struct budget_cost *cost, uint64_t now_hz);

/* Begins with the rate that a session has.  `most`: see struct budget. */
void budget_init(struct budget *b, double most, const struct session *s);
/* Checks the cost of the last seconds.  If the rate should change, sets the new rate, describes it in `text`, and
 * returns true. */
bool budget_step(struct budget *b, struct session *s, char *text, size_t cap);

#endif
