#include "calls/shared.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

uint64_t shared_take(struct calls_head *head, uint64_t size)
{
	_Atomic uint64_t *used = (_Atomic uint64_t *)&head->used;
	uint64_t at = atomic_fetch_add(used, (size + 63) & ~UINT64_C(63));
	if (at <= CALLS_FILE_SIZE - size && size < CALLS_FILE_SIZE)
		return at;
	atomic_fetch_sub(used, (size + 63) & ~UINT64_C(63));
	head->stop = CALLS_NO_MEMORY;
	return 0;
}

void shared_push(uint64_t *list, uint64_t *next, uint64_t at)
{
	_Atomic uint64_t *first = (_Atomic uint64_t *)list;
	uint64_t before = atomic_load(first);
	do
		*next = before;
	while (!atomic_compare_exchange_weak(first, &before, at));
}

/* ---- listing the modules of functions --------------------------------------------------------------- */

/* State of a search for the module that contains an address. */
struct search {
	struct calls_head *head;
	pid_t pid;
	uint64_t address;
};

NOT_COUNTED static void add_module(const struct search *s, const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
	uint64_t at = shared_take(s->head, sizeof(struct calls_module)), start = info->dlpi_addr + segment->p_vaddr;
	struct calls_module *m = (struct calls_module *)((uint8_t *)s->head + at);
	if (!at)
		return;
	*m = (struct calls_module){.pid = (uint32_t)s->pid,
				   .base = info->dlpi_addr,
				   .start = start,
				   .end = start + segment->p_memsz,
				   .offset = segment->p_offset};
	ssize_t n = 0;
	if (info->dlpi_name && *info->dlpi_name) {
		if (*info->dlpi_name != '/' && getcwd(m->path, sizeof(m->path) - 1)) { /* dlopen("./a.so") */
			n = (ssize_t)strlen(m->path);
			m->path[n++] = '/';
		}
		size_t name_n = strnlen(info->dlpi_name, sizeof(m->path) - 1 - (size_t)n);
		memcpy(m->path + n, info->dlpi_name, name_n);
		n += (ssize_t)name_n;
	} else {
		n = readlink("/proc/self/exe", m->path, sizeof(m->path) - 1);
	}
	m->path_n = n > 0 ? (uint32_t)n : 0;
	shared_push(&s->head->modules, &m->next, at);
}

NOT_COUNTED static int find_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const struct search *s = ctx;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD || s->address < start || s->address - start >= p->p_memsz)
			continue;
		add_module(s, info, p);
		return 1;
	}
	return 0;
}

void shared_note_module(struct calls_head *head, pid_t pid, uint64_t address)
{
	struct search s = {head, pid, address};
	int before = errno;
	for (uint64_t at = head->modules; at;) {
		const struct calls_module *m = (const struct calls_module *)((uint8_t *)head + at);
		if (m->pid == (uint32_t)pid && address >= m->start && address < m->end)
			return;
		at = m->next;
	}
	dl_iterate_phdr(find_module, &s);
	errno = before;
}
