/* Runs a script through source, rings, ingest and model, and compares the rows of each window with what really
 * happened in it. */
#ifndef TESTS_NUMBERS_MEASURE_H
#define TESTS_NUMBERS_MEASURE_H

#include "loads.h"

#include <cyctop/session.h>

/* A row of a window. */
struct seen {
	uint64_t samples[2]; /* of cycles and of instructions */
	double truth[2];     /* their true counts */
	double whole;	     /* the true count of cycles of all functions */
	double weight[2];
	double weight_error; /* of cycles */
	double share, share_error;
	struct ratio ipc;
};
struct outcome {
	struct seen rows[FUNCTIONS_MAX];
	struct ratio ipc; /* of the machine */
	double true_ipc;
};
typedef void window_fn(void *ctx, const struct outcome *window);

/* `script` is the text up to the first tick.  The first `warm` windows are not looked at; `raw`: as --raw-weights
 * does it.  Ends the program if the script is invalid. */
struct measure {
	const char *script;
	unsigned functions, warm, windows, seed;
	bool raw, processes; /* processes: see struct load */
};
void measure(const struct measure *m, window_fn *fn, void *ctx);

#endif
