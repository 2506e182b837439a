// Time is spent in a handler of an exception and in a destructor that runs while the stack is unwound.
#include <stdexcept>

static volatile unsigned long sink;

extern "C" __attribute__((noinline)) void leaf()
{
	for (unsigned long i = 0; i < 2000000; i++)
		sink = sink + i;
}

struct Guard {
	__attribute__((noinline)) ~Guard()
	{
		leaf();
		sink = sink + 1;
	}
};

extern "C" __attribute__((noinline)) void thrower(int depth)
{
	Guard guard;
	if (depth > 0)
		thrower(depth - 1);
	else
		throw std::runtime_error("thrown");
	sink = sink + 1;
}

extern "C" __attribute__((noinline)) void middle()
{
	try {
		thrower(3);
	} catch (const std::exception &) {
		leaf();
	}
	sink = sink + 1;
}

int main()
{
	for (int i = 0; i < 24; i++)
		middle();
}
