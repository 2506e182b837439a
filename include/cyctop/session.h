/* Room session: joins source, resolve and model; knows no screen and no options.
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
	struct recording_names *recording; /* what `names` leans on, or NULL; the session's, as the source */
	uint64_t keep_ns;		   /* history kept, and ... */
	size_t keep_bytes;		   /* ... what it may take at most */
};
struct session;
CYC_MUST_CHECK int session_create(const struct session_config *config, struct session **ret, struct error *err);

/* The two sources there are, each with the names that belong to it. */
CYC_MUST_CHECK int session_open_live(const struct live_config *config, struct session **ret, struct error *err);
CYC_MUST_CHECK int session_open_synth(const char *script, size_t len, const char *script_name, bool realtime,
				      struct session **ret, struct error *err);
CYC_MUST_CHECK int session_open_file(const struct file_config *config, struct session **ret, struct error *err);
void session_destroy(struct session *s);

/* Moves what the rings hold into the open interval. */
void session_drain(struct session *s);
/* Reads the counters, drains, closes the interval. */
void session_tick(struct session *s);
/* Start over: what was measured is forgotten, what is known of tasks is not. */
void session_reset(struct session *s);
/* The same after the source went back to its beginning: what its records told is forgotten,
 * too, before they are read again up to where it goes on. */
void session_rewound(struct session *s);

/* Keeps the last records as they came, in at most that much memory (0: none). */
void session_remember(struct session *s, size_t bytes);
/* Gives them back, oldest first: whole records in pieces, NULL after each round.
 * Stops at and returns what `fn` returns if that is not 0. */
int session_remembered(const struct session *s, int (*fn)(void *ctx, const void *bytes, size_t n), void *ctx);

/* While frozen, snapshots are of the facts there were when it began; measuring
 * goes on, so that nothing is missing afterwards. */
void session_freeze(struct session *s, bool frozen);

/* The roles of the session's events, [info->events_n]. */
const enum event_role *session_roles(const struct session *s);
const struct source_info *session_info(const struct session *s);
const struct catalog *session_catalog(const struct session *s);
struct resolver *session_resolver(struct session *s);
struct snapshot *session_snapshot(struct session *s, const struct query *query);
/* Of the same facts as a snapshot by the same query. */
struct report *session_report(struct session *s, const struct query *query, const struct report_keys *keys);
/* For what only one kind of source can do (file_seek()). */
struct source *session_source(struct session *s);
uint64_t session_now_ns(const struct session *s); /* event time up to which was measured */
uint64_t session_uptime_ns(const struct session *s);
bool session_finished(const struct session *s);
/* fds to wait on, -1 where there is none. */
int session_wake_fd(const struct session *s);
int session_resolver_fd(const struct session *s);
/* true: names changed, a new snapshot would look different. */
bool session_collect(struct session *s);

#endif
