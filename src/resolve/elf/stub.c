#include "resolve/elf/stub.h"

#include <elf.h>
#include <string.h>

/* Reads an instruction word; these machines have little-endian instructions even if data is big-endian. */
static uint32_t word_at(const struct stub_code *c, size_t at)
{
	const uint8_t *p = c->bytes + at;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool has(const struct stub_code *c, size_t at, const char *bytes, size_t n)
{
	return at <= c->n && n <= c->n - at && memcmp(c->bytes + at, bytes, n) == 0;
}

static uint64_t sign_extended(uint32_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

/* Decodes an x86 stub: [endbr] [mov $n, %r11d] [bnd] jmp *word. Or a lazy one: endbr, push $n, jmp to the first entry
 * of the table. */
static bool decode_x86(const struct stub_code *c, size_t at, struct stub *ret)
{
	size_t p = at;
	bool endbr = has(c, p, "\xf3\x0f\x1e\xfa", 4) || has(c, p, "\xf3\x0f\x1e\xfb", 4);
	p += endbr ? 4 : 0;
	if (endbr && has(c, p, "\x68", 1) && c->n - p >= 5) {
		*ret = (struct stub){.n = p + 5 - at, .lazy = true, .push = word_at(c, p + 1)};
		return true;
	}
	if (has(c, p, "\x41\xbb", 2))
		p += 6;
	p += has(c, p, "\xf2", 1);
	if (p > c->n || c->n - p < 6 || c->bytes[p] != 0xff)
		return false;
	uint8_t how = c->bytes[p + 1];
	uint64_t far = sign_extended(word_at(c, p + 2));
	p += 6;
	ret->n = p - at;
	if (how == 0x25)
		ret->word = c->wide ? c->addr + p + far : far & UINT32_MAX;
	else if (how == 0xa3 && !c->wide)
		ret->word = (c->got + far) & UINT32_MAX;
	else
		return false;
	return true;
}

/* Decodes [bti c] adrp x16, page; ldr x17, [x16, #offset]. */
static bool decode_aarch64(const struct stub_code *c, size_t at, struct stub *ret)
{
	size_t p = at + (has(c, at, "\x5f\x24\x03\xd5", 4) ? 4 : 0);
	if (p > c->n || c->n - p < 8)
		return false;
	uint32_t adrp = word_at(c, p), ldr = word_at(c, p + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	uint32_t pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2;
	uint64_t far = sign_extended(pages << 11) * 2; /* 21 bits, in pages of 4096 bytes */
	ret->word = ((c->addr + p) & ~(uint64_t)0xfff) + far + ((ldr >> 10 & 0xfff) << 3);
	ret->n = p + 8 - at;
	return true;
}

/* Decodes auipc t3, high; ld (lw) t3, low(t3). */
static bool decode_riscv(const struct stub_code *c, size_t at, struct stub *ret)
{
	if (c->n - at < 8)
		return false;
	uint32_t auipc = word_at(c, at), load = word_at(c, at + 4);
	if ((auipc & 0xfff) != 0xe17 || (load & 0xfffff) != (c->wide ? 0xe3e03u : 0xe2e03u))
		return false;
	uint64_t word = c->addr + at + sign_extended(auipc & 0xfffff000) + (uint64_t)((int64_t)(int32_t)load >> 20);
	*ret = (struct stub){.n = 8, .word = c->wide ? word : word & UINT32_MAX};
	return true;
}

/* Decodes the 12-bit immediate of an ARM instruction: the low 8 bits, rotated right by twice the high 4 bits. */
static uint32_t turned(uint32_t instruction)
{
	uint32_t v = instruction & 0xff, by = instruction >> 8 & 0xf;
	return by ? v >> 2 * by | v << (32 - 2 * by) : v;
}

/* Decodes [bx pc; nop, from Thumb] add ip, pc, #high; add ip, ip, #middle (once or twice); ldr pc, [ip, #low]! Or lld's
 * form for far words: ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; then the distance as data. */
static bool decode_arm(const struct stub_code *c, size_t at, struct stub *ret)
{
	size_t p = at + (has(c, at, "\x78\x47\xc0\x46", 4) || has(c, at, "\x78\x47\xfd\xe7", 4) ? 4 : 0);
	if (has(c, p, "\x04\xc0\x9f\xe5\x0f\xc0\x8c\xe0\x00\xf0\x9c\xe5", 12) && c->n - p >= 16) {
		*ret = (struct stub){.n = p + 16 - at, .word = (uint32_t)(c->addr + p + 12 + word_at(c, p + 12))};
		return true;
	}
	uint32_t word = (uint32_t)(c->addr + p + 8), adds = 0;
	for (; p <= c->n && c->n - p >= 8 && adds < 3; adds++, p += 4) {
		uint32_t add = word_at(c, p);
		if ((add & 0xfffff000) != (adds ? 0xe28cc000 : 0xe28fc000))
			break;
		word += turned(add);
	}
	if (adds < 2 || p > c->n || c->n - p < 4 || (word_at(c, p) & 0xfffff000) != 0xe5bcf000)
		return false;
	*ret = (struct stub){.n = p + 4 - at, .word = word + (word_at(c, p) & 0xfff)};
	return true;
}

bool stub_decode(const struct stub_code *code, size_t at, struct stub *ret)
{
	*ret = (struct stub){0};
	if (at >= code->n)
		return false;
	switch (code->machine) {
	case EM_X86_64:
	case EM_386:
		return decode_x86(code, at, ret);
	case EM_AARCH64:
		return decode_aarch64(code, at, ret);
	case EM_ARM:
		return decode_arm(code, at, ret);
	case EM_RISCV:
		return decode_riscv(code, at, ret);
	default:
		return false;
	}
}

size_t stub_step(const struct stub_code *code)
{
	switch (code->machine) {
	case EM_X86_64:
	case EM_386:
		return 8;
	case EM_AARCH64:
	case EM_ARM:
	case EM_RISCV:
		return 4;
	default:
		return 0;
	}
}
