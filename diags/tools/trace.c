/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trace.c - follows forwarding tables from place to place; multicast trees are searched breadth
 * first.
 * Room: diags/tools. Each walk begins again at its start and stops at the first fact that is not
 * known. It then queues all facts of that place together, to save rounds.
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/tools/trace.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define LFT_LIDS 64
#define MFT_LIDS 32
#define MFT_PORTS 16
#define MFT_POSITION_SHIFT 28

/* A walk and its destination. */
struct walk {
	struct facts *k;
	const struct trace_conf *c;
	struct trace *t;
	uint16_t lid;                   /* as requested */
	uint64_t guid; /* GUID of the port that has the LID; 0: unknown, only with 'force' */
	uint16_t base_lid;
};

__attribute__((format(printf, 3, 4))) static bool
broken(struct trace *t, const char *code, const char *fmt, ...)
{
	va_list ap;

	t->end = TRACE_BROKEN;
	t->code = code;
	va_start(ap, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
	return false;
}

/* Returns true if the fact is known and was answered. Otherwise the walk ends: as TRACE_WAITING, or
 * for good as TRACE_UNANSWERED. */
static bool
fact_have(struct walk *w, const struct fact *f, const char *what)
{
	char label[DIAG_LABEL_BYTES];
	struct diag_addr a;

	if (f && f->end == DIAG_OK)
		return true;
	w->t->end = f ? TRACE_UNANSWERED : TRACE_WAITING;
	w->t->missing = f;
	if (!f)
		return false;
	a = fact_address(f);
	snprintf(w->t->why, sizeof(w->t->why), "can't reach %s at %s", what, diag_label(&a, label));
	return false;
}

static const char *
name_of(struct walk *w, const struct place *p, char buf[static DIAG_NAME_BYTES])
{
	const struct fact *f = fact_get(w->k, p, FACT_DESC, 0);

	if (f && f->end == DIAG_OK)
		return diag_name(w->k->d, p->node_guid, f->data, buf);
	snprintf(buf, DIAG_NAME_BYTES, "0x%016" PRIx64, p->node_guid);
	return buf;
}

/* Queues all facts of a place that a walk to 'lid' needs. */
static void
look_around(struct walk *w, const struct place *p)
{
	fact_get(w->k, p, FACT_PORT, 0);
	if (w->c->names)
		fact_get(w->k, p, FACT_DESC, 0);
	if (p->type != NODE_TYPE_SWITCH) {
		fact_get(w->k, p, FACT_LINK, p->port);
		return;
	}
	fact_get(w->k, p, FACT_SWITCH, 0);
	fact_get(w->k, p, FACT_LFT, w->lid / LFT_LIDS);
}

static bool
look_up_target(struct walk *w)
{
	const struct fact *n = fact_get(w->k, NULL, FACT_LID_NODE, w->lid),
		*p = fact_get(w->k, NULL, FACT_LID_PORT, w->lid);

	w->base_lid = w->lid;
	if (n && p && w->c->force && (n->end != DIAG_OK || p->end != DIAG_OK)) {
		fact_report(w->k, n->end != DIAG_OK ? n : p);
		return true;
	}
	if (!fact_have(w, n, "port") || !fact_have(w, p, "port"))
		return false;
	w->guid = node_info_decode(n->data).port_guid;
	w->base_lid = port_info_decode(p->data).lid;
	return true;
}

/* Adds a step that enters 'p' by port 'in'. Returns false if its port is not active, or facts are
 * missing. */
static bool
step_on(struct walk *w, const struct place *p, uint8_t out, uint8_t in)
{
	const struct fact *f = fact_get(w->k, p, FACT_PORT, 0);
	char name[DIAG_NAME_BYTES];
	uint8_t state;

	look_around(w, p);
	if (!fact_have(w, f, "port"))
		return false;
	if (w->c->names && !fact_have(w, fact_get(w->k, p, FACT_DESC, 0), "node"))
		return false;
	state = port_info_decode(f->data).state;
	if (state != PORT_STATE_ACTIVE)
		return broken(w->t, "port_not_active",
			"Bad port state found: node \"%s\" port %u state %u", name_of(w, p, name),
			in, state);
	if (w->t->nsteps > TRACE_HOPS_MAX)
		return broken(w->t, "loop", "no route found after %d hops", TRACE_HOPS_MAX);
	w->t->step[w->t->nsteps++] = (struct trace_step){ p, out, in };
	return true;
}

static bool
arrived(struct walk *w, const struct place *p)
{
	const struct fact *f = fact_get(w->k, p, FACT_PORT, 0);

	if (w->guid && p->port_guid == w->guid)
		return true;
	return w->c->force && f && f->end == DIAG_OK &&
		port_info_decode(f->data).lid == w->base_lid;
}

/* Finds the port by which a switch forwards packets to the LID. */
static bool
out_port(struct walk *w, const struct place *p, uint8_t *out)
{
	const struct fact *s = fact_get(w->k, p, FACT_SWITCH, 0), *b = fact_get(w->k, p, FACT_LFT,
		w->lid / LFT_LIDS);
	char name[DIAG_NAME_BYTES];
	struct switch_info i;

	if (!s || (s->end == DIAG_OK && !b))
		return fact_have(w, NULL, NULL);
	if (!fact_have(w, s, "switch"))
		return false;
	i = switch_info_decode(s->data);
	if (w->lid >= i.lft_cap && w->lid > i.lft_top)
		return broken(w->t, "bad_lft_entry",
			"Bad forwarding table entry found at: node \"%s\" lid entry %u is -1 (top "
			"%u)",
			name_of(w, p, name), w->lid, i.lft_top);
	if (!fact_have(w, b, "table"))
		return false;
	*out = b->data[w->lid % LFT_LIDS];
	if (*out > p->nports)
		return broken(w->t, "bad_lft_entry",
			"Bad forwarding table entry found at: node \"%s\" lid entry %u is %u (top "
			"%u)",
			name_of(w, p, name), w->lid, *out, i.lft_top);
	return true;
}

/* Adds the place 'p' as a step; for a switch, '*next' becomes its output port. A switch without an
 * output port is not added. */
static bool
move_to(struct walk *w, const struct place *p, uint8_t out, uint8_t in, uint8_t *next)
{
	look_around(w, p);
	if (p->type == NODE_TYPE_SWITCH && !out_port(w, p, next))
		return false;
	return step_on(w, p, out, in);
}

static void
walk_unicast(struct walk *w, const struct place *from, uint8_t port)
{
	const struct place *at = from;
	const struct fact *link;
	char name[DIAG_NAME_BYTES];
	uint8_t out, next = 0;

	if (!look_up_target(w)) {
		look_around(w, from);
		return;
	}
	if (!step_on(w, from, 0, port) || (from->type == NODE_TYPE_SWITCH &&
	    !out_port(w, from, &next)))
		return;
	while (!arrived(w, at)) {
		out = at->type == NODE_TYPE_SWITCH ? next : at->port;
		if (at->type != NODE_TYPE_SWITCH && at != from) {
			broken(w->t, "wrong_port", "can't continue: reached CA or router port 0x%"
				PRIx64, at->port_guid);
			return;
		}
		if (!out) {
			broken(w->t, "bad_lft_entry",
				"Bad forwarding table entry found at: node \"%s\" lid entry %u is "
				"0", name_of(w, at, name), w->lid);
			return;
		}
		link = fact_get(w->k, at, FACT_LINK, out);
		if (!fact_have(w, link, "port") || !move_to(w, link->far, out, link->far_port,
		    &next))
			return;
		at = link->far;
	}
	w->t->end = TRACE_FOUND;
}

/* ---- multicast ---- */

struct branch {
	const struct place *at;
	uint8_t out, in;
	uint32_t up; /* index of the preceding branch; the first one has its own index */
};

struct tree {
	struct branch *b;
	uint32_t n, room;
};

static bool
in_tree(const struct tree *t, const struct place *p)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->b[i].at == p)
			return true;
	return false;
}

