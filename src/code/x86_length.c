#include "code/x86_length.h"

#include <cyctop/base.h>
#include <string.h>

enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3, MAP_FP16 = 5, MAP_FP16_MORE = 6 };

/* Returns the length in bytes of a VEX or EVEX prefix and the opcode after it; 0: there is no such prefix. *map_ret:
 * the opcode map. */
static size_t prefix_length(const uint8_t *p, size_t n, unsigned *map_ret)
{
	if (n >= 3 && p[0] == 0xc5) {
		*map_ret = MAP_0F;
		return 3;
	}
	if (n >= 4 && p[0] == 0xc4) {
		*map_ret = p[1] & 0x1f;
		return 4;
	}
	if (n >= 5 && p[0] == 0x62) {
		*map_ret = p[1] & 7;
		return 5;
	}
	return 0;
}

/* Returns the length of the operand bytes: ModRM, SIB and displacement; 0: `n` bytes are too few to tell. */
static size_t operand_length(const uint8_t *p, size_t n)
{
	if (!n)
		return 0;
	unsigned mod = p[0] >> 6, rm = p[0] & 7;
	if (mod == 3)
		return 1;
	bool scaled = rm == 4, far = mod == 2 || (mod == 0 && rm == 5);
	if (scaled && n < 2)
		return 0;
	far |= scaled && mod == 0 && (p[1] & 7) == 5;
	return 1u + scaled + (far ? 4 : mod == 1);
}

static bool has_constant(unsigned map, uint8_t opcode)
{
	static const uint8_t of_0f[] = {0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc5, 0xc6};
	return map == MAP_0F3A || (map == MAP_0F && memchr(of_0f, opcode, sizeof(of_0f)));
}

size_t x86_vex_length(const uint8_t *bytes, size_t n)
{
	static const uint8_t before[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67}; /* segment, address size */
	size_t at = 0;
	unsigned map = 0;
	while (at < n && at < 4 && memchr(before, bytes[at], sizeof(before)))
		at++;
	size_t prefix = prefix_length(bytes + at, n - at, &map);
	at += prefix;
	if (!prefix || !map || map > MAP_FP16_MORE || map == 4)
		return 0;
	uint8_t opcode = bytes[at - 1];
	if (map == MAP_0F && opcode == 0x77) /* vzeroupper has no operands */
		return at;
	size_t operands = operand_length(bytes + at, n - at);
	at += operands + has_constant(map, opcode);
	return operands && at <= n ? at : 0;
}
