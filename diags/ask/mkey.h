/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mkey.h - finds the M_Key with which the heddled of this host protects ports.
 * Room: diags/ask.
 *
 * Option -y auto: the key comes from the configuration file of heddled, or, if each port has a key
 * of its own, from heddled, port by port. The key is never on a command line. The tool needs the
 * right to read the file and to call heddled, and no other.
 */
#ifndef HEDDLE_DIAGS_ASK_MKEY_H
#define HEDDLE_DIAGS_ASK_MKEY_H

#include "diags/core/addr.h"

struct diag;

/* Reads the M_Key from the configuration file 'path' (NULL or "": the default one) into the
 * settings. Returns 0 or EXIT_USAGE (reported). If the key is not 'needed', a failure is only a
 * warning. */
int diag_mkey_auto(struct diag *d, const char *path, bool needed);
/* With -y auto and a key per port: obtains the key of 'to' for the Set that follows. Returns 0 or a
 * negative errno (reported). */
int diag_mkey_for_set(struct diag *d, const struct diag_addr *to);

#endif
