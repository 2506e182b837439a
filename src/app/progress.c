#include "app/progress.h"

#include "app/message.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 40, LINE = 160, LONG_BYTES = 32 << 20 /* LONG_BYTES: less is read before a bar could be seen */ };

bool progress_wanted(void)
{
	return isatty(STDERR_FILENO);
}

static void make_bar(char bar[static BAR + 1], uint64_t done, uint64_t total)
{
	int full = total ? (int)(done * BAR / total) : 0;
	for (int i = 0; i < BAR; i++)
		bar[i] = i < full ? '#' : '.';
	bar[BAR] = '\0';
}

void progress_show(uint64_t done, uint64_t total)
{
	char bar[BAR + 1], text[LINE];
	if (total && total < LONG_BYTES)
		return;
	make_bar(bar, done, total);
	if (total)
		snprintf(text, sizeof(text), "\rreading [%s] %3d %%", bar, (int)(done * 100 / total));
	else
		snprintf(text, sizeof(text), "\rreading %llu MB", (unsigned long long)(done >> 20));
	message_write(text);
}

void progress_steps(const char *what, size_t done, size_t total)
{
	char bar[BAR + 1], text[LINE];
	make_bar(bar, done, total);
	snprintf(text, sizeof(text), "\r%s [%s] %zu of %zu", what, bar, done, total);
	message_write(text);
}

void progress_clear(void)
{
	if (progress_wanted())
		message_write("\r\033[K");
}
