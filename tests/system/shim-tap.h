/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shim-tap.h - what the programs that try the preloaded library share: a line of TAP for each thing looked at.
 */
#ifndef HEDDLE_TESTS_SYSTEM_SHIM_TAP_H
#define HEDDLE_TESTS_SYSTEM_SHIM_TAP_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>

#define WAIT_MS 20000           /* for what comes for certain; an emulated machine takes its time */

static unsigned count, failed;

static inline void
tap_check(bool good, const char *what)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++count, what);
	fflush(stdout);
	failed += !good;
}

static inline unsigned
open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

#endif
