/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * descriptions.c - reads node descriptions between sweeps.
 * Room: sm/watch.  In: traps 144, ends of transactions.  Out: requests; texts in the served
 * snapshot.
 */
#include <config.h>
#include <string.h>
#include "sm/watch/descriptions.h"

static struct description *
description_of(struct descriptions *l, int state, uint64_t guid)
{
	for (unsigned i = 0; i < DESCRIPTIONS_MAX; i++)
		if ((int)l->v[i].state == state && (state == DESC_FREE || l->v[i].guid == guid))
			return &l->v[i];
	return NULL;
}

void
descriptions_want(struct descriptions *l, struct subnet *n, uint64_t node_guid)
{
	struct description *d;

	if (description_of(l, DESC_WANTED, node_guid))
		return;
	d = description_of(l, DESC_FREE, 0);
	if (!d) {
		schedule_look_again(n, "trap 144: descriptions of many nodes changed");
		return;
	}
	d->state = DESC_WANTED;
	d->guid = node_guid;
}

void
descriptions_ask(struct descriptions *l, struct subnet *n)
{
	for (unsigned i = 0; i < DESCRIPTIONS_MAX; i++) {
		struct description *d = &l->v[i];
		uint32_t node = d->state == DESC_WANTED && n->served.s ?
			snapshot_node_by_guid(n->served.s, d->guid) :
			FAB_NONE;
		struct txn_req r = {
			.cookie = i,
			.mgmt_class = CLASS_SM_DR,
			.method = METHOD_GET,
			.attr_id = NODE_DESC_ID,
			.path = d->path,
		};

		if (d->state != DESC_WANTED)
			continue;
		d->state = DESC_FREE;
		if (node == FAB_NONE)
			continue;
		d->state = DESC_ASKED;
		memcpy(d->path, n->served.s->nodes[node].path, sizeof(d->path));
		r.hop_count = n->served.s->nodes[node].hop_count;
		r.mkey =
			subnet_mkey(n, n->served.s->ports[mkeys_node_port(n->served.s, node)].guid);
		txn_target_reset(n->txn, TARGET_DESC);  /* the target was another node before */
		subnet_submit(n, &r, OWN_DESC);
	}
}

void
descriptions_on_end(struct descriptions *l, const struct subnet *n, const struct txn_end *e)
{
	struct description *d = &l->v[e->cookie];
	uint32_t node = n->served.s ? snapshot_node_by_guid(n->served.s, d->guid) : FAB_NONE;

	d->state = DESC_FREE;
	if (e->kind != TXN_END_OK || node == FAB_NONE)
		return;
	d->state = DESC_READ;
	memcpy(d->text, dgram_smp_image(e->reply->mad), NODE_DESC_BYTES);
}

void
descriptions_keep(struct descriptions *l, struct subnet *n)
{
	for (unsigned i = 0; i < DESCRIPTIONS_MAX; i++) {
		struct description *d = &l->v[i];
		uint32_t node = d->state == DESC_READ && n->served.s ?
			snapshot_node_by_guid(n->served.s, d->guid) :
			FAB_NONE;

		if (d->state == DESC_READ)
			d->state = DESC_FREE;
		if (node != FAB_NONE)
			memcpy(n->served.s->nodes[node].desc, d->text, NODE_DESC_BYTES);
	}
}
