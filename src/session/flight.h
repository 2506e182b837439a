/* The last moments as they came out of the rings, in bounded memory: what can still be
 * written as a recording.
 *
 * A round is what one drain took.  When memory is full the oldest samples go first;
 * the sideband records, without which later samples have no names, keep a quarter
 * of it for themselves. */
#ifndef SESSION_FLIGHT_H
#define SESSION_FLIGHT_H

#include <cyctop/record.h>

struct flight;
struct flight *flight_create(size_t limit_bytes);
void flight_destroy(struct flight *f);
/* After a merge and before the lanes' bytes are given back: what was used of each. */
void flight_take(struct flight *f, const struct lane *lanes, size_t n);
/* A record made here rather than read from a ring (what /proc told of a process): it
 * belongs to the sideband of the round that is taken next. */
void flight_add(struct flight *f, const void *bytes, size_t n);
/* Oldest first: a round's bytes, whole records, in pieces, then NULL at its end.
 * Stops at and returns what `fn` returns if that is not 0. */
typedef int flight_fn(void *ctx, const void *bytes, size_t n);
int flight_each(const struct flight *f, flight_fn *fn, void *ctx);
size_t flight_bytes(const struct flight *f);

#endif
