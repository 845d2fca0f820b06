# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# lab.sh - where the programs of the laboratory's host side are: unpacked in the cache, or installed on this machine.
# Sourced, with $cache set to the directory that tests/lab/fetch filled.
#
#   lab_libs             value for LD_LIBRARY_PATH with which unpacked programs find their libraries
#   lab_find PROGRAM     prints its path; fails when it is nowhere. What was unpacked goes before what is installed
#   lab_where FILE       prints where that file of a package is: unpacked, or in /
#   lab_run PROGRAM ...  runs an unpacked program
#   lab_kmod TOOL ...    runs depmod or modprobe
lab_arch=x86_64-linux-gnu

lab_libs() {
	echo "$cache/programs/usr/lib/$lab_arch:$cache/programs/lib/$lab_arch:$cache/programs/usr/lib/$lab_arch/systemd:/usr/lib/$lab_arch/systemd"
}

lab_find() {
	for lab_dir in "$cache/programs/usr/sbin" "$cache/programs/usr/bin" "$cache/programs/sbin" "$cache/programs/bin" \
		/usr/sbin /usr/bin /sbin /bin; do
		if [ -f "$lab_dir/$1" ] && [ -x "$lab_dir/$1" ]; then
			echo "$lab_dir/$1"
			return 0
		fi
	done
	return 1
}

lab_where() {
	for lab_file in "$cache/programs/$1" "$cache/programs/usr/$1" "/$1"; do
		if [ -e "$lab_file" ]; then
			echo "$lab_file"
			return 0
		fi
	done
	return 1
}

lab_run() {
	lab_program=$(lab_find "$1") || { echo "no $1" >&2; return 127; }
	shift
	LD_LIBRARY_PATH=$(lab_libs) "$lab_program" "$@"
}

# kmod is one program that asks by which name it was called; its package's links point to where it would be installed.
lab_kmod() {
	mkdir -p "$cache/links"
	ln -sf "$(lab_find kmod)" "$cache/links/$1" || return 127
	lab_tool=$cache/links/$1
	shift
	LD_LIBRARY_PATH=$(lab_libs) "$lab_tool" "$@"
}
