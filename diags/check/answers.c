/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * answers.c - reports nodes that did not answer, or answered wrongly.
 * Room: diags/check. Its input is the list of problems that discovery left in the snapshot.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/fabric/fabric.h"

/* Returns the port that a problem concerns, or NULL if the snapshot does not have its node. */
static const struct fab_port *
port_of(const struct check_run *c, const struct fab_problem *t)
{
	uint32_t i = snapshot_node_by_guid(c->f.s, t->guid);
	const struct fab_node *n;

	if (i == FAB_NONE)
		return NULL;
	n = &c->f.s->nodes[i];
	return fab_port_of(&c->f, n, t->port <= n->nports && (t->kind == FAB_UNRESPONSIVE ||
		fab_is_switch(n)) ? t->port : 0);
}

static void
report_problem(struct check_run *c, const struct fab_problem *t)
{
	const char *attr = dgram_attr_name(CLASS_SM_DR, t->attr_id);
	char name[CHECK_NAME_BYTES], path[4 * DGRAM_PATH_BYTES], object[5 * DGRAM_PATH_BYTES];
	struct check_about w = { .a = port_of(c, t) };

	fab_path_text(t->path, t->hop_count, path, sizeof(path));
	snprintf(object, sizeof(object), "path %s", path);
	if (w.a)
		check_name(c, w.a, name);
	else
		snprintf(name, sizeof(name), "the node at %s", path);
	w.object = w.a ? NULL : object;
	switch ((enum fab_problem_kind)t->kind) {
	case FAB_UNRESPONSIVE:
		check_find(c, CHECK_ERROR, "no_answer", &w,
			"the node connected to %s does not answer (route %s)", name, path);
		return;
	case FAB_UNANSWERED:
		check_find(c, CHECK_ERROR, "no_answer", &w, "%s does not answer %s%s (route %s)",
			name, attr ? attr : "a request",
			t->count > 1 ? " and other requests" : "", path);
		return;
	case FAB_BAD_STATUS: case FAB_BAD_REPLY:
		check_find(c, CHECK_ERROR, "bad_answer", &w,
			"%s sent an invalid answer: %s (route %s)", name, t->reason, path);
		return;
	case FAB_MOVED_CABLE:
		check_find(c, CHECK_WARNING, "fabric_changed", &w,
			"%s: %s; repeat the check when no cables are being moved", name, t->reason);
		return;
	case FAB_TOO_FAR:
		check_find(c, CHECK_WARNING, "too_far", &w, "%s: %s", name, t->reason);
		return;
	case FAB_DUPLICATE_GUID:
		return;                 /* the identity check reports it */
	}
}

static void
answers_check(struct check_run *c)
{
	check_looked(c, "%u nodes", c->f.s->nnodes);
	for (uint32_t i = 0; i < c->f.s->nproblems; i++)
		report_problem(c, &c->f.s->problems[i]);
}

const struct check check_answers = {
	.name = "answers", .about = "nodes that do not answer, or send invalid answers",
	.flags = CHECK_REGISTERS, .run = answers_check,
};
