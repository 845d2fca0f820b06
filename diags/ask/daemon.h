/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * daemon.h - the control socket of the heddled on this host.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_DAEMON_H
#define HEDDLE_DIAGS_ASK_DAEMON_H

#include <stddef.h>

/* Writes the path of the control socket to 'path'. The socket may not exist. */
void diag_daemon_socket(char *path, size_t len);

#endif
