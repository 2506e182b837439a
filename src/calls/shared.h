/* The file that the preloaded library shares with cyctop: functions that allocate memory and list modules in it,
 * without locks. */
#ifndef CALLS_SHARED_H
#define CALLS_SHARED_H

#include <cyctop/calls.h>

#include <sys/types.h>

#define NOT_COUNTED __attribute__((no_instrument_function))

/* Allocates memory in the file, which begins with `head`.  Returns its offset; if the file is full, notes this in
 * `head` and returns 0. */
NOT_COUNTED uint64_t shared_take(struct calls_head *head, uint64_t size);
/* Makes the item at offset `at` the first of a list.  `next`: the item's link to the next one. */
NOT_COUNTED void shared_push(uint64_t *list, uint64_t *next, uint64_t at);
/* Adds the module of a function that is seen for the first time to the list, unless the module is there. */
NOT_COUNTED void shared_note_module(struct calls_head *head, pid_t pid, uint64_t address);

#endif
