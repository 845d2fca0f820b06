/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibidsverify.c - reports LIDs and GUIDs of a subnet that are zero or not unique.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "util/xalloc.h"

/* An identifier that was seen, with its first owner: of a LID the node GUID, of a GUID the LID. */
struct met {
	UT_hash_handle hh;
	uint64_t id, owner;
};

struct ibidsverify {
	struct met *lids, *nodes, *ports;
	const struct selection *selection;
};

/* Returns the first owner of 'id', or NULL; then 'owner' becomes the first owner. */
static const struct met *
owner_meet(struct met **set, uint64_t id, uint64_t owner)
{
	struct met *m;

	HASH_FIND(hh, *set, &id, sizeof(id), m);
	if (m)
		return m;
	m = xcalloc(1, sizeof(*m));
	m->id = id;
	m->owner = owner;
	HASH_ADD(hh, *set, id, sizeof(m->id), m);
	return NULL;
}

static void
owners_forget(struct met **set)
{
	struct met *m, *next;

	HASH_ITER(hh, *set, m, next) {
		HASH_DEL(*set, m);
		free(m);
	}
}

/* Reports a duplicate in one sentence, as text and as a finding about the port. */
static void
duplicate_found(struct diag *d, const struct diag_fabric *f, const struct fab_port *p,
	const char *code, const char *text)
{
	json_t *detail = json_object(), *ends = json_array();
	char object[64];

	snprintf(object, sizeof(object), "0x%016" PRIx64 "/%u", fab_node_of(f, p)->guid, p->num);
	json_array_append_new(ends, fab_json_end(d, f, p));
	json_object_set_new(detail, "ends", ends);
	json_object_set_new(detail, "value", json_integer(fab_lid(f, p)));
	diag_text(d, "%s\n", text);
	diag_finding(d, "error", code, object, detail, "%s", text);
}

static void
check_lid(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	struct ibidsverify *seen = diag_state(d);
	const struct fab_node *n = fab_node_of(f, p);
	const struct met *first;
	uint16_t lid = fab_lid(f, p);
	char text[160];

	if (!lid) {
		snprintf(text, sizeof(text), "LID 0 found for %s NodeGUID 0x%" PRIx64,
			fab_type_word(n->type), n->guid);
		duplicate_found(d, f, p, "lid_zero", text);
		return;
	}
	first = owner_meet(&seen->lids, lid, n->guid);
	if (!first)
		return;
	snprintf(text, sizeof(text), "LID %u already defined for NodeGUID 0x%" PRIx64, lid,
		first->owner);
	duplicate_found(d, f, p, "lid_duplicate", text);
}

static void
check_guid(struct diag *d, const struct diag_fabric *f, const struct fab_port *p, struct met **set,
	uint64_t guid, const char *kind)
{
	struct ibidsverify *seen = diag_state(d);
	const struct fab_node *n = fab_node_of(f, p);
	const struct met *first;
	char text[160];
	bool node = set == &seen->nodes;

	if (!guid) {
		snprintf(text, sizeof(text), "%s GUID 0x0 found with LID %u",
			fab_type_word(n->type), fab_lid(f, p));
		duplicate_found(d, f, p, node ? "node_guid_zero" : "port_guid_zero", text);
		return;
	}
	first = owner_meet(set, guid, fab_lid(f, p));
	if (first) {
		snprintf(text, sizeof(text), "%sGUID 0x%" PRIx64 " already defined for LID %"
			PRIu64, kind, guid, first->owner);
		duplicate_found(d, f, p, node ? "node_guid_duplicate" : "port_guid_duplicate",
			text);
	}
}

