/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * identity.c - GUIDs and names that two have, or nobody should have.
 * Room: diags.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "util/xalloc.h"

static const struct snapshot *sorting;  /* qsort() hands no argument on */

static int
desc_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = memcmp(sorting->nodes[x].desc, sorting->nodes[y].desc, NODE_DESC_BYTES);

	return c ? c : x < y ? -1 : x > y;
}

/* Nodes of one system may share a name; others are told apart by nothing else in a log. */
static void
names(struct check_run *c)
{
	static const uint8_t empty[NODE_DESC_BYTES];
	const struct snapshot *s = c->f.s;
	uint32_t *order = xcalloc(s->nnodes + 1u, sizeof(*order)), first = 0;
	char name[DIAG_NAME_BYTES];

	for (uint32_t i = 0; i < s->nnodes; i++)
		order[i] = i;
	sorting = s;
	qsort(order, s->nnodes, sizeof(*order), desc_cmp);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *n = &s->nodes[order[i]], *m;

		if (!(n->flags & FAB_NODE_DESC))
			continue;
		if (!memcmp(n->desc, empty, sizeof(empty))) {
			check_find(c, CHECK_INFO, "no_name", &(struct check_about){ .a = check_node(c, n) },
				"the %s 0x%016" PRIx64 " has no description", fab_type_word(n->type), n->guid);
			continue;
		}
		if (memcmp(n->desc, s->nodes[order[first]].desc, NODE_DESC_BYTES)) {
			first = i;
			continue;
		}
		m = &s->nodes[order[first]];
		if (i == first || n->sys_guid == m->sys_guid)
			continue;
		check_find(c, CHECK_WARNING, "duplicate_name", &(struct check_about){ .a = check_node(c, m), .b = check_node(c, n) },
			"0x%016" PRIx64 " and 0x%016" PRIx64 " are both called \"%s\"", m->guid, n->guid, fab_name(c->d, n, name));
	}
	free(order);
}

static void
zero_guids(struct check_run *c)
{
	char name[CHECK_NAME_BYTES];

	for (uint32_t i = 0; i < c->f.s->nnodes; i++) {
		const struct fab_node *n = &c->f.s->nodes[i];
		const struct fab_port *p = check_node(c, n);

		if (!n->guid)
			check_find(c, CHECK_ERROR, "zero_guid", &(struct check_about){ .a = p }, "%s has the node GUID 0", check_name(c, p, name));
		if (!n->sys_guid)
			check_find(c, CHECK_INFO, "zero_system_guid", &(struct check_about){ .a = p }, "%s has the system image GUID 0",
				check_name(c, p, name));
	}
	for (uint32_t i = 0; i < c->f.s->nendports; i++) {
		const struct fab_port *p = &c->f.s->ports[c->f.s->endports[i]];

		if (!p->guid)
			check_find(c, CHECK_ERROR, "zero_guid", &(struct check_about){ .a = p }, "%s has the port GUID 0", check_name(c, p, name));
	}
}

static void
duplicates(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	char name[CHECK_NAME_BYTES], path[4 * DGRAM_PATH_BYTES], where[4 * DGRAM_PATH_BYTES], object[64];

	for (uint32_t i = 0; i < s->ntroubles; i++) {
		const struct fab_trouble *t = &s->troubles[i];
		uint32_t n = snapshot_node_by_guid(s, t->guid);
		struct check_about w = { .a = n == FAB_NONE ? NULL : check_node(c, &s->nodes[n]), .object = object };

		if (t->kind != FAB_DUPLICATE_GUID)
			continue;
		snprintf(object, sizeof(object), "0x%016" PRIx64, t->guid);
		fab_path_text(t->path, t->hop_count, path, sizeof(path));
		fab_path_text(t->other_path, t->other_hop_count, where, sizeof(where));
		if (t->other_hop_count || t->other_path[0])
			check_find(c, CHECK_ERROR, "duplicate_guid", &w, "two nodes have the GUID 0x%016" PRIx64 " (\"%s\"): at the routes %s and %s",
				t->guid, w.a ? check_name(c, w.a, name) : "?", where, path);
		else
			check_find(c, CHECK_ERROR, "duplicate_guid", &w, "the GUID 0x%016" PRIx64 " (\"%s\") is there twice: %s (route %s)",
				t->guid, w.a ? check_name(c, w.a, name) : "?", t->reason, path);
	}
}

static void
run(struct check_run *c)
{
	check_looked(c, "%u nodes, %u end ports", c->f.s->nnodes, c->f.s->nendports);
	duplicates(c);
	zero_guids(c);
	names(c);
}

const struct check check_identity = { .name = "identity", .about = "GUIDs and names that are there twice, or are zero", .run = run };
