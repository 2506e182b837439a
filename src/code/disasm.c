/* Disassembles machine code, with capstone. */
#include "code/capstone_library.h"
#include "code/x86_length.h"

#include "base/alloc.h"
#include "base/strbuf.h"

#include <cyctop/code.h>

#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

/* A function being disassembled, and its instructions so far. */
struct disassembly {
	const struct function_code *code;
	const struct symtab *names;
	struct symtab_hit *hit;
	VEC(struct instruction) found;
	VEC(size_t) text_at; /* [found.n]: offset of each instruction's text in `texts` */
	struct strbuf texts;
};

static struct instruction *add(struct disassembly *t, size_t at, size_t size)
{
	vec_push(&t->text_at) = t->texts.n;
	struct instruction *in = &vec_push(&t->found);
	*in = (struct instruction){.addr = t->code->addr + at, .size = (uint32_t)size};
	return in;
}

/* Ends the text of the instruction that was added last. */
static void end_text(struct disassembly *t)
{
	strbuf_add_bytes(&t->texts, "", 1);
}

/* Adds instructions without text for code that cannot be disassembled: pieces of 4 bytes for arm64, whose instructions
 * all have 4 bytes, otherwise of 8 bytes. */
static void add_pieces(struct disassembly *t)
{
	size_t each = t->code->machine == EM_AARCH64 ? 4 : 8, n = t->code->n;
	for (size_t at = 0; at < n; at += each) {
		add(t, at, n - at < each ? n - at : each);
		end_text(t);
	}
}

#if HAVE_CAPSTONE

/* Returns the length in bytes of a processor's shortest instruction, to which all instructions are aligned. */
static size_t shortest(uint16_t machine)
{
	switch (machine) {
	case EM_AARCH64:
		return 4;
	case EM_RISCV:
		return 2;
	default:
		return 1;
	}
}

static bool arch_of(const struct function_code *code, cs_arch *arch_ret, cs_mode *mode_ret)
{
	*mode_ret = code->big ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN;
	switch (code->machine) {
	case EM_X86_64:
	case EM_386:
		*arch_ret = CS_ARCH_X86;
		*mode_ret = code->machine == EM_386 ? CS_MODE_32 : CS_MODE_64;
		return true;
	case EM_AARCH64:
		*arch_ret = CS_ARCH_ARM64;
		*mode_ret = CS_MODE_LITTLE_ENDIAN; /* instructions are little-endian even if data is not */
		return true;
#if CS_API_MAJOR >= 5
	case EM_RISCV:
		*arch_ret = CS_ARCH_RISCV;
		*mode_ret = code->wide ? CS_MODE_RISCV64 | CS_MODE_RISCVC : CS_MODE_RISCV32 | CS_MODE_RISCVC;
		return true;
#endif
	default:
		return false;
	}
}

/* Reads the target address at the end of the operands of a direct jump or call.  *text_n_ret: length of the operands'
 * text before the address.  Returns false if there is no address, as in an indirect jump. */
static bool target_of(const struct function_code *code, const cs_insn *in, uint64_t *ret, size_t *text_n_ret)
{
	const char *last = strrchr(in->op_str, ',');
	last = last ? last + 1 : in->op_str;
	size_t text_n = (size_t)(last - in->op_str);
	last += strspn(last, " #");
	bool minus = *last == '-';
	char *end;
	uint64_t number = strtoull(last + minus, &end, 0);
	if (end == last + minus || *end || (last[minus] < '0' || last[minus] > '9'))
		return false;
	*text_n_ret = text_n;
	number = minus ? 0 - number : number;
	*ret = code->machine == EM_RISCV ? in->address + number : number;
	if (!code->wide)
		*ret = (uint32_t)*ret;
	return true;
}

/* Appends the name of an address, "<memcpy@plt>" or "<loop+0x12>". */
static void add_name(struct disassembly *t, uint64_t addr)
{
	if (!t->names || !symtab_find(t->names, addr, t->hit) || !t->hit->name[0])
		return;
	char *pretty = demangle(t->hit->name);
	strbuf_addf(&t->texts, " <%s", pretty ? pretty : t->hit->name);
	if (addr != t->hit->addr)
		strbuf_addf(&t->texts, "+0x%" PRIx64, addr - t->hit->addr);
	strbuf_add(&t->texts, ">");
	free(pretty);
}

/* Appends operands, as objdump writes them: without blanks behind commas. */
static void add_operands(struct disassembly *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' || !i || s[i - 1] != ',')
			strbuf_add_bytes(&t->texts, &s[i], 1);
}

