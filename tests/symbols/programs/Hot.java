/* Methods that a JVM compiles and does not inline into each other, then one more that it compiles later, when a file
 * "go" is there. */
public class Hot {
	static int sink;

	static int hotMethod(int n) {
		int s = 0;
		for (int i = 0; i < n; i++)
			s += i * i % 7;
		return s;
	}

	static int warmMethod(int n) {
		int s = 1;
		for (int i = 0; i < n; i++)
			s = s * 31 + i;
		return s;
	}

	static int lateMethod(int n) {
		int s = 2;
		for (int i = 0; i < n; i++)
			s ^= s * 33 + i % 5;
		return s;
	}

	public static void main(String[] args) {
		java.io.File go = new java.io.File(args[0]);
		long end = System.currentTimeMillis() + 900000;
		for (int i = 0; System.currentTimeMillis() < end; i++) {
			sink += hotMethod(20000) + warmMethod(10000);
			if (i == 2000)
				System.out.println("ready");
			for (int k = 0; k < 20 && i % 100 == 0 && go.exists(); k++)
				sink += lateMethod(200000);
		}
	}
}
