/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * asking.h - what diags/core needs of this room: the table that main() hands to core.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_ASKING_H
#define HEDDLE_DIAGS_ASK_ASKING_H

#include "diags/core/tool.h"

extern const struct diag_asking diag_asking_ports;

#endif
