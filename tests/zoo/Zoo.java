class Zoo {
	static long leaf(long n) {
		for (int i = 0; i < 4000000; i++)
			n = n * 3 + i;
		return n;
	}

	static long middle(long n) {
		return leaf(n) + 1;
	}

	public static void main(String[] args) {
		long sum = 0;
		for (int i = 0; i < 250; i++)
			sum += middle(i);
		System.out.println(sum);
	}
}
