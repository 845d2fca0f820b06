/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * result.c - the result of a sweep after its end.
 * Room: sm/planner.  In: snapshots, problems.  Out: numbers and names that outlive them.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/planner/result.h"
#include "util/grow.h"
#include "util/xalloc.h"

void
sweep_kept_clear(struct kept_state *k)
{
	route_state_free(k->s);
	verify_kept_free(k->proof);
	chain_seen_free(k->shape);
	groups_kept_clear(&k->groups);
	*k = (struct kept_state){ .engine = NULL };
}

void
sweep_result_clear(struct sweep_result *r)
{
	free(r->problems);
	json_decref(r->verify_doc);
	memset(r, 0, sizeof(*r));
}

struct sweep_problem *
sweep_result_add(struct sweep_result *r)
{
	GROW(r->problems, r->nproblems, r->cap_problems, 1);
	memset(&r->problems[r->nproblems], 0, sizeof(*r->problems));
	return &r->problems[r->nproblems++];
}

static void
count_ports(const struct snapshot *s, struct subnet_counts *c)
{
	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];
		uint8_t state = port_info_decode(p->info).state;

		if (p->num == 0)
			continue;
		if (p->peer == FAB_NONE) {
			c->unlinked++;
			continue;
		}
		c->linked++;
		c->active += state == PORT_STATE_ACTIVE;
		c->armed += state == PORT_STATE_ARMED;
		c->init += state == PORT_STATE_INIT;
		c->down += state < PORT_STATE_INIT;
	}
}

void
sweep_result_count(const struct snapshot *s, struct sweep_result *r)
{
	struct subnet_counts *c = &r->counts;

	*c = (struct subnet_counts){ .nodes = s->nnodes, .switches = s->nswitches, .hosts = s->nhosts, .links = s->nlinks };
	for (uint32_t i = 0; i < s->nnodes; i++) {
		c->cas += s->nodes[i].type == NODE_TYPE_CA;
		c->routers += s->nodes[i].type == NODE_TYPE_ROUTER;
	}
	count_ports(s, c);
	if (r->verified)
		r->verify_doc = verify_to_json(s, &r->verify);
}
