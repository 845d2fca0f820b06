#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The files in the tree that the option table yields are what it yields now (else: make update-generated).
echo 1..2
check() {
	if "$top_builddir/sm/conf/confdoc" "$2" | diff "$top_srcdir/$3" - >&2; then
		echo "ok $1 - $3"
	else
		echo "not ok $1 - $3 differs from the option table: make update-generated"
	fi
}
check 1 sample etc/heddled.conf
check 2 rst man/heddled.conf.keys.rst
