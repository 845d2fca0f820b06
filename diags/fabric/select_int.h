/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * select_int.h - the single tests of a selection.
 * Room: diags/fabric.
 */
#ifndef HEDDLE_DIAGS_FABRIC_SELECT_INT_H
#define HEDDLE_DIAGS_FABRIC_SELECT_INT_H

#include "diags/fabric/fabric.h"

#define SELECT_WHY_BYTES 160

struct select_test;

/* Reads "key:value"; NULL with a sentence in 'why' (160 bytes). */
struct select_test *select_test_new(struct diag *d, const struct diag_fabric *f, const char *text,
	char *why);
/* Reads "A->B" and sets the bits of the ports that a packet from A to B leaves and enters by; false
 * with a sentence in 'why'. */
bool select_route(struct diag *d, const struct diag_fabric *f, const char *text, uint64_t *bits,
	char *why);
void select_test_free(struct select_test *t);   /* NULL is fine */
bool select_test_ask(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p);

#endif
