/* A thousand calls, then as many once something is written to a FIFO: slow FIFO */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define CALLED __attribute__((noinline)) static

CALLED void leaf(void)
{
	__asm__ volatile("");
}

CALLED void once(void)
{
	for (int i = 0; i < 1000; i++)
		leaf();
}

CALLED int twice(const char *path)
{
	char byte;
	once();
	int fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, &byte, 1) != 1)
		return 1;
	once();
	printf("two thousand\n");
	return 7;
}

int main(int argc, char **argv)
{
	return argc > 1 ? twice(argv[1]) : 2;
}
