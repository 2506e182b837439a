#!/bin/sh
# A Java program that compiles methods while it runs, in $tmp, for the tests of JVMs, which source this file after
# test.sh, with its folder in $here.
# shellcheck disable=SC2154 # the caller's
needs java javac
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
chmod 755 "$tmp"
cd "$tmp" || exit 1
javac -d . "$here/programs/Hot.java" 2>err || skip "no Java program: $(tail -n 1 err)"
chmod a+r Hot.class

# The JVMs of this machine that jcmd can ask: the folders above bin/java, one a line
jvm_homes() {
	for program in "$(command -v java)" /usr/lib/jvm/*/bin/java; do
		home=$(realpath "$program") && home=${home%/bin/java}
		[ ! -x "$home/bin/jcmd" ] || echo "$home"
	done | sort -u
}

# The version of the JVM that `java` starts: 17
java_version() {
	java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p'
}

# Another user who can read the program, and what starts that user's programs; '': there is none.
other=$(id -nu 65534 2>/dev/null || echo nobody)
as_other="setpriv --reuid $other --regid $(id -g "$other") --clear-groups"
if ! $as_other test -r "$tmp/Hot.class" 2>err; then
	echo "not as another user: $(cat err)"
	as_other=
fi
