/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fabric.c - where the fabric comes from: a file, a heddled on this host, or a sweep.
 * Room: diags.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/common/diag_int.h"
#include "diags/common/fabric.h"
#include "diags/common/fabric_int.h"
#include "fabric/snapshot_json.h"
#include "fabric/topo.h"
#include "util/xalloc.h"

#define STATE_ACTIVE 4

void
diag_fabric_clear(struct diag_fabric *f)
{
	snapshot_free(f->s);
	free(f->order);
	*f = (struct diag_fabric){ 0 };
}

/* Breadth first from our own node, by ascending port; nodes that nothing leads to come last.  Then reversed. */
static uint32_t *
make_order(const struct snapshot *s)
{
	uint32_t *queue = xcalloc(s->nnodes + 1u, sizeof(*queue)), tail = 0, node, peer;
	bool *seen = xcalloc(s->nnodes + 1u, sizeof(*seen));

	queue[tail++] = s->ports[s->sm_port].node;
	seen[queue[0]] = true;
	for (uint32_t head = 0; head < s->nnodes; head++) {
		for (node = 0; head == tail; node++)
			if (!seen[node]) {
				seen[node] = true;
				queue[tail++] = node;
			}
		node = queue[head];
		for (unsigned p = 1; p <= s->nodes[node].nports; p++) {
			peer = s->ports[s->nodes[node].first_port + p].peer;
			if (peer == FAB_NONE || seen[s->ports[peer].node])
				continue;
			seen[s->ports[peer].node] = true;
			queue[tail++] = s->ports[peer].node;
		}
	}
	for (uint32_t i = 0; i < s->nnodes / 2; i++) {
		node = queue[i];
		queue[i] = queue[s->nnodes - 1 - i];
		queue[s->nnodes - 1 - i] = node;
	}
	free(seen);
	return queue;
}

/* Routes end at hosts; from a switch they go on over every cable but the one they came in by. */
static unsigned
longest_route(const struct snapshot *s)
{
	unsigned most = 0;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *n = &s->nodes[i];
		unsigned hops = n->hop_count;

		if (n->hop_count == FAB_NO_PATH)
			continue;
		for (unsigned p = 1; fab_is_switch(n) && p <= n->nports; p++)
			if (p != n->entry_port && s->ports[n->first_port + p].peer != FAB_NONE)
				hops = n->hop_count + 1u;
		most = hops > most ? hops : most;
	}
	return most;
}

static void
adopt(struct diag_fabric *f, struct snapshot *s)
{
	*f = (struct diag_fabric){ .s = s, .order = make_order(s), .max_hops = longest_route(s) };
}

/* What the sweep could not learn, one entry each. */
static void
report_troubles(struct diag *d, const struct snapshot *s)
{
	static const char *const codes[] = {
		[FAB_MUTE] = "timeout", [FAB_UNANSWERED] = "timeout", [FAB_BAD_STATUS] = "mad_status", [FAB_BAD_REPLY] = "bad_reply",
		[FAB_DUPLICATE_GUID] = "bad_reply", [FAB_MOVED_CABLE] = "bad_reply", [FAB_TOO_FAR] = "unsupported",
	};
	char label[DIAG_LABEL_BYTES], name[32];

	for (uint32_t i = 0; i < s->ntroubles; i++) {
		const struct fab_trouble *t = &s->troubles[i];
		struct diag_addr a = diag_addr_path(t->path, t->hop_count);
		struct diag_where w = { .addr = &a, .node_guid = t->guid, .port = t->port, .modifier = t->modifier, .mad_status = t->status };

		w.attribute = dgram_attr_name(CLASS_SM_DR, t->attr_id);
		snprintf(name, sizeof(name), "attribute 0x%04x", t->attr_id);
		if (!w.attribute)
			w.attribute = name;
		a.dr_slid = a.dr_dlid = 0;      /* as routes are shown that a sweep found */
		if (t->kind == FAB_MUTE || t->kind == FAB_UNANSWERED)
			diag_warn(d, EXIT_PARTIAL, "timeout", &w, "timeout: %s %s %u", diag_label(&a, label), w.attribute, t->modifier);
		else
			diag_warn(d, EXIT_PARTIAL, codes[t->kind], &w, "%s: %s", diag_label(&a, label), t->reason);
	}
}

static int
load_topo(struct diag *d, const char *path, struct diag_fabric *f)
{
	struct topo_error e;
	struct snapshot *s;
	struct topo t;
	int r;

	if (topo_read_file(path, &t, &e))
		return diag_fail(d, EXIT_USAGE, "config", "%s", e.text);
	r = snapshot_from_topo(&t, FAB_NONE, STATE_ACTIVE, &s);
	topo_clear(&t);
	if (r)
		return diag_fail(d, EXIT_USAGE, "config", "%s has no nodes", path);
	adopt(f, s);
	f->drawn = true;
	return 0;
}

/* A document of a tool has the snapshot under "snapshot"; a bare one is read too. */
static int
load_json(struct diag *d, const char *path, struct diag_fabric *f)
{
	char why[SNAPSHOT_WHY_BYTES];
	struct snapshot *s;
	json_error_t e;
	json_t *o = json_load_file(path, JSON_REJECT_DUPLICATES, &e), *snapshot;
	int r;

	if (!o)
		return diag_fail(d, EXIT_USAGE, "config", "%s:%d: %s", path, e.line, e.text);
	snapshot = json_object_get(o, "snapshot");
	r = snapshot_from_json(snapshot ? snapshot : o, &s, why);
	json_decref(o);
	if (r)
		return diag_fail(d, EXIT_USAGE, "config", "%s: %s", path, why);
	adopt(f, s);
	report_troubles(d, s);
	return 0;
}

int
diag_fabric_save(struct diag *d, const struct diag_fabric *f, const char *path)
{
	json_t *o = json_object();
	int r;

	json_object_set_new(o, "schema", json_string("heddle.snapshot"));
	json_object_set_new(o, "schema_version", json_string("1.0"));
	json_object_set_new(o, "snapshot", snapshot_to_json(f->s));
	r = json_dump_file(o, path, JSON_COMPACT);
	json_decref(o);
	return r ? diag_fail(d, EXIT_USAGE, "io", "cannot write %s", path) : 0;
}

int
diag_fabric_load(struct diag *d, const char *path, struct diag_fabric *f)
{
	FILE *in = fopen(path, "r");
	int c;

	*f = (struct diag_fabric){ 0 };
	if (!in)
		return diag_fail(d, EXIT_USAGE, "config", "cannot read %s: %s", path, strerror(errno));
	do
		c = getc(in);
	while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	fclose(in);
	return c == '{' ? load_json(d, path, f) : load_topo(d, path, f);
}

int
diag_fabric(struct diag *d, unsigned wants, struct diag_fabric *f)
{
	struct snapshot *s = NULL;
	int r;

	*f = (struct diag_fabric){ 0 };
	if (d->set.load) {
		d->source = "file";
		return diag_fabric_load(d, d->set.load, f);
	}
	if (!d->set.live && !wants && fabric_from_daemon(d, &s) == 0) {
		d->source = "daemon";
		adopt(f, s);
		report_troubles(d, s);
		return 0;
	}
	r = fabric_sweep(d, wants, &s);
	if (r)
		return r;
	adopt(f, s);
	f->mads = txn_stats(engine_txn(d))->all.sent;
	report_troubles(d, s);
	return 0;
}
