#include <cyctop/resolve.h>

const char *origin_text(enum sym_origin origin)
{
	static const char *const text[ORIGIN_COUNT] = {
		[ORIGIN_NONE] = "nothing",
		[ORIGIN_SYMTAB] = "the symbol table of its file (.symtab)",
		[ORIGIN_DEBUG_FILE] = "the symbol table of its debug file",
		[ORIGIN_GO] = "the function table that the Go runtime reads (.gopclntab); the full table was stripped",
		[ORIGIN_MINIDEBUG] = "the small symbol table packed into its file (.gnu_debugdata)",
		[ORIGIN_DYNSYM] = "what its file exports (.dynsym); the full table was stripped",
		[ORIGIN_PLT] = "the relocation of a stub that calls another library (PLT)",
		[ORIGIN_UNWIND] = "the bounds of a function in the unwind table (.eh_frame); its name was stripped",
		[ORIGIN_KALLSYMS] = "the kernel's list of its symbols (kallsyms)",
		[ORIGIN_VMLINUX] = "the symbol table of the kernel's file (vmlinux)",
		[ORIGIN_MODULE] = "the symbol table of the module's file",
		[ORIGIN_KSYMBOL] = "the kernel, when it made this code (BPF, trampolines)",
		[ORIGIN_VDSO] = "the symbol table of the kernel's vDSO",
		[ORIGIN_PERF_MAP] = "the perf map its runtime writes (perf-PID.map)",
		[ORIGIN_JITDUMP] = "the jitdump its runtime writes (jit-PID.dump)",
		[ORIGIN_JVM] = "the table of compiled methods in the memory of its JVM",
		[ORIGIN_RECORDING] = "the names within the recording",
		[ORIGIN_SCRIPT] = "the script",
	};
	return origin < ORIGIN_COUNT && text[origin] ? text[origin] : text[ORIGIN_NONE];
}
