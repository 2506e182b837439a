#include <cyctop/session.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limits as for live sessions (open.c).  The history of a recording that is read as a whole is limited by memory
 * alone. */
static const uint64_t keep_ns = 120ull * 1000000000;
enum { KEEP_BYTES = 4 << 20, KEEP_WHOLE_BYTES = 128 << 20 };

int session_open_file(const struct file_config *config, struct session **ret, struct error *err)
{
	struct session_config session = {
		.names = {.proc = proc_none,
			  .keep_comms = true,
			  .keep_addresses = true,
			  .build_ids_come = config->speed <= 0 && (config->whole || !config->interval_ns),
			  .stop_fd = config->stop_fd,
			  .unwind_waits = true,
			  .background = true,
			  .cache_bits = 17},
		.keep_ns = config->whole ? UINT64_MAX : keep_ns,
		.keep_bytes = config->whole ? KEEP_WHOLE_BYTES : KEEP_BYTES,
	};
	struct recording_names_config names = {
		.symfs = config->symfs,
		.vmlinux = config->vmlinux,
		.kallsyms = config->kallsyms,
		.kcore_fd = config->kcore_fd,
	};
	int rc = recording_names_check(&names, err);
	if (rc == 0)
		rc = file_open(config, &session.source, err);
	if (rc < 0)
		return rc;
	struct stat st;
	bool piped = strcmp(config->path, "-") == 0;
	if ((piped ? fstat(STDIN_FILENO, &st) : stat(config->path, &st)) == 0) {
		if (S_ISREG(st.st_mode))
			names.written_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		names.owner = st.st_uid;
		names.flows = piped && !S_ISREG(st.st_mode);
	}
	names.info = file_info(session.source);
	session.recording = recording_names_create(&names);
	recording_names_use(session.recording, &session.names);
	return session_create(&session, ret, err);
}
