#!/bin/sh
# Prints the numbers and names of this architecture's system calls as rows of an array: syscalls.sh COMPILER...
set -eu
include='#include <sys/syscall.h>'
rows=$(echo "$include" | "$@" -E -dM -xc - | sort -u |
	sed -n 's/^#define __NR_\([a-z][a-z0-9_]*\) .*/{__NR_\1, "\1"},/p' | grep -v '_syscall')
printf '%s\n' "$include" "$rows" | "$@" -E -P -xc - | grep '^{'
