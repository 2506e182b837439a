/* The functions of libpfm4 that cyctop calls.  The library is loaded only for a lookup (pfm_loaded.c): its tables take
 * 2 MB, and most runs name no event of libpfm4.  A static executable contains the library (pfm_linked.c). */
#ifndef EVENT_PFM_LIBRARY_H
#define EVENT_PFM_LIBRARY_H

#include <linux/perf_event.h> /* must precede the headers of libpfm4, which have a copy */
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>

#define PFM_SONAME "libpfm.so.4" /* soname of the libpfm4 whose ABI these headers describe */

struct pfm_library {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_terminate) *terminate;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_event_next) *next_event;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_attr_info) *attr_info;
	void *handle; /* from dlopen(); NULL: the library is linked statically */
};

/* Loads the library.  Returns false if it is not installed; nothing needs to be closed then. */
bool pfm_library_open(struct pfm_library *ret);
void pfm_library_close(struct pfm_library *lib);

#endif
