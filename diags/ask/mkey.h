/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mkey.h - the M_Key that the heddled of this host protects ports with.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_MKEY_H
#define HEDDLE_DIAGS_ASK_MKEY_H

#include "diags/core/addr.h"

struct diag;

/*
 * Takes the M_Key of the heddled of this host from its configuration, 'path' or (NULL, "") where
 * that is by default. 0, or EXIT_USAGE, reported; where it is not 'needed' there is only a warning.
 */
int diag_mkey_auto(struct diag *d, const char *path, bool needed);
/* With -y auto and a key for each port: gets that of 'to' for the Set that follows.  0, or a
 * negative errno, reported. */
int diag_mkey_for_set(struct diag *d, const struct diag_addr *to);

#endif
