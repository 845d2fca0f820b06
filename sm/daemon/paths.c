/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * paths.c - io.heddle.Manager.Paths: the paths of one port to all others.
 * Room: sm/daemon.  In: what is served.  Out: JSON as sm/ctl/io.heddle.Manager.varlink says.
 * Subnet administration is asked, as the port itself would ask: what is told here is what it would be told.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

enum { P_SLID = 1 << 5, P_REVERSIBLE = 1 << 11, P_NUM_PATH = 1 << 12 };
enum { STRIDE = 64 };

/* A GetTable for one path, that works both ways, from 'lid' to every port. */
static uint32_t
ask(const struct manager_view *v, uint16_t lid, uint8_t **out)
{
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = METHOD_GET_TABLE,
		.attr_id = PATH_RECORD_ID,
	};
	struct dgram_sa_head sa = { .comp_mask = P_SLID | P_REVERSIBLE | P_NUM_PATH };
	struct path_record want = { .slid = lid, .reversible = 1, .num_path = 1 };
	struct dgram d = { .addr = { .lid = lid, .qpn = 1 }, .bytes = DGRAM_BYTES };
	struct sa_stats apart = { 0 };          /* nobody on the subnet asked */

	dgram_head_encode(d.mad, &h);
	dgram_sa_head_encode(d.mad, &sa);
	path_record_encode(d.mad + SA_HEAD_BYTES, &want);
	return sa_answer(v->sa, &d, &apart, out);
}

/* The LIDs to which paths are alike. */
struct group {
	uint8_t sl, mtu, rate;
	json_t *lids;
};

struct groups {
	struct group *v;
	unsigned n;
};

static json_t *
lids_of(struct groups *g, const struct path_record *p)
{
	unsigned i = 0;

	while (i < g->n && !(g->v[i].sl == p->sl && g->v[i].mtu == p->mtu && g->v[i].rate == p->rate))
		i++;
	if (i == g->n) {
		g->v = xreallocarray(g->v, ++g->n, sizeof(*g->v));
		g->v[i] = (struct group){ p->sl, p->mtu, p->rate, json_array() };
	}
	return g->v[i].lids;
}

static json_t *
groups_json(struct groups *g)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < g->n; i++)
		json_array_append_new(a, json_pack("{s:i, s:i, s:i, s:o}", "sl", g->v[i].sl, "mtu", g->v[i].mtu,
			"rate", g->v[i].rate, "lids", g->v[i].lids));
	free(g->v);
	return a;
}

json_t *
paths_json(const struct manager_view *v, uint32_t src, uint16_t lid)
{
	struct groups g = { NULL, 0 };
	uint8_t *answer = NULL;
	uint32_t bytes = ask(v, lid, &answer);

	for (uint32_t at = SA_HEAD_BYTES; dgram_status(answer) == STATUS_OK && at + STRIDE <= bytes; at += STRIDE) {
		struct path_record p = path_record_decode(answer + at);
		uint32_t owner = v->plan->lids.owner[p.dlid];

		if (v->plan->lids.base[owner] == p.dlid)
			json_array_append_new(lids_of(&g, &p), json_integer(p.dlid));
	}
	free(answer);
	return json_pack("{s:i, s:o, s:o, s:o}", "sweep", v->sweeps,
		"gid_prefix", json_sprintf("0x%016llx", (unsigned long long)v->gid_prefix), "source", control_end_json(v, src, lid),
		"paths", groups_json(&g));
}
