/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.c - the control socket of the heddled on this host.
 * Room: diags/ask.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include "diags/ask/daemon.h"

void
diag_daemon_socket(char *path, size_t len)
{
	const char *runtime = getenv("RUNTIME_DIRECTORY");

	snprintf(path, len, "%s/heddled.sock", runtime && *runtime ? runtime : HEDDLE_RUNDIR);
}
