#include <cyctop/session.h>

/* As for what is measured now; what is reported as a whole is one interval. */
static const uint64_t keep_ns = 120ull * 1000000000;
enum { KEEP_BYTES = 4 << 20 };

int session_open_file(const struct file_config *config, struct session **ret, struct error *err)
{
	struct session_config session = {
		.names = {.proc = proc_none,
			  .keep_comms = true,
			  .keep_addresses = true,
			  .background = true,
			  .cache_bits = 17},
		.keep_ns = keep_ns,
		.keep_bytes = KEEP_BYTES,
	};
	struct recording_names_config names = {
		.symfs = config->symfs,
		.vmlinux = config->vmlinux,
		.kallsyms = config->kallsyms,
	};
	int rc = recording_names_check(&names, err);
	if (rc == 0)
		rc = file_open(config, &session.source, err);
	if (rc < 0)
		return rc;
	names.info = file_info(session.source);
	session.recording = recording_names_create(&names);
	recording_names_use(session.recording, &session.names);
	return session_create(&session, ret, err);
}
