/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_explain.c - `heddle-route explain`: the path between two ports, with a reason for each hop.
 * Room: cli/route.
 *
 * The reasons are computed from the tables and the topology, so tables of any program have them:
 * whether the next switch is nearer, how many ports lead to equally near switches, whether the path
 * leads up or down, and how many LIDs use the port.
 */
#include <config.h>
#include <stdlib.h>
#include "cli/route/commands.h"
#include "cli/route/names.h"
#include "cli/route/view.h"
#include "fabric/snapshot/swgraph.h"
#include "fabric/snapshot/walk.h"
#include "util/optab.h"

struct explain {
	struct tool *t;
	const struct view *v;
	struct arena arena;
	struct swgraph g;
	uint16_t *dist; /* by switch ordinal: hops to the destination's switch */
	uint32_t src, dst;
	uint16_t lid;
	int sl; /* -1: any, or several */
	unsigned sls; /* those of hosts of the switch and of replies; 0: unknown */
	struct walk walk;
};

static uint32_t
switch_of(const struct snapshot *s, uint32_t port)
{
	uint32_t sw = s->nodes[s->ports[port].node].sw;

	if (sw == FAB_NONE && s->ports[port].peer != FAB_NONE)
		sw = s->nodes[s->ports[s->ports[port].peer].node].sw;
	return sw;
}

static void
explain_init(struct explain *x)
{
	const struct snapshot *s = x->v->s;
	const struct lane_plan *p = x->v->tables.lanes;
	uint32_t from = switch_of(s, x->src), to = switch_of(s, x->dst), *queue;

	swgraph_make(s, &x->arena, &x->g);
	x->dist = arena_array(&x->arena, s->nswitches, sizeof(*x->dist));
	queue = arena_array(&x->arena, s->nswitches, sizeof(*queue));
	swgraph_distances(&x->g, &to, 1, x->dist, queue);
	x->lid = x->v->lids.base[x->dst];
	x->sl = -1;
	if (p && p->sl)
		x->sl = lanes_sl(p, from, to);
	else if (p && p->lid_sls)
		x->sls = p->lid_sls[(size_t)from * p->lid_stride + x->lid];
	if (x->sls && (x->sls & (x->sls - 1)) == 0)
		x->sl = __builtin_ctz(x->sls);
	walk_lid(s, &x->v->lids, &x->v->tables, x->src, x->lid, &x->walk);
}

/* Returns the reason why packets leave the switch 'sw' by the port 'out'. */
static const char *
hop_why(const struct explain *x, uint32_t sw, uint32_t out, char *buf, size_t len)
{
	const struct view *v = x->v;
	const struct fab_node *n = &v->s->nodes[v->s->switches[sw]];
	const uint16_t *rank = v->engine ? v->report.rank : NULL;
	uint32_t to = v->s->nodes[v->s->ports[v->s->ports[out].peer].node].sw;
	uint32_t same = 0, near = 0, lids = 0;
	int used = 0;

	if (to == FAB_NONE)
		return v->s->ports[out].peer == x->dst ? "the destination is at this port" :
							 "the port leads to another host";
	for (uint32_t i = x->g.group_first[sw]; i < x->g.group_first[sw + 1]; i++) {
		const struct swgraph_group *k = &x->g.groups[i];

		same += x->dist[k->to] == x->dist[to] ? k->nports : 0;
		near += x->dist[k->to] < x->dist[to] ? k->nports : 0;
	}
	for (uint32_t lid = 1; lid <= v->tables.top; lid++)
		lids += fwd_row(&v->tables, sw)[lid] == out - n->first_port;
	if (rank)
		used = snprintf(buf, len, "%s, ",
			rank[to] < rank[sw]         ? "up" :
				rank[to] > rank[sw] ? "down" :
						      "level");
	if (near)
		used += snprintf(buf + used, len - (size_t)used,
			"a detour: %u other ports are nearer", near);
	else if (same == 1)
		used += snprintf(buf + used, len - (size_t)used, "the only nearest port");
	else
		used += snprintf(buf + used, len - (size_t)used, "one of %u nearest ports", same);
	snprintf(buf + used, len - (size_t)used, ", %u LIDs use it", lids);
	return buf;
}

