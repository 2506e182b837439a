# shellcheck shell=sh
# Which files a change touches.  Scripts source this in the project's root directory.

repository() {
	git -c safe.directory="$PWD" "$@" 2>/dev/null
}

# The commit that a change is measured from: where it left main.  On main itself it is the newest commit
# that is a day older than the last one.  Nothing: there is no repository, or no commit so old.
change_base() {
	head=$(repository rev-parse HEAD) || return 0
	for main in origin/main main; do
		base=$(repository merge-base "$main" HEAD) || continue
		[ "$base" = "$head" ] || {
			echo "$base"
			return
		}
	done
	repository rev-list -1 --before="$(($(repository log -1 --format=%ct HEAD) - 86400))" HEAD
}

# changed_files BASE: lists the files that differ from that commit, committed or not.
changed_files() {
	repository diff --name-only "$1" --
	repository ls-files -o --exclude-standard
}
