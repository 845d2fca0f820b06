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

/* Each row: the cable's receiving end, and a destination whose packets go on by the next row's
 * cable. */
static json_t *
cycle_json(const struct snapshot *s, const struct verify_result *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->ncycle; i++) {
		const struct fab_port *in = &s->ports[r->cycle[i]];

		json_array_append_new(list, json_pack("{s:o, s:i, s:i, s:i}",
			"switch_guid", guid_json(s->nodes[in->node].guid), "in_port", (int)in->num,
			"vl", (int)r->cycle_vl, "lid", (int)r->cycle_lid[i]));
	}
	return list;
}

json_t *
verify_to_json(const struct snapshot *s, const struct verify_result *r)
{
	return json_pack("{s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}",
		"ok", (int)r->ok, "scope", r->scope == VERIFY_ALL ? "all" : "hosts",
		"unreachable", (json_int_t)r->unreachable,
		"unreachable_switch", (json_int_t)r->unreachable_switch,
		"loops", (json_int_t)r->loops, "credit_loops", (json_int_t)r->credit_loops,
		"walks", (json_int_t)r->walks, "channels", (json_int_t)r->channels,
		"dependencies", (json_int_t)r->dependencies,
		"lost", lost_json(s, r), "cycle", cycle_json(s, r));
}
