/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trace.c - the path of a packet according to the served tables.
 * Room: sm/status. In: the served data. Out: JSON as in sm/ctl/io.heddle.Manager.varlink.
 */
#include <config.h>
#include <errno.h>
#include "fabric/snapshot/walk.h"
#include "sm/plan/pkey.h"
#include "sm/plan/plan.h"
#include "sm/status/ends.h"
#include "sm/status/trace.h"

static json_t *
hop_json(const struct served_view *v, uint32_t node, uint8_t in, uint8_t out)
{
	const struct fab_node *n = &v->s->nodes[node];

	return json_pack("{s:o, s:o, s:i, s:i}", "guid", ends_guid_json(n->guid), "description",
		ends_description_json(n), "in_port", in, "out_port", out);
}

static json_t *
hops_json(const struct served_view *v, uint32_t src, const struct walk *w)
{
	const struct snapshot *s = v->s;
	json_t *a = json_array();
	uint32_t node = s->ports[src].node;
	uint8_t in = 0;

	for (unsigned i = 0; i < w->nhops; i++) {
		json_array_append_new(a, hop_json(v, node, in, s->ports[w->out[i]].num));
		node = s->ports[w->in[i]].node;
		in = s->ports[w->in[i]].num;
	}
	json_array_append_new(a, hop_json(v, node, in, 0));
	return a;
}

static json_t *
pkeys_json(const uint16_t *keys, uint32_t n)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(a, json_sprintf("0x%04x", keys[i]));
	return a;
}

/* Returns the P_Key of a partition in which both ends are limited members; 0: there is none. */
static uint16_t
limited_pkey(const uint16_t *a, uint32_t na, const uint16_t *b, uint32_t nb)
{
	for (uint32_t i = 0; i < na; i++)
		for (uint32_t k = 0; k < nb; k++)
			if (a[i] == b[k] && !(a[i] & PKEY_MEMBER_FULL))
				return a[i];
	return 0;
}

/* Returns whether partitions allow packets between two ends; null if this SM serves no SA data. */
static json_t *
partition_json(const struct served_view *v, uint32_t src, uint32_t dst)
{
	const uint16_t *from, *to;
	uint32_t nfrom, nto;
	uint16_t key, limited;
	json_t *why = NULL;

	if (!v->sa)
		return json_null();
	nfrom = sa_port_pkeys(v->sa, src, &from);
	nto = sa_port_pkeys(v->sa, dst, &to);
	key = sa_pkey_between(v->sa, src, dst);
	limited = limited_pkey(from, nfrom, to, nto);
	if (!key && limited)
		why = json_sprintf("both are limited members of partition 0x%04x", limited);
	else if (!key)
		why = json_string("they have no partition in common");
	return json_pack("{s:b, s:o, s:o, s:o, s:o}", "allowed", key != 0, "pkey",
		key ? json_sprintf("0x%04x", key) : json_null(), "why", why ? why : json_null(),
		"source_pkeys", pkeys_json(from, nfrom), "destination_pkeys", pkeys_json(to, nto));
}

int
trace_json(const struct served_view *v, const char *from, const char *to, json_t **out)
{
	uint16_t from_lid = 0, to_lid = 0;
	uint32_t src, dst;
	struct walk w;

	if (!v->s || !v->plan) {
		*out = json_pack("{s:s}", "reason", "nothing has been routed by this manager yet");
		return -EAGAIN;
	}
	src = ends_by_name(v, from, &from_lid);
	dst = ends_by_name(v, to, &to_lid);
	if (src == FAB_NONE || dst == FAB_NONE) {
		*out = json_pack("{s:s}", "what", src == FAB_NONE ? from : to);
		return -ENOENT;
	}
	walk_lid(v->s, &v->plan->lids, &v->plan->fwd, src, to_lid, &w);
	*out = json_pack("{s:o, s:o, s:o, s:b, s:o, s:o}", "source", ends_json(v, src, from_lid),
		"destination", ends_json(v, dst, to_lid), "hops", hops_json(v, src, &w), "reached",
		w.end == WALK_ARRIVED, "why",
		w.end == WALK_ARRIVED ? json_null() : json_string(walk_end_text(w.end)),
		"partition", partition_json(v, src, dst));
	return 0;
}
