/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topology.c - the intended topology over the life of a manager.
 * Room: sm/planner.  In: a fresh snapshot, a stored document, commands.  Out: what engines take as
 * intended; a document for the store.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "sm/intended/document.h"
#include "sm/planner/sweep_job.h"
#include "sm/planner/topology.h"
#include "util/xalloc.h"

void
topology_init(struct topology *w, const char *text, size_t len)
{
	char why[INTENDED_WHY_BYTES];

	if (!text || !len)
		return;
	w->t = intended_text_read(text, len, why);
	if (!w->t)
		snprintf(w->unread, sizeof(w->unread), "the stored topology is not valid: %s", why);
}

void
topology_clear(struct topology *w, struct subnet *n)
{
	subnet_retire(n, (struct retired){ .t = w->t });
	intended_diff_free(w->diff);
	free(w->text);
	*w = (struct topology){ .t = NULL };
}

/* ---- in a job ---- */

void
topology_give(const struct topology *w, bool calm, struct topology_step *out)
{
	*out = (struct topology_step){
		.t = w->t, .young = w->young, .calm = calm, .held = w->held, .wish = w->wish
	};
}

/* Another topology on command; NULL: no command, or nothing could be learned. */
static struct intended *
obey(struct topology_step *v, const struct snapshot *s, const struct intended_conf *c)
{
	if (v->wish == TOPOLOGY_KEEP)
		return NULL;
	if (v->wish == TOPOLOGY_REBALANCE && v->t) {
		v->deed = TOPOLOGY_REBALANCED;
		return intended_rebalance(v->t, s, c);
	}
	v->deed = TOPOLOGY_ADOPTED;
	return intended_learn(s, c);
}

/* Learns a fabric that is whole, or a young one that has only grown. */
static struct intended *
learn(struct topology_step *v, const struct snapshot *s, const struct intended_conf *c)
{
	if (!v->calm || !intended_is_whole(s))
		return NULL;
	v->deed = TOPOLOGY_LEARNED;
	v->still_young = true;
	return intended_learn(s, c);
}

static struct intended *
follow(struct topology_step *v, const struct snapshot *s, const struct intended_conf *c)
{
	bool more, less;

	if (!v->t)
		return learn(v, s, c);
	v->diff = intended_compare(v->t, s);
	v->foreign = intended_diff_foreign(v->diff);
	if (v->foreign)
		return NULL;
	more = intended_diff_pending(v->diff) > 0;
	less = intended_diff_missing(v->diff) > 0;
	if (v->young && more && !less)
		return learn(v, s, c);
	v->still_young = v->young && less;
	if (!more)
		return NULL;
	v->deed = TOPOLOGY_GROWN;
	return intended_grow(v->t, s, c, &v->growth);
}

const struct intended *
topology_plan(struct sweep_job *j)
{
	const struct conf *conf = j->in.conf;
	struct intended_conf c = { .roots = conf->routing.roots,
		.nroots = (uint32_t)conf->routing.nroots,
		.compute = conf->routing.compute,
		.ncompute = (uint32_t)conf->routing.ncompute,
		.io = conf->routing.io,
		.nio = (uint32_t)conf->routing.nio };
	struct topology_step *v = &j->topology;

	if (!j->fresh->nswitches)
		return NULL;
	v->made = v->wish == TOPOLOGY_KEEP ? follow(v, j->fresh, &c) : obey(v, j->fresh, &c);
	if (v->made) {
		intended_diff_free(v->diff);
		v->diff = intended_compare(v->made, j->fresh);
		v->foreign = false;
		v->text = intended_text_write(v->made, &v->len);
		return v->made;
	}
	v->deed = TOPOLOGY_SAME;
	if (v->t && !v->diff)
		v->diff = intended_compare(v->t, j->fresh);
	return v->foreign ? NULL : v->t;
}

