/* The file that the preloaded library shares with cyctop: its memory, and the modules noted in it.  Takes no lock. */
#ifndef CALLS_SHARED_H
#define CALLS_SHARED_H

#include <cyctop/calls.h>

#include <sys/types.h>

#define NOT_COUNTED __attribute__((no_instrument_function))

/* Takes memory of the file, whose beginning is the head.  Returns its place; 0: there is no more; the head says so. */
NOT_COUNTED uint64_t shared_take(struct calls_head *head, uint64_t size);
/* Makes the item at a place the first of a list, `next` being its link. */
NOT_COUNTED void shared_push(uint64_t *list, uint64_t *next, uint64_t at);
/* Notes the module of a function that is seen for the first time, unless it is noted already. */
NOT_COUNTED void shared_note_module(struct calls_head *head, pid_t pid, uint64_t address);

#endif
