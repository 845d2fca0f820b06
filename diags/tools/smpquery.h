/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * smpquery.h - the operations of smpquery that read tables.
 * Room: diags/tools.
 *
 * Operations with a single attribute are in smpquery.c; operations that read several blocks are in
 * smpquery_tables.c.
 */
#ifndef HEDDLE_DIAGS_TOOLS_SMPQUERY_H
#define HEDDLE_DIAGS_TOOLS_SMPQUERY_H

#include "diags/core/addr.h"

/* Functions of the operation table (struct diag_op in diags/core/tool.h). */
int smpquery_pkeys(struct diag *d, const struct diag_addr *to, int argc, char **argv);
int smpquery_sl2vl(struct diag *d, const struct diag_addr *to, int argc, char **argv);
int smpquery_vlarb(struct diag *d, const struct diag_addr *to, int argc, char **argv);
int smpquery_guids(struct diag *d, const struct diag_addr *to, int argc, char **argv);

/* Reads the port operand into '*port' (0 if there is none) and adds it to the document. Returns 0
 * or an exit status. */
int smpquery_port(struct diag *d, int argc, char **argv, uint8_t *port);

#endif
