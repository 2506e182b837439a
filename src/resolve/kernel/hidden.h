/* Explains why /proc/kallsyms shows symbols without addresses, and what the user can do. */
#ifndef RESOLVE_KERNEL_HIDDEN_H
#define RESOLVE_KERNEL_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

/* The settings that decide whether /proc/kallsyms shows addresses (kallsyms_show_value() in the
 * kernel); -1: the setting cannot be read. */
struct hiding {
	int kptr_restrict;
	int paranoid;
	bool root; /* effective uid is 0 */
	bool cap_syslog;
};
void hiding_read(struct hiding *ret);
/* Writes one sentence for the user: why addresses are hidden, and what to do. */
void hidden_why(const struct hiding *how, char *buf, size_t cap);

#endif
