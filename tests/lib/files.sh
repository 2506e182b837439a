# shellcheck shell=sh
# Shared by the lint scripts, which source it in the project's root directory.

# files PATTERN...: lists the project's files that match the patterns of git, one per line, without those
# that git ignores.  Works in a checkout that another user owns, too.  False if there is none: what
# checks no file must not pass.
files() {
	listed=$(git -c safe.directory="$PWD" ls-files -co --exclude-standard -- "$@")
	if [ -z "$listed" ]; then
		echo "$0: no file was checked, because git ls-files lists none of: $*" >&2
		return 1
	fi
	printf '%s\n' "$listed" | while IFS= read -r listed; do
		[ ! -f "$listed" ] || printf '%s\n' "$listed" # git lists files that were removed, too
	done
}
