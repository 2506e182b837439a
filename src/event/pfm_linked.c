#include "event/pfm_library.h"

bool pfm_library_open(struct pfm_library *ret)
{
	*ret = (struct pfm_library){
		.initialize = pfm_initialize,
		.terminate = pfm_terminate,
		.strerror = pfm_strerror,
		.get_pmu_info = pfm_get_pmu_info,
		.encode = pfm_get_os_event_encoding,
		.next_event = pfm_get_event_next,
		.event_info = pfm_get_event_info,
		.attr_info = pfm_get_event_attr_info,
	};
	return true;
}

void pfm_library_close(struct pfm_library *lib)
{
	(void)lib;
}
