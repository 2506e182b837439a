/* Lists the callers that cyctop finds on the copies of stacks in a recording, one sample per line: time in ns, tid, and
 * for each function, the innermost first, its offset in its file, as perf script prints it: one less where a call
 * returns to.
 *   stacks FILE [MOST]     MOST: callers at most */
#include <cyctop/session.h>
#include <cyctop/unwind.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAPS_MAX = 1 << 16, CALLERS_MAX = 512 };

struct map {
	uint32_t pid;
	uint64_t start, len, offset;
};

struct reader {
	struct resolver *resolver;
	const struct record_layout *layout;
	struct map *maps;
	size_t maps_n, most;
};

static uint64_t file_offset(const struct reader *r, uint32_t pid, uint64_t ip)
{
	const struct map *found = NULL;
	for (size_t i = r->maps_n; i-- > 0;) {
		const struct map *m = &r->maps[i];
		if (ip < m->start || ip - m->start >= m->len)
			continue;
		found = found ? found : m; /* of the process that it was forked from */
		if (m->pid == pid)
			return ip - m->start + m->offset;
	}
	return found ? ip - found->start + found->offset : ip;
}

static void print_stack(struct reader *r, const struct record *rec)
{
	const struct record_sample *s = &rec->u.sample;
	struct resolver_lookup at[CALLERS_MAX];
	struct unwind_registers regs;
	uint64_t values[64] = {0};
	uint32_t task = resolver_task(r->resolver, rec->id.pid, rec->id.tid, rec->id.time_ns);
	for (size_t i = 0; i < s->regs_user.values.n && i < ARRAY_LEN(values); i++)
		values[i] = record_u64(s->regs_user.values, i);
	if (!s->regs_user.values.n || !s->stack_user.size ||
	    !unwind_registers_take(UNWIND_X86_64, s->regs_user.mask, values, &regs))
		return;
	const struct unwind_stack stack = {s->stack_user.data, s->stack_user.size,
					   regs.r[unwind_stack_pointer(UNWIND_X86_64)]};
	size_t n = resolver_unwind(r->resolver, task, rec->id.time_ns, &stack, &regs, at, r->most);
	printf("%" PRIu64 " %" PRIu32, rec->id.time_ns, rec->id.tid);
	for (size_t i = 0; i < n; i++)
		printf(" %" PRIx64, file_offset(r, rec->id.pid, at[i].ip - at[i].returns));
	printf("\n");
}

static void take(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	(void)lane;
	struct reader *r = ctx;
	struct record rec;
	for (uint16_t n; size; bytes += n, size -= n) {
		memcpy(&n, bytes + offsetof(struct record_header, size), sizeof(n));
		if (record_decode(r->layout, bytes, n, &rec) < 0)
			continue;
		if (rec.type == RECORD_SAMPLE) {
			print_stack(r, &rec);
			continue;
		}
		resolver_apply(r->resolver, &rec);
		const struct record_mmap *m = &rec.u.mmap;
		if (rec.type == RECORD_MMAP2 && m->prot & 4 && r->maps_n < MAPS_MAX)
			r->maps[r->maps_n++] = (struct map){m->pid, m->start, m->len, m->pgoff};
	}
}

int main(int argc, char **argv)
{
	const struct file_config config = {.path = argc > 1 ? argv[1] : "", .whole = true};
	struct source *source;
	struct error err;
	if (argc < 2 || file_open(&config, &source, &err) < 0) {
		fprintf(stderr, "stacks: %s\n", argc < 2 ? "FILE is missing" : err.text);
		return 2;
	}
	struct stat st;
	const struct recording_names_config names = {
		.info = file_info(source),
		.written_ns =
			stat(argv[1], &st) == 0 ? (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : 0};
	struct recording_names *recording = recording_names_create(&names);
	struct resolver_config resolve = {.proc = proc_none, .unwind_waits = true, .background = true};
	recording_names_use(recording, &resolve);
	struct reader r = {.layout = source->ops->info(source)->layout,
			   .most = argc > 2 ? strtoul(argv[2], NULL, 10) : CALLERS_MAX};
	r.most = r.most < CALLERS_MAX ? r.most : CALLERS_MAX;
	r.maps = calloc(MAPS_MAX, sizeof(*r.maps));
	if (!r.maps || resolver_create(&resolve, &r.resolver, &err) < 0)
		return 2;
	struct merger *merger = merger_create();
	struct merge_stats stats = {0};
	const struct drain_sink sink = {.records = take, .ctx = &r};
	while (!source->ops->finished(source)) {
		source->ops->advance(source);
		drain_source(source, merger, UINT64_MAX, &sink, &stats);
	}
	merger_destroy(merger);
	resolver_destroy(r.resolver);
	recording_names_destroy(recording);
	source->ops->close(source);
	free(r.maps);
	return 0;
}