void
topology_withdraw(struct sweep_job *j)
{
	struct topology_step *v = &j->topology;

	v->held = true;
	if (v->deed != TOPOLOGY_LEARNED)
		return;
	v->deed = TOPOLOGY_SAME;
	v->still_young = false;
	intended_free(v->made);
	v->made = NULL;
	free(v->text);
	v->text = NULL;
	if (v->t) {
		intended_diff_free(v->diff);
		v->diff = intended_compare(v->t, j->fresh);
	}
}

void
topology_step_clear(struct topology_step *v)
{
	intended_free(v->made);
	intended_diff_free(v->diff);
	free(v->text);
	*v = (struct topology_step){ .t = NULL };
}

/* ---- on the manager's thread ---- */

static void
log_deed(const struct subnet *n, const struct topology_step *v)
{
	static const char *const words[] = {
		[TOPOLOGY_LEARNED] = "learned",
		[TOPOLOGY_ADOPTED] = "adopted as it is",
		[TOPOLOGY_REBALANCED] = "rebalanced",
	};
	const struct intended *t = v->made;

	if (v->deed == TOPOLOGY_GROWN)
		log_line(n->log, LOG_NOTE, "topology",
			"adopted: %u new hosts, %u moved, %u in the place of others, %u new leaf "
			"switches",
			v->growth.hosts, v->growth.moved, v->growth.replaced, v->growth.switches);
	else
		log_line(n->log, v->deed == TOPOLOGY_LEARNED ? LOG_DETAIL : LOG_NOTE, "topology",
			"%s: %u switches, %u links, %u hosts", words[v->deed], t->nsw, t->nlinks,
			t->nhosts);
}

/* Logs growth that waits for a command, whenever its amount changes. */
static void
log_pending(const struct topology *w, const struct subnet *n, const struct topology_step *v)
{
	uint32_t now = v->diff ? intended_diff_pending(v->diff) : 0;
	uint32_t before = w->diff ? intended_diff_pending(w->diff) : 0;

	if (v->foreign && !w->foreign)
		log_line(n->log, LOG_WARN, "topology",
			"the intended topology is of another fabric: %u of %u switches are known; "
			"it is not used, and routes that are legal stay as they are, until "
			"heddlectl topology adopt",
			v->diff->known, v->diff->present);
	else if (!v->foreign && now && now != before)
		log_line(n->log, LOG_NOTE, "topology",
			"%u new or contradicting switches, links and hosts are not part of the "
			"intended topology; see heddlectl topology show",
			now);
}

static void
log_held(const struct topology *w, const struct subnet *n, const struct topology_step *v)
{
	const char *why = "nothing is stored, and the forwarding tables in force do not follow "
			  "from the fabric as it is";

	if (v->t)
		why = "another manager led, and its forwarding tables do not follow from the "
		      "stored topology";
	if (v->held && !w->held && !v->foreign)
		log_line(n->log, LOG_WARN, "topology",
			"%s: entries that are legal stay as they are until heddlectl topology "
			"adopt or rebalance",
			why);
	else if (!v->held && w->held)
		log_line(n->log, LOG_NOTE, "topology",
			"the forwarding tables follow from the intended topology again");
}

void
topology_take(struct topology *w, struct subnet *n, struct topology_step *v)
{
	if (w->unread[0] && !w->text)
		log_line(n->log, LOG_ERROR, "topology", "%s", w->unread);
	log_pending(w, n, v);
	log_held(w, n, v);
	w->held = v->held;
	w->young = v->still_young;
	w->foreign = v->foreign;
	if (w->wish == v->wish)
		w->wish = TOPOLOGY_KEEP;
	intended_diff_free(w->diff);
	w->diff = v->diff;
	v->diff = NULL;
	if (!v->made)
		return;
	log_deed(n, v);
	w->unread[0] = '\0';
	subnet_retire(n, (struct retired){ .t = w->t });
	w->t = v->made;
	free(w->text);
	w->text = v->text;
	w->len = v->len;
	w->changed = true;
	v->made = NULL;
	v->text = NULL;
}
