/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep.c - begins and abandons sweeps, and passes events to them.
 * Room: sm/sweep.  In: reasons to sweep, ends of transactions, ended jobs.  Out: requests and jobs.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover.h"
#include "fabric/read/guid_read.h"
#include "fabric/read/mft_read.h"
#include "fabric/read/pkey_read.h"
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/sweep/course.h"
#include "sm/sweep/finish.h"
#include "sm/sweep/state.h"
#include "sm/sweep/steps.h"
#include "sm/sweep/sweep.h"
#include "util/bits.h"
#include "util/xalloc.h"

static struct txn_conf
txn_conf_of(const struct sweep *w)
{
	return loss_txn_conf(&w->loss, w->net->conf);
}

void
sweep_init(struct sweep *w, const struct lid_id *lids, uint32_t nlids)
{
	struct txn_conf t = loss_txn_conf_widest(w->net->conf);

	t.tries = 1;                    /* room for the widest windows */
	w->net->txn = txn_new(&t);
	t = txn_conf_of(w);
	txn_set_conf(w->net->txn, &t);
	w->lids.reassign = w->net->conf->reassign_lids;
	w->lids.n = nlids;
	w->lids.rows = nlids ? xmemdup(lids, nlids * sizeof(*lids)) : NULL;
}

void
sweep_free(struct sweep *w)
{
	sweep_abandon(w);
	sweep_result_clear(&w->last);
	topology_clear(&w->history.topology, w->net);
	sweep_kept_clear(&w->history.kept);
	free(w->lids.rows);
}

void
sweep_set_conf(struct sweep *w)
{
	struct txn_conf t = txn_conf_of(w);

	txn_set_conf(w->net->txn, &t);
	/*
	 * The served QoS levels refer to the old configuration.  If QoS was off, it begins only
	 * after a sweep has written the tables.
	 */
	sweep_set_qos(w, w->net->served.qos);
}

bool
sweep_works(const struct sweep *w)
{
	return w->job && !w->job->ended;
}

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

void
sweep_start(struct sweep *w, const char *why)
{
	struct discover_conf c = {
		.want_desc = true, .want_pkeys = true, .want_ports = true, .want_lft = true,
		.mkeys = subnet_mkeys(w->net), .target_base = TARGET_NODES,
		.cached_lft = lft_cached, .known_extended = known_extended,
		.cached_rows = w->net->served.plan ? w->net->served.plan->fwd.rows : NULL,
		.arg = w, .one_per_guid = true, .before = w->net->served.s,
	};
	struct discover_place *silent;

	log_line(w->net->log, LOG_DETAIL, "sweep", "whole sweep: %s", why);
	schedule_begun(w->net);
	w->watch->light.since = 0;
	w->release.by_this_sweep = w->release.state == RELEASE_ASKED;
	memset(&w->cur, 0, sizeof(w->cur));
	w->cur.started = w->net->now;
	snprintf(w->cur.why, sizeof(w->cur.why), "%s", why);
	sweep_phase_begin(w);
	txn_targets_reset(w->net->txn);
	loss_begin(&w->loss);
	c.nknown = missing_silent(w->watch->missing, &silent);
	c.known = silent;
	w->discover = discover_new(&c, w->net->log);
	free(silent);
	sweep_set_state(w, SWEEP_DISCOVER);
}

void
sweep_on_interval(struct sweep *w)
{
	w->net->schedule.next_sweep = MONOTIME_NEVER;
	if (light_is_not_enough(&w->watch->light, w->net, w->history.problem_sweeps)) {
		sweep_start(w,
			w->history.problem_sweeps ? "something was left unconfigured" : "interval");
		return;
	}
	light_begin(&w->watch->light, w->net, w->election);
	sweep_set_state(w, SWEEP_LIGHT);
}

void
sweep_give_up(struct sweep *w)
{
	if (!sweep_is_idle(w))
		sweep_abandon(w);
	sweep_set_state(w, SWEEP_IDLE);
}

void
sweep_pump(struct sweep *w)
{
	enum sweep_state was;

	do {
		was = w->state;
		sweep_pump_state(w);
	} while (w->state != was || (w->state == SWEEP_WORK && w->job->ended));
}

bool
sweep_deadline(const struct sweep *w, struct monotime *at)
{
	return w->apply && apply_deadline(w->apply, at);
}

/* ---- ends of transactions and jobs ---- */

void
sweep_on_discover_end(struct sweep *w, const struct txn_end *e)
{
	if (w->discover)
		discover_end(w->discover, e);
}

void
sweep_on_apply_end(struct sweep *w, const struct txn_end *e)
{
	if (!w->apply)
		return;
	apply_set_time(w->apply, w->net->now);
	apply_end(w->apply, e);
}

void
sweep_on_read_end(struct sweep *w, const struct txn_end *e)
{
	if (w->read.pkeys)
		pkey_reader_end(w->read.pkeys, e);
	else if (w->read.guids)
		guid_reader_end(w->read.guids, e);
	else if (w->read.mfts)
		mft_reader_end(w->read.mfts, e);
}

bool
sweep_take_job(struct sweep *w, struct job *j)
{
	if (!w->job || j != &w->job->job)
		return false;
	w->job->ended = true;
	return true;
}

unsigned
sweep_take_events(struct sweep *w)
{
	unsigned events = w->history.events;

	w->history.events = 0;
	return events;
}

struct registry_sweep
sweep_for_registry(const struct sweep *w)
{
	return (struct registry_sweep){
		.plan = w->plan, .writes_guids = w->apply && apply_phase(w->apply) == CHANGE_GUIDS,
	};
}
