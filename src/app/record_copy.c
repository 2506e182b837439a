#include "app/progress.h"
#include "app/record.h"
#include "os/signals.h"
#include "app/message.h"
#include "os/output.h"
#include "os/privileges.h"

#include <cyctop/recorder.h>

#include <string.h>
#include <unistd.h>

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	progress_show(done, total);
	return true;
}

static void summary(const struct record_options *o, const struct copy_result *done)
{
	if (done->notice[0])
		message("%s: %s", strcmp(o->input, "-") == 0 ? "standard input" : o->input, done->notice);
	message("%llu records, %.1f MB written to %s", (unsigned long long)done->records, (double)done->bytes / 1e6,
		output_descriptor(o->path) == STDOUT_FILENO ? "standard output" : o->path);
}

int record_copy(const struct record_options *o)
{
	struct copy_config config = {.from = o->input, .to = o->path, .level = o->level, .stop_fd = -1};
	struct copy_result done;
	struct error err;
	privileges_drop(PRIVILEGES_READ);
	int signals = signals_open(&config.stop_fd, &err);
	if (progress_wanted())
		config.progress = show_progress;
	int rc = signals < 0 ? signals : recording_copy(&config, &done, &err);
	if (config.progress)
		progress_clear();
	if (rc < 0)
		message("%s", err.text);
	else
		summary(o, &done);
	signals_close(signals, config.stop_fd);
	return rc < 0 ? EXIT_FAILED : 0;
}
