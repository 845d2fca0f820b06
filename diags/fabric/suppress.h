/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * suppress.h - a list of known findings that are not to be shown.
 * Room: diags/fabric.
 *
 * ibcheck and ibtopo read it from a file; suppress.c describes its format.
 */
#ifndef HEDDLE_DIAGS_FABRIC_SUPPRESS_H
#define HEDDLE_DIAGS_FABRIC_SUPPRESS_H

#include "diags/fabric/fabric.h"

struct suppress;

/* Reads the file. Returns 0 or the status of a reported failure. */
int suppress_read(struct diag *d, const char *path, struct suppress **out);
void suppress_free(struct suppress *s);         /* accepts NULL */
/* Reports whether a finding is in the list. 'names' (terminated by NULL) are the names that globs
 * are compared with. A NULL list suppresses nothing. */
bool suppress_match(const struct suppress *s, const char *code, uint64_t id,
	const char *const *names);
/* Writes the two names of a port that globs are compared with: "name:port" and "0xguid:port". */
#define SUPPRESS_NAME_BYTES (DIAG_NAME_BYTES + 16)
void suppress_names(struct diag *d, const struct diag_fabric *f, const struct fab_port *p,
	char names[2][SUPPRESS_NAME_BYTES]);

#endif
