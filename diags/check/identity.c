/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * identity.c - reports GUIDs and names that are invalid or not unique.
 * Room: diags/check.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/core/names.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

struct named {
	uint32_t node;
	char name[DIAG_NAME_BYTES];     /* as shown: a node name map may make names unique */
};

static int
named_cmp(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : x->node < y->node ? -1 : x->node > y->node;
}

/* Checks nodes v[0..n), which have the same name. Nodes of one system may share a name; otherwise a
 * log cannot distinguish them. */
static void
one_name(struct check_run *c, const struct named *v, size_t n)
{
	const struct fab_node *first = &c->f.s->nodes[v[0].node], *other = NULL;
	size_t others = 0;

	for (size_t i = 1; i < n; i++)
		if (c->f.s->nodes[v[i].node].sys_guid != first->sys_guid) {
			other = other ? other : &c->f.s->nodes[v[i].node];
			others++;
		}
	if (other)
		check_find(c, CHECK_WARNING, "duplicate_name",
			&(struct check_about){ .a = check_node(c, first), .b = check_node(c, other),
			.object = v[0].name, .value = json_integer((json_int_t)n) },
			"%zu nodes have the name \"%s\": 0x%016" PRIx64 ", 0x%016" PRIx64 "%s", n,
			v[0].name, first->guid, other->guid, others > 1 ? ", ..." : "");
}

static void
names_check(struct check_run *c)
{
	static const uint8_t empty[NODE_DESC_BYTES];
	const struct snapshot *s = c->f.s;
	struct named *v = xcalloc(s->nnodes + 1u, sizeof(*v));
	size_t n = 0, first = 0;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *node = &s->nodes[i];

		if (!(node->flags & FAB_NODE_DESC))
			continue;
		v[n].node = i;
		fab_name(c->d, node, v[n].name);
		if (memcmp(node->desc, empty, sizeof(empty)))
			n++;
		else
			check_find(c, CHECK_INFO, "no_name",
				&(struct check_about){ .a = check_node(c, node) },
				"the %s 0x%016" PRIx64 " has no description",
				fab_type_word(node->type), node->guid);
	}
	qsort(v, n, sizeof(*v), named_cmp);
	for (size_t i = 1; n && i <= n; i++)
		if (i == n || strcmp(v[i].name, v[first].name)) {
			one_name(c, &v[first], i - first);
			first = i;
		}
	free(v);
}

static void
zero_guids(struct check_run *c)
{
	char name[CHECK_NAME_BYTES];

	for (uint32_t i = 0; i < c->f.s->nnodes; i++) {
		const struct fab_node *n = &c->f.s->nodes[i];
		const struct fab_port *p = check_node(c, n);

		if (!n->guid)
			check_find(c, CHECK_ERROR, "zero_guid", &(struct check_about){ .a = p },
				"%s has the node GUID 0", check_name(c, p, name));
		if (!n->sys_guid)
			check_find(c, CHECK_INFO, "zero_system_guid",
				&(struct check_about){ .a = p }, "%s has the system image GUID 0",
				check_name(c, p, name));
	}
	for (uint32_t i = 0; i < c->f.s->nendports; i++) {
		const struct fab_port *p = &c->f.s->ports[c->f.s->endports[i]];

		if (!p->guid)
			check_find(c, CHECK_ERROR, "zero_guid", &(struct check_about){ .a = p },
				"%s has the port GUID 0", check_name(c, p, name));
	}
}

static void
duplicates(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	char name[CHECK_NAME_BYTES], path[4 * DGRAM_PATH_BYTES], where[4 * DGRAM_PATH_BYTES],
		object[64];

	for (uint32_t i = 0; i < s->nproblems; i++) {
		const struct fab_problem *t = &s->problems[i];
		uint32_t n = snapshot_node_by_guid(s, t->guid);
		struct check_about w = { .a = n == FAB_NONE ? NULL : check_node(c, &s->nodes[n]),
			.object = object };

		if (t->kind != FAB_DUPLICATE_GUID)
			continue;
		snprintf(object, sizeof(object), "0x%016" PRIx64, t->guid);
		fab_path_text(t->path, t->hop_count, path, sizeof(path));
		fab_path_text(t->other_path, t->other_hop_count, where, sizeof(where));
		if (t->other_hop_count || t->other_path[0])
			check_find(c, CHECK_ERROR, "duplicate_guid", &w,
				"two nodes have the GUID 0x%016" PRIx64
				" (\"%s\"): at the routes %s and %s",
				t->guid, w.a ? check_name(c, w.a, name) : "?", where, path);
		else
			check_find(c, CHECK_ERROR, "duplicate_guid", &w, "the GUID 0x%016" PRIx64
				" (\"%s\") is used twice: %s (route %s)",
				t->guid, w.a ? check_name(c, w.a, name) : "?", t->reason, path);
	}
}

static void
identity_check(struct check_run *c)
{
	check_looked(c, "%u nodes, %u end ports", c->f.s->nnodes, c->f.s->nendports);
	duplicates(c);
	zero_guids(c);
	names_check(c);
}

const struct check check_identity = { .name = "identity",
	.about = "GUIDs and names that are duplicate or zero", .run = identity_check };