static void
check_port_guid(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	struct ibidsverify *seen = diag_state(d);
	const struct met *other;
	char text[160];
	uint64_t guid = p->guid;
	bool known;

	HASH_FIND(hh, seen->ports, &guid, sizeof(guid), other);
	known = other;
	check_guid(d, f, p, &seen->ports, guid, "Port");
	if (known || !guid || guid == fab_node_of(f, p)->guid)
		return;
	HASH_FIND(hh, seen->nodes, &guid, sizeof(guid), other);
	if (!other)
		return;
	snprintf(text, sizeof(text), "PortGUID 0x%" PRIx64 " is an invalid duplicate of a NodeGUID",
		guid);
	duplicate_found(d, f, p, "port_guid_is_node_guid", text);
}

static void
duplicate_row(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "local", fab_json_end(d, f, p));
	json_object_set_new(o, "lmc", json_integer(fab_lmc(f, p)));
	diag_row(d, "ports", o);
}

/* Checks the ports of a node that own LIDs; the node GUID is checked with the first of them. */
static void
check_node(struct diag *d, const struct diag_fabric *f, const struct fab_node *n)
{
	struct ibidsverify *seen = diag_state(d);
	bool first = true;
	unsigned last = fab_is_switch(n) ? 0 : n->nports;

	for (unsigned i = fab_is_switch(n) ? 0 : 1; i <= last; i++) {
		const struct fab_port *p = fab_port_of(f, n, i);

		if ((i && p->peer == FAB_NONE) || !select_port(seen->selection, p))
			continue;
		check_lid(d, f, p);
		if (first)
			check_guid(d, f, p, &seen->nodes, n->guid, "Node");
		check_port_guid(d, f, p);
		first = false;
		duplicate_row(d, f, p);
	}
}

/* Reports node GUIDs that discovery found in a second location; the snapshot has only the first of
 * them. */
static void
check_twins(struct diag *d, const struct diag_fabric *f)
{
	for (uint32_t i = 0; i < f->s->nproblems; i++) {
		const struct fab_problem *t = &f->s->problems[i];
		uint32_t node = snapshot_node_by_guid(f->s, t->guid);
		const struct fab_port *p;
		char text[160];

		if (t->kind != FAB_DUPLICATE_GUID || node == FAB_NONE)
			continue;
		p = fab_port_of(f, &f->s->nodes[node], fab_is_switch(&f->s->nodes[node]) ? 0 :
			f->s->nodes[node].entry_port);
		snprintf(text, sizeof(text), "NodeGUID 0x%" PRIx64 " already defined for LID %u",
			t->guid, fab_lid(f, p));
		duplicate_found(d, f, p, "node_guid_duplicate", text);
	}
}

static int
option(struct diag *d, int id, const char *value)
{
	(void)d;
	(void)value;
	/* -R is accepted without effect: each run discovers the fabric */
	return id == 'R' ? 0 : -ENOENT;
}

static int
ibidsverify_run(struct diag *d, int argc, char **argv)
{
	struct ibidsverify *seen = diag_state(d);
	struct diag_fabric f = { 0 };
	struct selection *selection = NULL;
	int r;

	(void)argv;
	if (argc)
		return diag_usage(d, "no operand is expected");
	r = diag_fabric(d, 0, &f);
	if (!r)
		r = diag_selection(d, &f, &selection);
	seen->selection = selection;
	for (uint8_t type = 1; !r && type <= 3; type++) {
		static const uint8_t order[] = { 0, 2, 1, 3 };

		DIAG_EACH_NODE(&f, i, n, order[type])
			check_node(d, &f, n);
	}
	if (!r) {
		check_twins(d, &f);
		fab_summary(d, &f);
	}
	owners_forget(&seen->lids);
	owners_forget(&seen->nodes);
	owners_forget(&seen->ports);
	select_free(selection);
	if (f.s)
		diag_fabric_clear(&f);
	return r;
}

static const struct diag_option options[] = {
	{ 'R', "recalculate", NULL, "sweep the fabric again (always done)" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibidsverify", .operands = "",
	.about = "finds zero and duplicate LIDs and GUIDs in the subnet",
	.masked = "DGKLs", .options = options, .flags = DIAG_FABRIC, .rows = "ports",
	.option = option, .run = ibidsverify_run,
	.state_bytes = sizeof(struct ibidsverify),
};
