/* A flight recorder: keeps the newest raw records in limited memory, so that they can still be
 * written as a recording.
 *
 * A round is the records of one drain.  When the memory is full, the oldest records are dropped: sideband records only
 * once the samples of their time are gone, because samples have no names without them.  But each of the two kinds has a
 * quarter of the memory for itself: a process may have made its mappings long before its oldest sample, and a
 * program that maps memory in a loop must not displace all samples. */
#ifndef SESSION_FLIGHT_H
#define SESSION_FLIGHT_H

#include <cyctop/session.h> /* flight_each(), flight_destroy() */

struct flight *flight_create(size_t limit_bytes);
/* Returns a flight recorder with the rounds of `f`, whose memory both share: see session_remembered(). */
struct flight *flight_share(const struct flight *f);
/* Adds the used bytes of each lane (the unread bytes of a ring) as a round; these records are older than until_ns.  To
 * be called after merging them, before source_ops.end(). */
void flight_take(struct flight *f, const struct lane *lanes, size_t n, uint64_t until_ns);
/* Adds a record that came from no ring to the next round: to its sideband records (see proc_snapshot.h), or to its
 * samples, with which it is dropped. */
void flight_add(struct flight *f, bool sideband, const void *bytes, size_t n);
/* Drops all samples, because the layout of samples has changed. */
void flight_drop_samples(struct flight *f);
/* Returns the time in ns before which samples were dropped; 0 if no sample was dropped. */
uint64_t flight_from_ns(const struct flight *f);
size_t flight_bytes(const struct flight *f);

#endif
