# shellcheck shell=sh
# Debian's packages of another architecture or release, unpacked into a directory: they are not installed, and
# nothing of this machine's packages changes.  For the scripts that source this file.

# foreign_choose CPU: sets foreign_arch, Debian's name of it, foreign_suite, the release, and foreign_headers, the
# packages to build cyctop with.
foreign_choose() {
	foreign_suite=bookworm gcc=12
	case $1 in
	x86_64) foreign_arch=amd64 ;;
	aarch64) foreign_arch=arm64 ;;
	riscv64) foreign_arch=riscv64 foreign_suite=trixie gcc=14 ;;
	*) return 1 ;;
	esac
	# shellcheck disable=SC2034 # for those who call
	foreign_headers="libc6-dev libgcc-$gcc-dev libncurses-dev libpfm4-dev libelf-dev libjansson-dev libiberty-dev \
		libzstd-dev liblzma-dev zlib1g-dev"
}

# foreign_begin DIR: gets the list of packages; apt's files are in DIR until foreign_end.
foreign_begin() {
	foreign_dir=$1
	mkdir -p "$foreign_dir/etc/apt" "$foreign_dir/var/lib/apt/lists/partial" \
		"$foreign_dir/var/cache/apt/archives/partial"
	: >"$foreign_dir/status"
	# The mirror that this machine uses, if it is one of Debian's.
	# shellcheck disable=SC2016 # apt-get's own variables
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(SUITE)' 'Created-By: Packages' 2>/dev/null |
		awk '$2 == "Debian" && $3 !~ /security|updates|backports/ { print $1; exit }')
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"${mirror:-http://deb.debian.org/debian} $foreign_suite main" >"$foreign_dir/sources"
	foreign apt-get update
}

# foreign apt-get|apt-cache ARGS...: on these packages and on nothing of this machine
foreign() {
	tool=$1
	shift
	"$tool" -qq -o APT::Get::Assume-Yes=true -o Dir="$foreign_dir" -o Dir::State::status="$foreign_dir/status" \
		-o Dir::Etc::sourcelist="$foreign_dir/sources" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null -o Dir::Etc::parts=/etc/apt/apt.conf.d \
		-o APT::Architecture="$foreign_arch" -o APT::Architectures::="$foreign_arch" \
		-o APT::Install-Recommends=false -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

# foreign_unpack ROOT PACKAGES...: unpacks them, and all that they need, into the directory ROOT, which serves as a
# sysroot.
foreign_unpack() {
	root=$1
	shift
	if [ "$foreign_suite" != bookworm ]; then # packages of later releases put all into /usr
		for d in bin sbin lib; do
			mkdir -p "$root/usr/$d"
			ln -sfn "usr/$d" "$root/$d"
		done
	fi
	foreign apt-get install --download-only "$@"
	for deb in "$foreign_dir/var/cache/apt/archives/"*.deb; do
		dpkg -x "$deb" "$root"
	done
	# links of -dev packages are absolute, and in a sysroot have to be relative
	find "$root/usr/lib" -type l -lname '/*' | while read -r link; do
		ln -sf "$(realpath -m --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
	done
}

foreign_end() {
	rm -rf "$foreign_dir"
}