/* Returns the VL of hop 'i', or -1 without a lane plan or for the hop of a host. */
static int
hop_vl(const struct explain *x, unsigned i)
{
	const struct lane_plan *p = x->v->tables.lanes;
	uint32_t in;

	if (x->v->s->nodes[x->v->s->ports[x->walk.out[i]].node].sw == FAB_NONE)
		return -1;
	if (!p || x->sl < 0)
		return p ? -1 : 0;
	in = i ? x->walk.in[i - 1] : x->v->s->nodes[x->v->s->ports[x->walk.out[i]].node].first_port;
	return lanes_vl(p, in, x->walk.out[i], (uint8_t)x->sl);
}

static json_t *
hop_show(const struct explain *x, unsigned i)
{
	const struct snapshot *s = x->v->s;
	uint32_t out = x->walk.out[i], in = x->walk.in[i], sw = s->nodes[s->ports[out].node].sw;
	char a[NAMES_BYTES], b[NAMES_BYTES], buf[200];
	const char *why = sw == FAB_NONE ? "the source" : hop_why(x, sw, out, buf, sizeof(buf));
	int vl = hop_vl(x, i);

	if (vl >= 0)
		tool_text(x->t, "%3u  %s -> %s, VL %d: %s\n", i + 1, names_port(s, out, a),
			names_port(s, in, b), vl, why);
	else
		tool_text(x->t, "%3u  %s -> %s: %s\n", i + 1, names_port(s, out, a),
			names_port(s, in, b), why);
	return json_pack("{s:o, s:o, s:o, s:s}", "out", names_port_json(s, out), "in",
		names_port_json(s, in), "vl", vl < 0 ? json_null() : json_integer(vl), "why", why);
}

static int
explain_show(struct explain *x)
{
	const struct snapshot *s = x->v->s;
	bool arrived = x->walk.end == WALK_ARRIVED;
	char a[NAMES_BYTES], b[NAMES_BYTES];
	json_t *hops = json_array();

	tool_text(x->t, "%s (LID %u) to %s (LID %u)", names_port(s, x->src, a),
		x->v->lids.base[x->src], names_port(s, x->dst, b), x->lid);
	if (x->sl >= 0)
		tool_text(x->t, ", SL %d\n", x->sl);
	else
		tool_text(x->t, x->sls ? ", several SLs\n" : ", any SL\n");
	for (unsigned i = 0; i < x->walk.nhops && i < WALK_HOPS_MAX; i++)
		json_array_append_new(hops, hop_show(x, i));
	json_object_set_new(x->t->doc, "path",
		json_pack("{s:o, s:o, s:i, s:i, s:o, s:b, s:s, s:o}", "source",
			names_port_json(s, x->src), "destination", names_port_json(s, x->dst),
			"slid", (int)x->v->lids.base[x->src], "dlid", (int)x->lid, "sl",
			x->sl >= 0 ? json_integer(x->sl) : json_null(), "reached", (int)arrived,
			"end", walk_end_text(x->walk.end), "hops", hops));
	if (!arrived)
		tool_finding(x->t, "unreachable", "%s: %s", names_port(s, x->dst, b),
			walk_end_text(x->walk.end));
	return arrived ? EXIT_OK : EXIT_FINDINGS;
}

static int
explain_view(struct tool *t, const struct view *v)
{
	struct explain x = { .t = t, .v = v, .arena = ARENA_INIT };
	int r = names_find_end(t, v->s, &v->lids, t->operands[1], &x.src);

	if (!r)
		r = names_find_end(t, v->s, &v->lids, t->operands[2], &x.dst);
	if (r)
		return r;
	explain_init(&x);
	r = explain_show(&x);
	arena_clear(&x.arena);
	return r;
}

int
cmd_explain(struct tool *t)
{
	struct view v = { .arena = ARENA_INIT };
	struct scene c;
	int r = scene_open(t, &c);

	if (!r)
		r = view_make(t, &c, c.now, &v);
	if (!r || r == EXIT_FINDINGS)
		view_show(t, &v);
	if (!r)
		r = explain_view(t, &v);
	view_clear(&v);
	scene_clear(&c);
	return r;
}
