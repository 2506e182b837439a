/* Threads that run compiled code, code that is only interpreted (-XX:CompileCommand=exclude,Mix.interpreted), and native
 * code (of libjvm.so), in equal parts. */
public class Mix {
	static volatile long sink;

	static int compiled(int n) {
		int s = 0;
		for (int i = 0; i < n; i++)
			s += i * i % 7;
		return s;
	}

	static int interpreted(int n) {
		int s = 1;
		for (int i = 0; i < n; i++)
			s = s * 31 + i;
		return s;
	}

	static void repeat(Runnable what) {
		new Thread(() -> {
			long end = System.currentTimeMillis() + 900000;
			while (System.currentTimeMillis() < end)
				what.run();
		}).start();
	}

	public static void main(String[] args) throws Exception {
		String[] names = new String[64];
		for (int i = 0; i < names.length; i++)
			names[i] = "name " + i;
		repeat(() -> sink += compiled(20000));
		repeat(() -> sink += interpreted(2000));
		repeat(() -> {
			for (int i = 0; i < 1000; i++)
				sink += names[i % names.length].intern().length();
		});
		Thread.sleep(2000);
		System.out.println("ready");
	}
}
