/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff_qos.c - SLtoVL and VLArbitration tables, wanted against known.
 * Room: sm/diff.  Pure.
 *
 * A switch that takes many tables in one request is given all pairs at once where all are to be equal, else all inputs of an
 * output port at once.  (All outputs of an input at once would only be of use if tables depended on the input.)
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/bits.h"
#include "util/xalloc.h"
#include "fabric/snapshot/qos_walk.h"

#define OPTIMIZED_BIT 1                 /* of SwitchInfo.OptimizedSLtoVLMappingProgramming */

static bool
is_optimized(const struct plan *plan, const struct fab_node *n)
{
	return plan->qos.optimized && !qos_scopes_by_input(plan->qos.scopes) && fab_is_switch(n) && n->flags & FAB_NODE_SWITCH_INFO &&
		switch_info_decode(n->switch_info).optimized_slvl & OPTIMIZED_BIT;
}

static bool
table_differs(const struct snapshot *s, const struct plan *plan, const struct qos_table *t)
{
	uint8_t want[VLARB_TABLE_BYTES], have[VLARB_TABLE_BYTES];

	if (!qos_plan_table(&plan->qos, s, t, want))
		return false;
	return !qos_tables_get(plan->qos_tables, s, t, have) ||
		memcmp(want, have, t->block ? VLARB_TABLE_BYTES : SLVL_TABLE_BYTES) != 0;
}

/* The output ports of a switch whose tables differ (bits by port index), in as few requests as they can be written. */
static void
add_outputs(const struct snapshot *s, const struct plan *plan, const struct qos_walk *walk, const uint64_t *differ,
	const struct fab_node *n, struct changes *out)
{
	uint8_t first[SLVL_TABLE_BYTES], image[SLVL_TABLE_BYTES];
	uint32_t some = FAB_NONE;
	bool equal = true, any = false;

	for (uint32_t p = n->first_port; p <= n->first_port + n->nports; p++) {
		struct qos_table t = { p, 0, 0 };

		if (!qos_walk_has(walk, &t) || !qos_plan_table(&plan->qos, s, &t, image))
			continue;
		any |= bits_test(differ, p);
		if (some == FAB_NONE)
			memcpy(first, image, sizeof(first));
		equal &= memcmp(first, image, sizeof(first)) == 0;
		some = p;
	}
	if (any && equal)
		diff_add(out, CHANGE_QOS, some, CHANGE_QOS_ALL_PAIRS);
	for (uint32_t p = n->first_port; any && !equal && p <= n->first_port + n->nports; p++)
		if (bits_test(differ, p))
			diff_add(out, CHANGE_QOS, p, CHANGE_QOS_ALL_INPUTS | s->ports[p].num);
}

void
diff_qos(const struct snapshot *s, const struct plan *plan, struct changes *out)
{
	struct qos_walk *walk = qos_walk_new(s);
	uint64_t *differ = xcalloc(BITS_WORDS(s->nports) + 1, sizeof(*differ));
	uint8_t *optimized = xcalloc(s->nnodes + 1u, 1);
	struct qos_table t;

	for (uint32_t i = 0; i < s->nnodes; i++)
		optimized[i] = is_optimized(plan, &s->nodes[i]);
	while (qos_walk_next(walk, &t)) {
		if (!table_differs(s, plan, &t))
			continue;
		if (t.block)
			diff_add(out, CHANGE_QOS, t.port, CHANGE_QOS_VLARB | qos_table_modifier(s, &t));
		else if (optimized[s->ports[t.port].node])
			bits_set(differ, t.port);
		else
			diff_add(out, CHANGE_QOS, t.port, qos_table_modifier(s, &t));
	}
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		if (optimized[s->switches[sw]])
			add_outputs(s, plan, walk, differ, &s->nodes[s->switches[sw]], out);
	free(optimized);
	free(differ);
	qos_walk_free(walk);
}

bool
diff_qos_table(const struct snapshot *s, const struct change *c, uint32_t i, struct qos_table *t)
{
	const struct fab_node *n = &s->nodes[s->ports[c->subject].node];
	uint32_t ports = n->nports + 1u;

	*t = (struct qos_table){ .port = c->subject };
	if (c->block & CHANGE_QOS_VLARB) {
		t->block = (uint8_t)((c->block & ~CHANGE_QOS_VLARB) >> 16);
		return i == 0;
	}
	switch (c->block & CHANGE_QOS_ALL_PAIRS) {
	case CHANGE_QOS_ALL_PAIRS:
		t->port = n->first_port + i / ports;
		t->in = (uint8_t)(i % ports);
		return i < ports * ports;
	case CHANGE_QOS_ALL_INPUTS:
		t->in = (uint8_t)i;
		return i < ports;
	default:
		t->in = (uint8_t)(c->block >> 8);
		return i == 0;
	}
}

const uint8_t *
diff_qos_payload(const struct snapshot *s, const struct plan *plan, const struct change *c, uint8_t buf[static 64])
{
	struct qos_table t = { .port = c->subject };

	memset(buf, 0, 64);
	if (c->block & CHANGE_QOS_VLARB || !(c->block & CHANGE_QOS_ALL_PAIRS))
		diff_qos_table(s, c, 0, &t);
	if (!qos_plan_table(&plan->qos, s, &t, buf))
		bug("diff: a table of lanes for a port that has none");
	return buf;
}
