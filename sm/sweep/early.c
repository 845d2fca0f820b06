/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * early.c - stored forwarding tables between the store and subnet administration.
 * Room: sm/sweep.  Pure.  In: what was stored, what a sweep found.  Out: served.early; what to store.
 */
#include <config.h>
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/sweep/early.h"
#include "sm/sweep/state.h"

/* Tables of a large subnet are tens of megabytes, and traps may change them every second. */
#define STORE_INTERVAL_US 30000000

void
early_begin(struct sweep *w, uint8_t *bytes, size_t len)
{
	char why[96];

	w->history.stored.taken = MONOTIME_NEVER;
	if (!bytes)
		return;
	w->history.stored.before = sa_stored_read(bytes, len, why, sizeof(why));
	if (why[0])
		log_line(w->net->log, LOG_WARN, "store", "stored forwarding tables ignored: %s",
			why);
}

void
early_take(struct sweep *w, struct sweep_job *j)
{
	struct stored_tables *t = &w->history.stored;

	subnet_retire(w->net, (struct retired){ .e = t->early });
	t->early = j->stored.early;
	j->stored.early = NULL;
	if (!j->stored.from || t->early || !w->fresh || !w->fresh->nlinks)
		return;
	log_line(w->net->log, LOG_NOTE, "sa",
		"stored forwarding tables are not used, they are of another fabric: %s",
		j->stored.why);
	early_forget(w);
}

void
early_serve(struct sweep *w)
{
	struct stored_tables *t = &w->history.stored;
	uint32_t fit, all;
	bool same;

	if (w->history.led)
		return;
	early_end(w);
	if (!t->early)
		return;
	w->net->served.early = t->early;
	t->early = NULL;
	same = sa_early_fits(w->net->served.early, &fit, &all);
	log_line(w->net->log, LOG_NOTE, "sa",
		"answering from stored forwarding tables until the first sweep ends: %u of %u ports are as "
		"they were%s",
		fit, all, same ? "" : ", not all else is");
}

void
early_end(struct sweep *w)
{
	subnet_retire(w->net, (struct retired){ .e = w->net->served.early });
	w->net->served.early = NULL;
}

void
early_forget(struct sweep *w)
{
	struct stored_tables *t = &w->history.stored;

	subnet_retire(w->net, (struct retired){ .e = t->early, .d = t->before });
	t->early = NULL;
	t->before = NULL;
}

bool
early_store(struct sweep *w, bool last, struct sa_stored_doc *out)
{
	struct stored_tables *t = &w->history.stored;
	const struct served *v = &w->net->served;
	struct sa_stored_from f;

	if (!t->changed || !v->plan || sweep_is_unsure(w))
		return false;
	if (!last && t->taken.us != MONOTIME_NEVER.us &&
		!monotime_reached(w->net->now, monotime_add_us(t->taken, STORE_INTERVAL_US)))
		return false;
	t->changed = false;
	t->taken = w->net->now;
	f = (struct sa_stored_from){
		.s = v->s, .lids = &v->plan->lids, .fwd = &v->plan->fwd,
		.unknown = v->observed->lft_unknown, .gid_prefix = w->net->conf->subnet_prefix,
		.sm_lid = v->plan->sm_lid,
	};
	sa_stored_make(&f, out);
	return true;
}
