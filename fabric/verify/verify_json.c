/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_json.c - the verifier's result as JSON.
 * Room: fabric/verify.  Pure.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include "fabric/verify/verify.h"
#include "fabric/snapshot/walk.h"

static json_t *
guid_json(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_string(text);
}

static json_t *
lost_json(const struct snapshot *s, const struct verify_result *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->nlost; i++) {
		const struct verify_walk *w = &r->lost[i];

		json_array_append_new(list, json_pack("{s:o, s:i, s:i, s:s}",
			"switch_guid", guid_json(s->nodes[w->switch_node].guid), "lid", (int)w->lid,
			"port", (int)w->port, "why", walk_end_text((enum walk_end)w->why)));
	}
	return list;
}

/* Each row: the link's receiving end and VL, and a destination (with a lane plan, and an SL) whose
 * packets continue by the next row's link. */
static json_t *
cycle_json(const struct snapshot *s, const struct verify_result *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->ncycle; i++) {
		const struct fab_port *in = &s->ports[r->cycle[i]];

		json_array_append_new(list, json_pack("{s:o, s:i, s:i, s:i, s:o}",
			"switch_guid", guid_json(s->nodes[in->node].guid), "in_port", (int)in->num,
			"vl", (int)r->cycle_vl[i], "lid", (int)r->cycle_lid[i],
			"sl", r->vls > 1 ? json_integer(r->cycle_sl[i]) : json_null()));
	}
	return list;
}

json_t *
verify_to_json(const struct snapshot *s, const struct verify_result *r)
{
	return json_pack("{s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:o, s:o, s:o}",
		"ok", (int)r->ok, "scope", r->scope == VERIFY_ALL ? "all" : "hosts",
		"unreachable", (json_int_t)r->unreachable,
		"unreachable_switch", (json_int_t)r->unreachable_switch,
		"loops", (json_int_t)r->loops, "credit_loops", (json_int_t)r->credit_loops,
		"walks", (json_int_t)r->walks, "channels", (json_int_t)r->channels,
		"dependencies", (json_int_t)r->dependencies,
		"vls", (int)r->vls, "lanes", r->lanes[0] ? json_string(r->lanes) : json_null(),
		"lost", lost_json(s, r), "cycle", cycle_json(s, r));
}
