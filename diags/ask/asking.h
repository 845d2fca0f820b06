/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * asking.h - the functions of this room that diags/core calls.
 * Room: diags/ask.
 *
 * diags/core lies below diags/ask and includes nothing of it. main() passes this table (struct
 * diag_asking in diags/core/tool.h) to diag_main() instead.
 */
#ifndef HEDDLE_DIAGS_ASK_ASKING_H
#define HEDDLE_DIAGS_ASK_ASKING_H

#include "diags/core/tool.h"

extern const struct diag_asking diag_asking_ports;

#endif
