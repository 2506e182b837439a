/* What is said of a recording of this machine, whoever writes it. */
#ifndef APP_RECORDING_H
#define APP_RECORDING_H

#include <cyctop/perfdata.h>
#include <cyctop/source.h>

/* The streams of the source; events without ids were not opened. */
CYC_MUST_CHECK int recording_events(struct pd_info *info, struct source *src, struct error *err);
/* After tasks or CPUs have come. */
void recording_refresh_ids(struct pd_info *info, struct source *src);
void recording_command_line(struct pd_info *info, int argc, char **argv);

#endif
