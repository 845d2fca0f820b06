/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * begin.c - begins sweeps: whole ones and targeted ones.
 * Room: sm/sweep.  In: reasons to sweep, what is served.  Out: the discovery of a sweep.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover.h"
#include "sm/plan/plan.h"
#include "sm/planner/sweep_job.h"
#include "sm/sweep/begin.h"
#include "sm/sweep/early.h"
#include "sm/sweep/finish.h"
#include "sm/sweep/state.h"
#include "sm/sweep/targeted.h"

/* ---- tables that are known from an earlier sweep and not read again ---- */

static const uint8_t *
lft_cached(void *arg, uint64_t guid, uint16_t top, uint32_t *blocks)
{
	const struct sweep *w = arg;
	const struct served *v = &w->net->served;
	uint32_t n, sw;

	if (!v->s || !v->plan || sweep_is_unsure(w))
		return NULL;
	n = snapshot_node_by_guid(v->s, guid);
	if (n == FAB_NONE || (sw = v->s->nodes[n].sw) == FAB_NONE || top != v->plan->fwd.top ||
	    !observed_lft_known(v->observed, sw))
		return NULL;
	*blocks = top / 64 + 1u;
	return fwd_row(&v->plan->fwd, sw);
}

static enum discover_extended
known_extended(void *arg, uint64_t guid)
{
	const struct served *v = &((const struct sweep *)arg)->net->served;
	uint32_t n = v->s ? snapshot_node_by_guid(v->s, guid) : FAB_NONE;
	const struct fab_node *node;
	bool known = false;

	if (n == FAB_NONE)
		return DISCOVER_EXTENDED_UNKNOWN;
	node = &v->s->nodes[n];
	if (node->flags & FAB_NODE_NOT_EXTENDED)
		return DISCOVER_EXTENDED_REFUSED;
	for (uint32_t p = node->first_port; p <= node->first_port + node->nports; p++) {
		if (snapshot_port_modifier(v->s, p) & PORT_INFO_EXTENDED_SPEEDS)
			return DISCOVER_EXTENDED_YES;
		known |= v->s->ports[p].flags & FAB_PORT_INFO;
	}
	return known ? DISCOVER_EXTENDED_NO : DISCOVER_EXTENDED_UNKNOWN;
}

static struct discover_conf
discover_conf_of(struct sweep *w)
{
	return (struct discover_conf){
		.want_desc = true, .want_pkeys = true, .want_ports = true, .want_lft = true,
		.lft_later = true,
		.mkeys = subnet_mkeys(w->net), .target_base = TARGET_NODES,
		.cached_lft = lft_cached, .known_extended = known_extended,
		.cached_rows = w->net->served.plan ? w->net->served.plan->fwd.rows : NULL,
		.arg = w,
	};
}

static void
begin(struct sweep *w, const char *why)
{
	schedule_begun(w->net);
	w->release.by_this_sweep = w->release.state == RELEASE_ASKED;
	memset(&w->cur, 0, sizeof(w->cur));
	w->cur.started = w->net->now;
	snprintf(w->cur.why, sizeof(w->cur.why), "%s", why);
	sweep_phase_begin(w);
	txn_targets_reset(w->net->txn);
	loss_begin(&w->loss);
}

void
sweep_start(struct sweep *w, const char *why)
{
	struct discover_conf c = discover_conf_of(w);
	struct discover_place *silent;

	log_line(w->net->log, LOG_DETAIL, "sweep", "whole sweep: %s", why);
	begin(w, why);
	w->watch->light.since = 0;
	c.one_per_guid = true;
	c.before = w->net->served.s;
	c.nknown = missing_silent(w->watch->missing, &silent);
	c.known = silent;
	w->discover = discover_new(&c, w->net->log);
	free(silent);
	sweep_set_state(w, SWEEP_DISCOVER);
}

void
sweep_start_after_report(struct sweep *w, const char *why)
{
	struct schedule_places places = w->net->schedule.places;
	struct monotime due = w->net->schedule.next_sweep;
	const char *refusal = targeted_refusal(w);
	struct discover_conf c;

	if (refusal) {
		log_line(w->net->log, LOG_DETAIL, "sweep", "everything is read: %s", refusal);
		sweep_start(w, why);
		return;
	}
	log_line(w->net->log, LOG_DETAIL, "sweep", "targeted sweep, %u nodes: %s", places.n, why);
	begin(w, why);
	w->cur.targeted = true;
	w->history.due = due;
	c = discover_conf_of(w);
	c.seed = w->net->served.s;
	c.suspects = places.guids;
	c.nsuspects = places.n;
	w->discover = discover_new(&c, w->net->log);
	sweep_set_state(w, SWEEP_DISCOVER);
}

void
sweep_widen(struct sweep *w, const char *why)
{
	char cause[sizeof(w->cur.why)];

	snprintf(cause, sizeof(cause), "%s", w->cur.why);
	log_line(w->net->log, LOG_DETAIL, "sweep",
		"reading what has changed is not sufficient: %s", why);
	sweep_abandon(w);
	sweep_start(w, cause);
}

void
sweep_do_without_stored(struct sweep *w)
{
	char cause[sizeof(w->cur.why)];

	snprintf(cause, sizeof(cause), "%s", w->job->cur.why);  /* the job has the result so far */
	log_line(w->net->log, LOG_NOTE, "sweep",
		"the switches do not have the stored forwarding tables: sweeping again without them");
	sweep_abandon(w);
	early_end(w);
	early_forget(w);
	sweep_start(w, cause);
}

bool
sweep_discover_continues(struct sweep *w)
{
	const char *why = w->cur.targeted ? discover_spoiled(w->discover) : NULL;
	uint64_t answered, open;
	uint32_t nodes;

	if (!why)
		return true;
	subnet_cancel(w->net, OWN_DISCOVER);
	discover_progress(w->discover, &nodes, &answered, &open);
	if (open)
		return false;
	sweep_widen(w, why);
	return true;
}
