/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep.c - sweeps at the interval, abandons sweeps, and passes events to them.
 * Room: sm/sweep.  In: reasons to sweep, ends of transactions, ended jobs.  Out: requests and jobs.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover.h"
#include "fabric/read/guid_read.h"
#include "fabric/read/lft_read.h"
#include "fabric/read/mft_read.h"
#include "fabric/read/pkey_read.h"
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/sweep/course.h"
#include "sm/sweep/early.h"
#include "sm/sweep/finish.h"
#include "sm/sweep/state.h"
#include "sm/sweep/steps.h"
#include "sm/sweep/sweep.h"
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
	early_end(w);
	early_forget(w);
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

bool
sweep_reads_served(const struct sweep *w)
{
	return w->history.sealing != NULL;
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
	early_end(w);
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
	} while (w->state != was ||
		(w->state == SWEEP_WORK && w->job->ended && !w->read.plan_waits));
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
sweep_on_lft_end(struct sweep *w, const struct txn_end *e)
{
	if (w->read.lfts)
		lft_reader_end(w->read.lfts, e);
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
	if (j == w->history.sealing)
		w->history.sealing = NULL;
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
