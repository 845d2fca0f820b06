/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fabric.c - provides the fabric: from a file, from a heddled on this host, or by discovery.
 * Room: diags/fabric.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/ask/replay.h"
#include "diags/ask/saved.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/fabric_int.h"
#include "util/xalloc.h"

void
diag_fabric_clear(struct diag_fabric *f)
{
	snapshot_free(f->s);
	free(f->order);
	*f = (struct diag_fabric){ 0 };
}

/* Orders nodes breadth first from the own node, by ascending port; unconnected nodes come last. The
 * result is reversed. */
uint32_t *
fabric_order(const struct snapshot *s)
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

/* Returns the length of the longest route: routes end at hosts, and continue at a switch over every
 * link except the one that they came by. */
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
snapshot_adopt(struct diag_fabric *f, struct snapshot *s)
{
	*f = (struct diag_fabric){ .s = s, .order = fabric_order(s), .max_hops = longest_route(s) };
}

/* Reports what discovery could not read, one entry each. */
static void
report_problems(struct diag *d, const struct snapshot *s)
{
	static const char *const codes[] = {
		[FAB_UNRESPONSIVE] = "timeout", [FAB_UNANSWERED] = "timeout",
		[FAB_BAD_STATUS] = "mad_status", [FAB_BAD_REPLY] = "bad_reply",
		[FAB_DUPLICATE_GUID] = "bad_reply", [FAB_MOVED_CABLE] = "bad_reply",
		[FAB_TOO_FAR] = "unsupported",
	};
	char label[DIAG_LABEL_BYTES], name[32];

	for (uint32_t i = 0; i < s->nproblems; i++) {
		const struct fab_problem *t = &s->problems[i];
		struct diag_addr a = diag_addr_path(t->path, t->hop_count);
		struct diag_where w = { .addr = &a, .node_guid = t->guid, .port = t->port,
			.modifier = t->modifier, .mad_status = t->status };

		w.attribute = dgram_attr_name(CLASS_SM_DR, t->attr_id);
		snprintf(name, sizeof(name), "attribute 0x%04x", t->attr_id);
		if (!w.attribute)
			w.attribute = name;
		a.dr_slid = a.dr_dlid = 0;      /* shown in the form of discovered routes */
		if (t->kind == FAB_UNRESPONSIVE || t->kind == FAB_UNANSWERED)
			diag_warn(d, EXIT_PARTIAL, "timeout", &w, "timeout: %s %s %u",
				diag_label(&a, label), w.attribute, t->modifier);
		else
			diag_warn(d, EXIT_PARTIAL, codes[t->kind], &w, "%s: %s",
				diag_label(&a, label), t->reason);
	}
}

static int
take_saved(struct diag *d, const char *path, struct diag_fabric *f, struct saved *saved)
{
	int r = diag_saved_read(d, path, saved);

	*f = (struct diag_fabric){ 0 };
	if (r)
		return r;
	snapshot_adopt(f, saved->s);
	f->drawn = saved->drawn;
	if (!f->drawn)
		report_problems(d, f->s);
	return 0;
}

int
diag_fabric_load(struct diag *d, const char *path, struct diag_fabric *f)
{
	struct saved saved = { .s = NULL };
	int r = take_saved(d, path, f, &saved);

	capture_free(saved.c);
	snapshot_free(saved.twin);
	return r;
}

/* --load: later requests of the tool are answered from the same file. */
static int
file_load(struct diag *d, struct diag_fabric *f)
{
	struct saved saved = { .s = NULL };
	int r = take_saved(d, diag_settings(d)->load, f, &saved);

	engine_answers_set(d, saved.c);
	if (saved.c && !engine_is_open(d)) {
		engine_open(d, replay_open(saved.twin, saved.c), NULL);
		return r;
	}
	snapshot_free(saved.twin);
	capture_free(saved.c);
	return r;
}

static int
adopt_swept(struct diag *d, struct diag_fabric *f, struct snapshot *s)
{
	snapshot_adopt(f, s);
	f->mads = txn_stats(engine_txn(d))->all.sent;
	report_problems(d, s);
	return 0;
}

bool
diag_fabric_known(struct diag *d, struct diag_fabric *f, int *status)
{
	struct snapshot *s = NULL;

	*f = (struct diag_fabric){ 0 };
	*status = 0;
	if (diag_settings(d)->load) {
		diag_source_set(d, "file");
		*status = file_load(d, f);
		return true;
	}
	if (diag_settings(d)->live || fabric_from_daemon(d, &s))
		return false;
	diag_source_set(d, "daemon");
	snapshot_adopt(f, s);
	report_problems(d, s);
	return true;
}

int
diag_fabric(struct diag *d, unsigned wants, struct diag_fabric *f)
{
	struct snapshot *s = NULL;
	int r;

	if ((diag_settings(d)->load || !wants) && diag_fabric_known(d, f, &r))
		return r;
	*f = (struct diag_fabric){ 0 };
	r = fabric_sweep(d, wants, NULL, &s);
	return r ? r : adopt_swept(d, f, s);
}

int
diag_fabric_around(struct diag *d, const struct diag_addr *from, unsigned reach, bool beyond,
	struct diag_fabric *f)
{
	struct fabric_part part = { from, reach, beyond };
	struct snapshot *s = NULL;
	int r = fabric_sweep(d, 0, &part, &s);

	*f = (struct diag_fabric){ 0 };
	return r ? r : adopt_swept(d, f, s);
}
