/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * targeted.c - targeted sweeps: when they are sufficient.
 * Room: sm/sweep.  In: the served snapshot, results of earlier sweeps.  Out: reasons.
 */
#include <config.h>
#include "sm/conf/conf.h"
#include "sm/sweep/state.h"
#include "sm/sweep/targeted.h"

/* Problems of the last sweep, other than places where no node answers. */
static bool
has_other_problems(const struct sweep *w)
{
	const struct snapshot *s = w->net->served.s;

	for (uint32_t i = 0; i < s->nproblems; i++)
		if (s->problems[i].kind != FAB_UNRESPONSIVE)
			return true;
	return w->last.nproblems != s->nproblems;
}

/* A node that was left out has lost its links in the snapshot, and a table that could not be
 * written is not known. */
static bool
is_incomplete(const struct served *v)
{
	for (uint32_t i = 0; i < v->s->nnodes; i++)
		if (v->s->nodes[i].flags & (FAB_NODE_CUT | FAB_NODE_FAILED))
			return true;
	for (uint32_t sw = 0; sw < v->s->nswitches; sw++)
		if (!observed_lft_known(v->observed, sw))
			return true;
	return false;
}

static bool
names_own_node(const struct subnet *n)
{
	const struct snapshot *s = n->served.s;
	uint64_t own = s->nodes[s->ports[s->sm_port].node].guid;

	for (unsigned i = 0; i < n->schedule.places.n; i++)
		if (n->schedule.places.guids[i] == own)
			return true;
	return false;
}

const char *
targeted_refusal(const struct sweep *w)
{
	const struct subnet *n = w->net;
	const struct served *v = &n->served;

	if (!subnet_is_master(n) || !w->history.led || !v->s || !v->plan || !v->s->nswitches)
		return "no fabric is served yet";
	if (n->schedule.places.whole || !n->schedule.places.n)
		return "the report names no node";
	if (sweep_is_unsure(w))
		return "a sweep was given up while it wrote, or another manager may have written";
	if (w->release.state != RELEASE_NONE || w->lids.reassign)
		return "every port is written";
	if (flaps_count(w->watch->flaps))
		return "a link flaps";
	if (loss_tries(&w->loss, n->conf) > loss_tries(&(struct loss){ 0 }, n->conf))
		return "packets are lost";
	if ((w->last.outcome != OUTCOME_UP && w->last.outcome != OUTCOME_PARTIAL) ||
		has_other_problems(w) || is_incomplete(v))
		return "the sweep before left problems";
	if (names_own_node(n))
		return "our own node is concerned";
	return NULL;
}

const char *
targeted_contradiction(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nproblems; i++)
		if (s->problems[i].kind != FAB_UNRESPONSIVE)
			return "an answer contradicts what is known";
	return NULL;
}