static void
steps_grow(struct tree *t, const struct place *at, uint8_t out, uint8_t in, uint32_t up)
{
	GROW(t->b, t->n, t->room, 64);
	t->b[t->n++] = (struct branch){ at, out, in, up };
}

/* Reports whether a switch forwards packets of the group through 'port': 1, 0 (also if it did not
 * answer), or -1 if that is not known yet. */
static int
sends_to(struct walk *w, const struct place *p, unsigned port)
{
	uint32_t i = w->c->mlid - MLID_FIRST;
	const struct fact *f = fact_get(w->k, p, FACT_MFT,
		i / MFT_LIDS | port / MFT_PORTS << MFT_POSITION_SHIFT);

	if (!f)
		return -1;
	if (f->end != DIAG_OK) {
		fact_report(w->k, f);
		return 0;
	}
	return ATTR_GET_ITEM(mft_block, mask, f->data, i % MFT_LIDS) >> port % MFT_PORTS & 1;
}

/* Adds the places that branch 'i' forwards packets to. Returns false if some are not known yet. */
static bool
spread(struct walk *w, struct tree *t, uint32_t i)
{
	const struct branch b = t->b[i];
	bool whole = true;
	unsigned first = b.at->type == NODE_TYPE_SWITCH ? 1 : b.at->port,
		last = b.at->type == NODE_TYPE_SWITCH ? b.at->nports : b.at->port;

	if (b.at->type != NODE_TYPE_SWITCH && i)
		return true;
	for (unsigned p = first; p <= last; p++) {
		int sends = b.at->type == NODE_TYPE_SWITCH ? sends_to(w, b.at, p) : 1;
		const struct fact *link;

		if (sends < 0)
			whole = false;
		if (sends <= 0 || (i && p == b.in))
			continue;
		link = fact_get(w->k, b.at, FACT_LINK, p);
		if (!link)
			whole = false;
		else if (link->end != DIAG_OK)
			fact_report(w->k, link);
		else if (!in_tree(t, link->far))
			steps_grow(t, link->far, (uint8_t)p, link->far_port, i);
	}
	return whole;
}

