/* Why the kernel shows its symbols without their addresses, and what helps. */
#ifndef RESOLVE_KERNEL_HIDDEN_H
#define RESOLVE_KERNEL_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

/* What /proc/kallsyms goes by (kallsyms_show_value() in the kernel); -1: not to be read. */
struct hiding {
	int kptr_restrict;
	int paranoid;
	bool root; /* by its uid */
	bool cap_syslog;
};
void hiding_read(struct hiding *ret);
/* One sentence, for a user. */
void hidden_why(const struct hiding *how, char *buf, size_t cap);

#endif
