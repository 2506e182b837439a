#include <cyctop/session.h>

#include <errno.h>
#include <unistd.h>

/* The history has two minutes; its older intervals are joined if it needs more than 4 MB. */
static const uint64_t keep_ns = 120ull * 1000000000;
enum { KEEP_BYTES = 4 << 20 };

int session_open_live(struct source *live, const struct live_config *config, struct session **ret, struct error *err)
{
	/* The first two symbolizers are for the kernel; the very first is used only with --vmlinux. */
	const struct symbolizer chain[] = {{.name = symbolizer_vmlinux.name,
					    .load = symbolizer_vmlinux.load,
					    .ctx = (void *)(uintptr_t)config->vmlinux},
					   {.name = symbolizer_kcore.name,
					    .load = symbolizer_kcore.load,
					    .ctx = (void *)(intptr_t)config->kcore_fd},
					   symbolizer_kallsyms,
					   symbolizer_memory,
					   symbolizer_vdso,
					   symbolizer_elf};
	size_t first = config->vmlinux ? 0 : 1;
	const struct source_info *info = live->ops->info(live);
	struct session_config session = {
		.source = live,
		.names = {.chain = chain + first,
			  .chain_n = ARRAY_LEN(chain) - first,
			  .kernel_lives = true,
			  .modules_apart = config->vmlinux != NULL,
			  .proc = info->other_proc ? proc_none : proc_live,
			  .jit = info->other_proc ? NULL : &jit_live,
			  .namespaced = info->namespaced,
			  .other_proc = info->other_proc,
			  .self_pid = getpid(),
			  .background = true},
		.keep_ns = keep_ns,
		.keep_bytes = KEEP_BYTES,
	};
	session.names.proc.cgroups = live_cgroups;
	int rc = config->vmlinux ? vmlinux_check(config->vmlinux, err) : 0;
	if (rc < 0) {
		live->ops->close(live);
		return rc;
	}
	return session_create(&session, ret, err);
}

/* load() of a symbolizer: loads the symbols that the script of a synthetic source declares; ctx is the source. */
static int load_synth(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	struct source *src = ctx;
	uint64_t addr, size;
	const char *name;
	if (!synth_symbol(src, key->path, 0, &addr, &size, &name))
		return -ENOENT;
	struct symtab_builder *b = symtab_builder_create();
	symtab_origin(b, ORIGIN_SCRIPT);
	for (size_t i = 0; synth_symbol(src, key->path, i, &addr, &size, &name); i++)
		symtab_add(b, addr, size, name, 0, NULL);
	*ret = (struct dso_image){.symtab = symtab_finish(b)};
	return 0;
}

int session_open_synth(const char *script, size_t len, const char *script_name, bool realtime, struct session **ret,
		       struct error *err)
{
	struct session_config session = {.keep_ns = keep_ns, .keep_bytes = KEEP_BYTES};
	int rc = synth_open(script, len, script_name, realtime, &session.source, err);
	if (rc < 0)
		return rc;
	const struct symbolizer chain[] = {{.name = "script", .load = load_synth, .ctx = session.source}};
	session.names = (struct resolver_config){.chain = chain, .chain_n = ARRAY_LEN(chain), .proc = proc_none};
	return session_create(&session, ret, err);
}