static bool
route_climb(struct walk *w, const struct tree *t, uint32_t i)
{
	if (i && !route_climb(w, t, t->b[i].up))
		return false;
	return step_on(w, t->b[i].at, t->b[i].out, t->b[i].in);
}

static void
walk_multicast(struct walk *w, const struct place *from, uint8_t port)
{
	struct tree t = { .n = 0 };
	bool whole = true;

	if (!look_up_target(w))
		return;
	if (arrived(w, from)) {
		broken(w->t, "same_port", "both ends of the route are one port");
		return;
	}
	steps_grow(&t, from, 0, port, 0);
	for (uint32_t i = 0; i < t.n; i++) {
		if (i && arrived(w, t.b[i].at)) {
			if (route_climb(w, &t, i))
				w->t->end = TRACE_FOUND;
			free(t.b);
			return;
		}
		whole &= spread(w, &t, i);
	}
	free(t.b);
	if (!whole)
		w->t->end = TRACE_WAITING;
	else
		broken(w->t, "no_multicast_route", "can't find a multicast route from src to dest");
}

/* ---- the public functions ---- */

static void
trace_begin(struct trace *t)
{
	t->end = TRACE_WAITING;
	t->nsteps = 0;
	t->missing = NULL;
	t->code = NULL;
	t->why[0] = '\0';
}

void
trace_source(struct facts *k, const struct trace_conf *c, uint16_t lid, struct trace *t)
{
	const struct fact *self = fact_get(k, NULL, FACT_SELF, 0);
	struct walk w = { .k = k, .c = c, .t = t, .lid = lid };

	trace_begin(t);
	if (fact_have(&w, self, "our port"))
		walk_unicast(&w, self->far, self->far_port);
	else
		look_up_target(&w);
}

void
trace_on(struct facts *k, const struct trace_conf *c, const struct trace *source, uint16_t lid,
	struct trace *t)
{
	struct walk w = { .k = k, .c = c, .t = t, .lid = lid };

	trace_begin(t);
	if (c->mlid)
		walk_multicast(&w, source->step[source->nsteps - 1].at,
			source->step[source->nsteps - 1].in);
	else
		walk_unicast(&w, source->step[source->nsteps - 1].at,
			source->step[source->nsteps - 1].in);
}
