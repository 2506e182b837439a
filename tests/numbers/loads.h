/* Scripts of simulated loads. */
#ifndef TESTS_NUMBERS_LOADS_H
#define TESTS_NUMBERS_LOADS_H

#include <stdbool.h>
#include <stdio.h>

enum { FUNCTIONS_MAX = 40 };

/* A load of functions f0, f1, ... of the DSO `app`.  `write` prints the script up to its first tick. */
struct load {
	const char *name;
	unsigned window_s; /* length of the windows that are looked at */
	unsigned functions;
	void (*write)(FILE *out, const struct load *load);
	const char *arg; /* for `write` */
	bool processes;	 /* rows are the processes p0, p1, p2, of the functions with this remainder by 3 */
	struct {
		double least, most;
	} bounds; /* of the coverage */
};
extern const struct load loads[];
extern const unsigned loads_n;
/* Loads for which errors are not what they should be. */
extern const struct load exceptions[];
extern const unsigned exceptions_n;

/* Two functions in turns, f0 with an IPC of `fast`, f1 with `slow`.  `machine`: further statements after that of
 * the event instructions, whose line it continues. */
void write_turns(FILE *out, double fast, double slow, const char *turns, const char *machine);

#endif
