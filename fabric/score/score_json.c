/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_json.c - scores as JSON.
 * Room: fabric/score.  Pure.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include "fabric/score/score.h"
#include "fabric/score/score_moves.h"

/* null where there is nothing to divide by. */
static json_t *
ratio(uint64_t sum, uint64_t n)
{
	return n ? json_real((double)sum / (double)n) : json_null();
}

static json_t *
port_json(const struct snapshot *s, uint32_t port)
{
	char guid[24];

	if (port == FAB_NONE)
		return json_null();
	snprintf(guid, sizeof(guid), "0x%016" PRIx64, s->nodes[s->ports[port].node].guid);
	return json_pack("{s:s, s:i}", "switch_guid", guid, "port", (int)s->ports[port].num);
}

static json_t *
hops_json(const struct score_result *r)
{
	uint64_t n = r->pairs - r->unreachable;
	json_t *list = json_array();
	unsigned last = SCORE_HOPS_MAX;

	while (last && !r->hops[last])
		last--;
	for (unsigned i = 0; i <= last; i++)
		json_array_append_new(list, json_integer((json_int_t)r->hops[i]));
	return json_pack("{s:i, s:o, s:o, s:o, s:o}", "max", (int)last, "mean",
		ratio(r->hops_sum, n), "shortest_mean", ratio(r->shortest_sum, n), "stretch",
		ratio(r->hops_sum, r->shortest_sum), "pairs", list);
}

static json_t *
levels_json(const struct score_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->nlevels; i++) {
		const struct score_level *l = &r->levels[i];

		json_array_append_new(list,
			json_pack("{s:i, s:i, s:I, s:I, s:I, s:o}", "from", (int)l->from, "to",
				(int)l->to, "ports", (json_int_t)l->ports, "min",
				(json_int_t)l->min, "max", (json_int_t)l->max, "mean",
				ratio(l->sum, l->ports)));
	}
	return list;
}

/* {NAME_max, NAME_mean, NAME_worst, NAME_tried}: null where none was tried. */
static void
set_perms(json_t *j, const char *name, const struct score_perms *p)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_max", name);
	json_object_set_new(j, key, p->n ? json_integer(p->max) : json_null());
	snprintf(key, sizeof(key), "%s_mean", name);
	json_object_set_new(j, key, ratio(p->sum, p->n));
	snprintf(key, sizeof(key), "%s_worst", name);
	json_object_set_new(j, key, p->n ? json_integer(p->worst) : json_null());
	snprintf(key, sizeof(key), "%s_tried", name);
	json_object_set_new(j, key, json_integer(p->n));
}

static json_t *
millionths(bool known, uint32_t ppm)
{
	return known ? json_real((double)ppm / 1e6) : json_null();
}

json_t *
score_to_json(const struct snapshot *s, const struct score_result *r)
{
	json_t *j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "switches", (json_int_t)r->switches,
		"hosts", (json_int_t)r->hosts, "ports", (json_int_t)r->ports, "vls",
		(json_int_t)r->vls, "pairs", (json_int_t)r->pairs, "unreachable",
		(json_int_t)r->unreachable);

	json_object_set_new(j, "a2a_max", json_integer(r->a2a_max));
	json_object_set_new(j, "a2a_mean", ratio(r->a2a_sum, r->ports));
	json_object_set_new(j, "a2a_ratio", ratio((uint64_t)r->a2a_max * r->ports, r->a2a_sum));
	json_object_set_new(j, "a2a_worst", port_json(s, r->a2a_port));
	set_perms(j, "shift", &r->shift);
	set_perms(j, "rp", &r->rp);
	json_object_set_new(j, "ebb", millionths(r->matchings, r->ebb_ppm));
	json_object_set_new(j, "ebb_error", millionths(r->matchings > 1, r->ebb_error_ppm));
	json_object_set_new(j, "ebb_tried", json_integer(r->matchings));
	json_object_set_new(j, "hops", hops_json(r));
	json_object_set_new(j, "levels", levels_json(r));
	return j;
}

json_t *
score_moves_to_json(const struct score_moves *m)
{
	static const char *const keys[] = { "entries", "entries_broken", "entries_restored",
		"entries_needless", "blocks", "blocks_needed", "switches_lost", "switches_new",
		"pairs", "moved", "broken", "needless", "lost", "restored", "pairs_gone",
		"pairs_new" };
	const uint64_t values[] = { m->entries, m->entries_broken, m->entries_restored,
		m->entries_needless, m->blocks, m->blocks_needed, m->switches_lost, m->switches_new,
		m->pairs, m->moved, m->broken, m->needless, m->lost, m->restored, m->pairs_gone,
		m->pairs_new };
	json_t *j = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set_new(j, keys[i], json_integer((json_int_t)values[i]));
	return j;
}
