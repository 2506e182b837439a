#include "app/privileges.h"
#include "app/progress.h"
#include "app/record.h"
#include "app/signals.h"

#include <cyctop/writer.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool show_progress(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	progress_show(done, total);
	return true;
}

static void tell(const struct record_options *o, const struct copy_result *done)
{
	if (done->notice[0])
		fprintf(stderr, "cyctop: %s: %s\n", strcmp(o->input, "-") == 0 ? "standard input" : o->input,
			done->notice);
	fprintf(stderr, "cyctop: %llu records, %.1f MB written to %s\n", (unsigned long long)done->records,
		(double)done->bytes / 1e6, strcmp(o->path, "-") == 0 ? "standard output" : o->path);
}

int record_copy(const struct record_options *o)
{
	struct copy_config config = {.from = o->input, .to = o->path, .level = o->level};
	struct copy_result done;
	struct error err;
	privileges_drop();
	config.stop_fd = signals_open();
	signal(SIGXFSZ, SIG_IGN); /* writes say EFBIG */
	if (progress_wanted())
		config.progress = show_progress;
	int rc = file_copy(&config, &done, &err);
	if (config.progress)
		progress_clear();
	if (rc < 0)
		fprintf(stderr, "cyctop: %s\n", err.text);
	else
		tell(o, &done);
	if (config.stop_fd >= 0)
		close(config.stop_fd);
	return rc < 0 ? EXIT_FAILED : 0;
}
