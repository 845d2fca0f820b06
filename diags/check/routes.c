/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * routes.c - checks the unicast forwarding tables: unreachable LIDs, loops, possible credit loops.
 * Room: diags/check. fabric/verify/verify.h finds them; this file names the switches and links.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/core/names.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/fabric/fabric.h"
#include "fabric/snapshot/walk.h"
#include "fabric/verify/verify.h"
#include "libmad/attr/sm_attr.h"

#define PATH_BYTES 400
#define LOOP_MAX 64

struct routes {
	struct check_run *c;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables tables;
};

/* Returns the switch to which 'n' forwards packets for 'lid', or NULL if the next hop is no
 * switch. */
static const struct fab_node *
next_switch(const struct routes *r, const struct fab_node *n, uint16_t lid)
{
	const struct snapshot *s = r->c->f.s;
	uint8_t port = lid <= r->tables.top ? fwd_row(&r->tables, n->sw)[lid] : FAB_LFT_DROP;
	uint32_t peer;

	if (!port || port > n->nports || (peer = s->ports[n->first_port + port].peer) == FAB_NONE)
		return NULL;
	n = &s->nodes[s->ports[peer].node];
	return fab_is_switch(n) ? n : NULL;
}

/* Formats the loop that 'from' leads into: "agg-0-0 -> core-0-1 -> agg-0-0". */
static const char *
circle(const struct routes *r, const struct fab_node *from, uint16_t lid, char *buf, size_t len)
{
	const struct fab_node *n = from, *start;
	char name[DIAG_NAME_BYTES];
	size_t at = 0;

	for (unsigned i = 0; i < LOOP_MAX && n; i++)
		n = next_switch(r, n, lid);
	start = n;
	buf[0] = '\0';
	for (unsigned i = 0; i < LOOP_MAX && n && at < len; i++) {
		at += (size_t)snprintf(buf + at, len - at, "%s%s", i ? " -> " : "",
			fab_name(r->c->d, n, name));
		if (i && n == start)
			break;
		n = next_switch(r, n, lid);
	}
	return buf;
}

static void
host_lost(const struct routes *r, const struct verify_walk *v)
{
	const struct check_run *c = r->c;
	uint32_t owner = v->lid <= r->lids.top ? r->lids.owner[v->lid] : FAB_NONE;
	const struct fab_node *at = &c->f.s->nodes[v->switch_node];
	struct check_about w = { .a = check_node(c, at), .b = owner == FAB_NONE ? NULL :
		&c->f.s->ports[owner], .value = json_integer(v->port) };
	char name[CHECK_NAME_BYTES] = "?", where[CHECK_NAME_BYTES], path[PATH_BYTES];

	check_name(c, w.a, where);
	if (w.b)
		check_name(c, w.b, name);
	if (v->why == WALK_LOOP)
		check_find(r->c, CHECK_ERROR, "routing_loop", &w,
			"packets to LID %u (%s) loop: %s", v->lid, name,
			circle(r, at, v->lid, path, sizeof(path)));
	else
		check_find(r->c, CHECK_ERROR, "unreachable", &w,
			"hosts cannot reach LID %u (%s): at %s the entry is %u, %s", v->lid, name,
			where, v->port,
			walk_end_text((enum walk_end)v->why));
}

/* Reports whether all links of the cycle have only one VL. With several VLs, service levels may
 * prevent the credit loop. */
static bool
has_one_vl(const struct check_run *c, const struct verify_result *v)
{
	for (unsigned i = 0; i < v->ncycle; i++)
		if (port_info_decode(c->f.s->ports[v->cycle[i]].info).operational_vls > 1)
			return false;
	return true;
}

static void
credit_loop(const struct routes *r, const struct verify_result *v)
{
	struct check_run *c = r->c;
	bool certain = has_one_vl(c, v);
	char path[PATH_BYTES] = "", name[DIAG_NAME_BYTES];
	size_t at = 0;
	struct check_about w = { .a = v->ncycle ? check_node(c,
		fab_node_of(&c->f, &c->f.s->ports[v->cycle[0]])) : NULL,
		.value = json_integer((json_int_t)v->credit_loops), .expected = json_integer(0) };

	for (unsigned i = 0; i < v->ncycle && at < sizeof(path); i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "%s%s", i ? " -> " : "",
			fab_name(c->d, fab_node_of(&c->f, &c->f.s->ports[v->cycle[i]]), name));
	check_find(c, certain ? CHECK_ERROR : CHECK_WARNING, "credit_loop", &w,
		"links can wait for each other forever: %s -> (the first)%s%s", path,
		v->credit_loops > 1 ? "; there are more credit loops" : "", certain ? "" :
		"; SL-to-VL tables that separate them by VL can prevent this");
}

static void
finding_report(const struct routes *r, const struct verify_result *v)
{
	struct check_run *c = r->c;

	for (unsigned i = 0; i < v->nlost; i++)
		host_lost(r, &v->lost[i]);
	if (v->nlost == VERIFY_EVIDENCE_MAX && v->unreachable > v->nlost)
		check_find(c, CHECK_ERROR, "unreachable_more",
			&(struct check_about){ .object = "fabric",
			.value = json_integer((json_int_t)v->unreachable) },
			"in total, %" PRIu64 " pairs of a leaf switch and a LID have no path, and "
			"packets to %" PRIu64 " LIDs loop", v->unreachable, v->loops);
	if (v->credit_loops && !v->loops)       /* a forwarding loop is always a credit loop too */
		credit_loop(r, v);
}

/* Reports whether all forwarding tables are known. A switch that no SM has configured has an empty
 * table. */
static bool
have_tables(struct check_run *c)
{
	uint32_t unread = 0, empty = 0;

	for (uint32_t i = 0; i < c->f.s->nswitches; i++) {
		const struct fab_node *n = &c->f.s->nodes[c->f.s->switches[i]];

		if (n->flags & FAB_NODE_SWITCH_INFO && !switch_info_decode(n->switch_info).lft_top)
			empty++;
		else if (!n->lft)
			unread++;
	}
	if (c->f.s->nswitches && empty == c->f.s->nswitches) {
		check_find(c, CHECK_ERROR, "no_routes", &(struct check_about){ .object = "fabric" },
			"no switch has a forwarding table: no subnet manager has configured the "
			"switches");
		return false;
	}
	if (!unread)
		return true;
	if (diag_settings(c->d)->load)
		check_skipped(c, "the file has no forwarding tables");
	else
		check_partial(c, "%" PRIu32 " switches did not return their tables", unread);
	return false;
}

static void
routes_check(struct check_run *c)
{
	struct routes r = { .c = c, .arena = ARENA_INIT };
	struct verify_result v;

	if (!have_tables(c))
		return;
	diag_progress(c->d, "following the forwarding tables");
	lid_map_observed(c->f.s, &r.arena, &r.lids);
	fwd_tables_observed(c->f.s, &r.lids, &r.arena, &r.tables);
	verify_tables(c->f.s, &r.lids, &r.tables, VERIFY_HOSTS, &v);
	check_looked(c, "%" PRIu64 " paths checked, %" PRIu64 " channel dependencies", v.walks,
		v.dependencies);
	finding_report(&r, &v);
	arena_clear(&r.arena);
}

const struct check check_routes = { .name = "routes",
	.about = "forwarding tables: unreachable LIDs, loops, credit loops",
	.wants = DIAG_WANT_LFT,
	.flags = CHECK_REGISTERS, .run = routes_check };
