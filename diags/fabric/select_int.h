/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * select_int.h - the single tests of a selection, for the files of this room.
 * Room: diags/fabric.
 *
 * select.c parses the expression; select_test.c has a row per kind of test; select_route.c computes
 * the ports of a route.
 */
#ifndef HEDDLE_DIAGS_FABRIC_SELECT_INT_H
#define HEDDLE_DIAGS_FABRIC_SELECT_INT_H

#include "diags/fabric/fabric.h"

#define SELECT_WHY_BYTES 160

struct select_test;

/* Parses "key:value". Returns NULL with a sentence in 'why' (SELECT_WHY_BYTES). */
struct select_test *select_test_new(struct diag *d, const struct diag_fabric *f, const char *text,
	char *why);
/* Parses "A->B" and sets the bits of the ports that a packet from A to B passes, by port index.
 * Returns false with a sentence in 'why'. */
bool select_route(struct diag *d, const struct diag_fabric *f, const char *text, uint64_t *bits,
	char *why);
void select_test_free(struct select_test *t);   /* accepts NULL */
bool select_test_ask(const struct select_test *t, struct diag *d, const struct diag_fabric *f,
	const struct fab_port *p);

#endif
