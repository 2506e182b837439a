/* The command cyctop annotate SYMBOL -i FILE: which instructions of a function a recording has samples of. */
#ifndef APP_ANNOTATE_H
#define APP_ANNOTATE_H

#include <cyctop/options.h>
#include <cyctop/session.h>

/* annotate_samples.c: the samples of a function, by address. */
struct annotate_samples {
	struct code_sample *v; /* [n]; of events, the index is that of the session */
	size_t n;
	double *all; /* [events of the session]: weight in all functions */
};
/* Takes them from a recording: see session_addresses().  `quit_fd`: see signals_open().  To be freed in any case. */
CYC_MUST_CHECK int annotate_samples_read(struct session *s, uint32_t sym, int quit_fd, struct annotate_samples *ret,
					 struct error *err);
void annotate_samples_deinit(struct annotate_samples *a);

/* A function in a recording that is being read. */
struct annotate_reading {
	const struct annotate_options *options;
	const char *path, *symbol; /* what the user calls them */
	struct session *session;   /* NULL: not read */
	uint32_t sym;
	struct function_code code;
	struct annotate_samples samples;
};
/* annotate_function.c: the function that is meant by its symbol, and the one that is the same as that of another
 * recording.  -ENOENT, -EINVAL: there is none, or several. */
CYC_MUST_CHECK int annotate_find(const struct annotate_reading *a, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int annotate_find_same(const struct annotate_reading *a, const struct annotate_reading *like,
				      uint32_t *ret, struct error *err);
/* Returns the name by which a function is shown; valid until the next call. */
const char *annotate_name(const struct annotate_reading *a, uint32_t sym);

#endif