/* Appends the target of a %rip-relative operand like "0x4d85d(%rip)": " # 0x159f68 <main>". */
static void add_reference(struct disassembly *t, const cs_insn *is)
{
	const char *rip = strstr(is->op_str, "(%rip)"), *number = rip;
	while (number && number > is->op_str && (isxdigit((unsigned char)number[-1]) || strchr("-x", number[-1])))
		number--;
	if (!rip)
		return;
	uint64_t addr = is->address + is->size + (uint64_t)strtoll(number, NULL, 0);
	strbuf_addf(&t->texts, "  # 0x%" PRIx64, addr);
	add_name(t, addr);
}

static enum instruction_kind kind_of(const struct function_code *code, const struct capstone *lib, csh handle,
				     const cs_insn *is)
{
	/* capstone 4 classifies calls of arm64 as jumps, or not at all */
	if (lib->is_in_group(handle, is, CS_GRP_CALL) ||
	    (code->machine == EM_AARCH64 && strncmp(is->mnemonic, "bl", 2) == 0))
		return INSTRUCTION_CALL;
	if (lib->is_in_group(handle, is, CS_GRP_RET) ||
	    (code->machine == EM_AARCH64 && strncmp(is->mnemonic, "ret", 3) == 0))
		return INSTRUCTION_RETURN;
	return lib->is_in_group(handle, is, CS_GRP_JUMP) ? INSTRUCTION_JUMP : INSTRUCTION_PLAIN;
}

static void add_instruction(struct disassembly *t, const struct capstone *lib, csh handle, const cs_insn *is)
{
	struct instruction *in = add(t, (size_t)(is->address - t->code->addr), is->size);
	size_t text_n = strlen(is->op_str);
	in->kind = kind_of(t->code, lib, handle, is);
	bool direct = (in->kind == INSTRUCTION_CALL || in->kind == INSTRUCTION_JUMP) &&
		      target_of(t->code, is, &in->target, &text_n);
	strbuf_add(&t->texts, is->mnemonic);
	if (text_n || direct)
		strbuf_add(&t->texts, " ");
	add_operands(t, is->op_str, text_n);
	if (direct) {
		strbuf_addf(&t->texts, "0x%" PRIx64, in->target);
		add_name(t, in->target);
	}
	add_reference(t, is);
	end_text(t);
}

static void add_all(struct disassembly *t, const struct capstone *lib, csh handle, cs_insn *is)
{
	const uint8_t *bytes = t->code->bytes;
	size_t n = t->code->n, each = shortest(t->code->machine);
	uint64_t addr = t->code->addr;
	while (n) {
		if (lib->step(handle, &bytes, &n, &addr, is)) {
			add_instruction(t, lib, handle, is);
			continue;
		}
		size_t vex = t->code->machine == EM_X86_64 ? x86_vex_length(bytes, n) : 0;
		size_t skip = vex ? vex : n < each ? n : each;
		add(t, (size_t)(addr - t->code->addr), skip);
		strbuf_add(&t->texts, vex ? "(unknown)" : "(bad)");
		end_text(t);
		bytes += skip;
		addr += skip;
		n -= skip;
	}
}

/* Disassembles the code.  Returns the reason if that is not possible, otherwise NULL. */
static const char *disassemble(struct disassembly *t)
{
	cs_arch arch;
	cs_mode mode;
	csh handle;
	struct capstone lib;
	if (!arch_of(t->code, &arch, &mode))
		return "the instructions of that processor have no text here (of riscv64 they need capstone 5)";
	if (!capstone_open(&lib))
		return "instructions have no text, because capstone is not installed here";
	const char *why = "this capstone does not know the instructions of that processor";
	if (lib.open(arch, mode, &handle) == CS_ERR_OK) {
		lib.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
		if (arch == CS_ARCH_X86)
			lib.option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		cs_insn *is = lib.insn_create(handle);
		if (is) {
			add_all(t, &lib, handle, is);
			lib.insn_destroy(is, 1);
			why = NULL;
		}
		lib.close(&handle);
	}
	capstone_close(&lib);
	return why;
}

#else

static const char *disassemble(struct disassembly *t)
{
	(void)t;
	return "instructions have no text, because this cyctop is built without capstone";
}

#endif

void instructions_read(const struct function_code *code, const struct symtab *names, struct instructions *ret)
{
	struct disassembly t = {.code = code, .names = names, .hit = mem_calloc(1, sizeof(*t.hit))};
	const char *why = disassemble(&t);
	if (why)
		add_pieces(&t);
	for (size_t i = 0; i < t.found.n; i++)
		t.found.data[i].text = t.texts.data + t.text_at.data[i];
	*ret = (struct instructions){.v = t.found.data, .n = t.found.n, .why = why, .texts = t.texts.data};
	vec_free(&t.text_at);
	free(t.hit);
}

void instructions_deinit(struct instructions *in)
{
	free(in->v);
	free(in->texts);
	*in = (struct instructions){.v = NULL};
}
