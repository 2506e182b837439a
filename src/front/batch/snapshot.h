/* What the writer and the reader of snapshots share. */
#ifndef FRONT_BATCH_SNAPSHOT_H
#define FRONT_BATCH_SNAPSHOT_H

#include "front/batch/json.h"

#define SNAPSHOT_SCHEMA "cyctop-snapshot/1"

/* The names of what an event leaves out, bit by bit of enum event_mode. */
enum { SNAPSHOT_MODES = 6 };
extern const char *const snapshot_modes[SNAPSHOT_MODES];

#endif
