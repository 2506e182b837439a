/* The command cyctop annotate SYMBOL -i FILE: prints the instructions of a function with the samples of each. */
#ifndef APP_ANNOTATE_H
#define APP_ANNOTATE_H

#include <cyctop/options.h>
#include <cyctop/session.h>

/* annotate_samples.c: the samples of a function, counted by address and event. */
struct annotate_samples {
	struct code_sample *v; /* [n]; `event`: index among the session's events, later among those shown */
	size_t n;
	double *all; /* [events of the session]: the weight that an event has in all functions together */
};
/* Reads the samples of `sym` from a recording: see session_addresses().  `quit_fd`: see signals_open().  The caller
 * calls annotate_samples_deinit(), also after an error. */
CYC_MUST_CHECK int annotate_samples_read(struct session *s, uint32_t sym, int quit_fd, struct annotate_samples *ret,
					 struct error *err);
void annotate_samples_deinit(struct annotate_samples *a);

/* A function of a recording, with its code and its samples. */
struct annotate_reading {
	const struct annotate_options *options;
	const char *path, *symbol; /* recording and function, as the user wrote them */
	struct session *session;   /* NULL: the recording was not read */
	uint32_t sym;
	struct function_code code;
	struct annotate_samples samples;
};
/* annotate_function.c: annotate_find() finds the function a->symbol; annotate_find_same() finds in recording `a` the
 * function that is like->sym in recording `like`.  -ENOENT: there is none; -EINVAL: several match. */
CYC_MUST_CHECK int annotate_find(const struct annotate_reading *a, uint32_t *ret, struct error *err);
CYC_MUST_CHECK int annotate_find_same(const struct annotate_reading *a, const struct annotate_reading *like,
				      uint32_t *ret, struct error *err);
/* Returns the name by which a function is shown; valid until the next call. */
const char *annotate_name(const struct annotate_reading *a, uint32_t sym);

#endif
