/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * smpquery.h - the operations of smpquery that read tables.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_SMPQUERY_H
#define HEDDLE_DIAGS_TOOLS_SMPQUERY_H

#include "diags/core/addr.h"

/* Operations, as struct diag_op has them. */
int smpquery_pkeys(struct diag *d, const struct diag_addr *to, int argc, char **argv);
int smpquery_sl2vl(struct diag *d, const struct diag_addr *to, int argc, char **argv);
int smpquery_vlarb(struct diag *d, const struct diag_addr *to, int argc, char **argv);
int smpquery_guids(struct diag *d, const struct diag_addr *to, int argc, char **argv);

/* The port operand, 0 when there is none: 0, or an exit status. */
int smpquery_port(struct diag *d, int argc, char **argv, uint8_t *port);

#endif
