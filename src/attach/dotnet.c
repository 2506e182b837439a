#include "attach/dotnet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The header of a message: magic, size of the whole message (16 bits), command set, command, two zero bytes.  All
 * numbers are little-endian. */
enum { MAGIC_BYTES = 14, SIZE_AT = 14, SET_AT = 16, ID_AT = 17, HEADER_BYTES = 20 };
enum { SET_SERVER = 0xff, ID_OK = 0, ID_ERROR = 0xff };

/* The command EnablePerfMap (5) of command set 4, with type 3: write a perf map, but no jitdump, which would be larger
 * because it contains the machine code. */
const char dotnet_question[DOTNET_QUESTION_BYTES] = "DOTNET_IPC_V1\0"
						    "\x18\0\4\5\0\0"
						    "\3\0\0\0";

const char dotnet_from_start[] = "DOTNET_PerfMapEnabled=1 in its environment has it write them from its start";

void dotnet_socket_name(uint32_t own_pid, uint64_t start_ticks, char *buf, size_t cap)
{
	snprintf(buf, cap, "dotnet-diagnostic-%" PRIu32 "-%" PRIu64 "-socket", own_pid, start_ticks);
}

const char *dotnet_folder(const char *vars, size_t n)
{
	static const char name[] = "TMPDIR=";
	for (const char *s = vars; s < vars + n; s += strlen(s) + 1)
		if (strncmp(s, name, sizeof(name) - 1) == 0) /* if TMPDIR occurs twice, the first counts */
			return s[sizeof(name) - 1] ? s + sizeof(name) - 1 : NULL;
	return NULL;
}

static uint32_t number(const char *bytes, size_t n)
{
	uint32_t v = 0;
	while (n-- > 0)
		v = v << 8 | (uint8_t)bytes[n];
	return v;
}

int dotnet_answer_parse(const char *bytes, size_t n, char *why, size_t cap)
{
	enum { RESULT_BYTES = 4 };
	static const uint32_t unknown_command = 0x80131385;
	uint8_t id = n >= HEADER_BYTES ? (uint8_t)bytes[ID_AT] : 0;
	if (n < HEADER_BYTES || memcmp(bytes, dotnet_question, MAGIC_BYTES) != 0 || number(bytes + SIZE_AT, 2) != n ||
	    (uint8_t)bytes[SET_AT] != SET_SERVER || (id != ID_OK && id != ID_ERROR)) {
		snprintf(why, cap, n ? "its answer is malformed" : "it closed the connection without an answer");
		return -EBADMSG;
	}
	/* an OK message may contain a result (HRESULT); 0: success */
	uint32_t result = n >= HEADER_BYTES + RESULT_BYTES ? number(bytes + HEADER_BYTES, RESULT_BYTES) : 0;
	if (id == ID_OK && !result)
		return 0;
	if (result == unknown_command) {
		snprintf(why, cap, "it does not know the command, which .NET 8 and later have; %s", dotnet_from_start);
		return -ENOTSUP;
	}
	if (result)
		snprintf(why, cap, "it refused: error 0x%08" PRIx32, result);
	else
		snprintf(why, cap, "it refused, and did not say why");
	return -EIO;
}
