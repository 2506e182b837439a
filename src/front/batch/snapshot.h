/* Names in snapshot files that writer and reader share. */
#ifndef FRONT_BATCH_SNAPSHOT_H
#define FRONT_BATCH_SNAPSHOT_H

#include "front/batch/json.h"

#define SNAPSHOT_SCHEMA "cyctop-snapshot/1"

/* The names of the modes that an event excludes, in the order of the bits of enum event_mode. */
enum { SNAPSHOT_MODES = 6 };
extern const char *const snapshot_modes[SNAPSHOT_MODES];

#endif
