#include <cstdlib>
#include <vector>
volatile unsigned long sink;
namespace ns {
template <typename T> struct Box {
	T v;
	inline __attribute__((always_inline)) void add(const T &x) { for (int i = 0; i < 1000; i++) sink += x * i; v += x; }
};
template <typename F> inline __attribute__((always_inline)) void each(std::vector<unsigned long> &v, F f) { for (auto &x : v) f(x); }
__attribute__((noinline)) unsigned long work(std::vector<unsigned long> &v)
{
	Box<unsigned long> b{0};
	each(v, [&](unsigned long x) { b.add(x); });
	return b.v;
}
}
int main(int argc, char **argv)
{
	std::vector<unsigned long> v(1000, 3);
	unsigned long times = argc > 1 ? strtoul(argv[1], nullptr, 10) : 100;
	unsigned long s = 0;
	for (unsigned long i = 0; i < times; i++) s += ns::work(v);
	return s == 1;
}
