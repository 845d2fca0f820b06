/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * suppress.h - findings that somebody knows of, and does not want to hear of again.
 * Room: diags/fabric.
 */
#ifndef HEDDLE_DIAGS_FABRIC_SUPPRESS_H
#define HEDDLE_DIAGS_FABRIC_SUPPRESS_H

#include "diags/fabric/fabric.h"

struct suppress;

/* Reads lines ID, CODE or CODE GLOB.  0, or the status of a failure that is reported. */
int suppress_read(struct diag *d, const char *path, struct suppress **out);
void suppress_free(struct suppress *s);         /* NULL is fine */
/* 'names': what the globs are compared with, NULL at the end.  A NULL list suppresses nothing. */
bool suppress_match(const struct suppress *s, const char *code, uint64_t id,
	const char *const *names);
/* The names of a port that globs are compared with, "name:port" and "0xguid:port", into two
 * buffers. */
#define SUPPRESS_NAME_BYTES (DIAG_NAME_BYTES + 16)
void suppress_names(struct diag *d, const struct diag_fabric *f, const struct fab_port *p,
	char names[2][SUPPRESS_NAME_BYTES]);

#endif
