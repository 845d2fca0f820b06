/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * routed.h - what documents are made from: a served subnet whose plan has real tables, and an index.
 */
#ifndef HEDDLE_TESTS_UNIT_STATUS_ROUTED_H
#define HEDDLE_TESTS_UNIT_STATUS_ROUTED_H

#include "sm/status/view.h"
#include "tests/unit/subnet/served.h"

struct routed_bed {
	struct served_bed on;
	const struct plan *plan;        /* made by the planner; served */
	struct served_view v;
};

/* fattree:k=4,levels=2 */
void routed_make(struct routed_bed *b);
/* Another topology. */
void routed_make_of(struct routed_bed *b, const char *spec);
void routed_clear(struct routed_bed *b);
/* Another index is served, as after a sweep. */
void routed_serve_again(struct routed_bed *b);
/* Gives the node of the n-th host that description. */
void routed_describe(struct routed_bed *b, unsigned host, const char *text);
/* The text under that key of an object. */
const char *routed_text(const json_t *o, const char *key);

#endif
