#!/bin/sh
# Two builds of a commit are the same, byte for byte, though in other directories and from other compilations.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
"$top/dev" static
mkdir "$tmp/elsewhere"
(cd "$top" && tar -cf - --exclude='./build*' --exclude=./.git .) | tar -xf - -C "$tmp/elsewhere"
(cd "$tmp/elsewhere" && CCACHE_DISABLE=1 ./dev static)
cmp "$top/build-static/cyctop-$(uname -m)" "$tmp/elsewhere/build-static/cyctop-$(uname -m)"
