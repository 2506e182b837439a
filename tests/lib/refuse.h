/* A kernel that refuses perf events: a seccomp filter, as containers have. */
#ifndef TESTS_LIB_REFUSE_H
#define TESTS_LIB_REFUSE_H

#include <stdbool.h>
#include <stdint.h>

/* From now on perf_event_open() of this process, and what it executes, fails with this errno. */
bool refuse_perf(uint32_t code);

#endif
