/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.h - where the heddled of this host listens.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_DAEMON_H
#define HEDDLE_DIAGS_ASK_DAEMON_H

#include <stddef.h>

/* The path of its control socket, which need not exist. */
void diag_daemon_socket(char *path, size_t len);

#endif
