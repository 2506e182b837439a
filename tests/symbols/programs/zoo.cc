// Names of C++: a namespace, a template's method, an operator, a lambda.
#include "burn.h"

namespace ns {
template <typename T> struct Widget {
	HOT uint64_t spin(long rounds);
	HOT uint64_t operator()(uint64_t rounds, const T &t);
	uint64_t x = 1;
};

template <typename T> HOT uint64_t Widget<T>::spin(long rounds)
{
	for (long i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

template <typename T> HOT uint64_t Widget<T>::operator()(uint64_t rounds, const T &t)
{
	for (uint64_t i = 0; i < rounds; i++)
		x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u + (uint64_t)t;
	return x;
}

template struct Widget<int>;
} // namespace ns

int main()
{
	union {
		uint64_t (ns::Widget<int>::*method)(long);
		void *address;
	} spin = {&ns::Widget<int>::spin};
	union {
		uint64_t (ns::Widget<int>::*method)(uint64_t, const int &);
		void *address;
	} call = {&ns::Widget<int>::operator()};
	ns::Widget<int> w;
	zoo_begin();
	printf("at _ZN2ns6WidgetIiE4spinEl %p\nat _ZN2ns6WidgetIiEclEmRKi %p\n", spin.address, call.address);
	zoo_ready();
	for (;;) {
		for (int i = 0; i < PASSES; i++)
			w.x += w.spin((long)zoo_rounds(4 * ROUNDS)) + w(zoo_rounds(2 * ROUNDS), 3);
		zoo_rest();
	}
}
