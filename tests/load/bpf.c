/* A busy BPF program: the kernel runs its instructions in the time of this process.
 *   bpf SECONDS [SECONDS BEFORE IT IS LOADED]
 * Prints "running" once the program is loaded.  Exits with 77 if the kernel does not allow it. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORK = 2000 }; /* instructions */

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int load(void)
{
	static struct bpf_insn insns[WORK + 2];
	insns[0] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1};
	for (int i = 1; i <= WORK; i++)
		insns[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MUL | BPF_K, .dst_reg = BPF_REG_0, .imm = 3};
	insns[WORK + 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	union bpf_attr attr;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = WORK + 2;
	attr.license = (uintptr_t) "GPL";
	strcpy(attr.prog_name, "cyc_hot");
	return bpf(BPF_PROG_LOAD, &attr);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	if (argc > 2)
		usleep((useconds_t)(strtod(argv[2], NULL) * 1e6));
	int fd = load();
	if (fd < 0) {
		fprintf(stderr, "no BPF program can be loaded: %s\n", strerror(errno));
		return 77;
	}
	puts("running");
	fflush(stdout);
	char packet[64] = {0};
	for (double until = now() + seconds; now() < until;) {
		union bpf_attr attr;
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = (uint32_t)fd;
		attr.test.data_in = (uintptr_t)packet;
		attr.test.data_size_in = sizeof(packet);
		attr.test.repeat = 10000;
		if (bpf(BPF_PROG_TEST_RUN, &attr) < 0) {
			fprintf(stderr, "the BPF program cannot be run: %s\n", strerror(errno));
			return 77;
		}
	}
	return 0;
}
