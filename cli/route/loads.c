/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loads.c - draws a view by the load of its links.
 * Room: cli/route.
 */
#include <config.h>
#include <stdlib.h>
#include "cli/route/loads.h"
#include "cli/route/names.h"
#include "fabric/draw/picture.h"
#include "fabric/score/score.h"
#include "util/xalloc.h"

struct loads {
	const struct view *v;
	struct score_result score;
};

static const char *
label_of(const struct picture *p, const struct fab_node *n, unsigned most,
	char buf[static PICTURE_LABEL_BYTES])
{
	char name[NAMES_BYTES];

	(void)p;
	return picture_label(names_node(n, name), most, buf);
}

static const char *
tip_of(const struct picture *p, const struct fab_port *port, char buf[static PICTURE_TIP_BYTES])
{
	const struct loads *x = p->arg;
	uint32_t i = (uint32_t)(port - p->s->ports);
	char a[NAMES_BYTES], b[NAMES_BYTES];

	names_port(p->s, i, a);
	names_port(p->s, port->peer, b);
	snprintf(buf, PICTURE_TIP_BYTES, "%s - %s: %u paths out, %u in", a, b, x->score.a2a[i],
		x->score.a2a[port->peer]);
	return buf;
}

static unsigned
lid_of(const struct picture *p, const struct fab_node *sw)
{
	const struct loads *x = p->arg;

	return x->v->lids.base[sw->first_port];
}

void
loads_draw(struct tool *t, const struct view *v)
{
	struct loads x = { .v = v };
	struct picture p = {
		.s = v->s, .arg = &x, .label = label_of, .tip = tip_of, .lid = lid_of
	};
	struct score_in in = { .snapshot = v->s,
		.lids = &v->lids,
		.tables = &v->tables,
		.stripes = pool_stripes(t->pool) };
	double *load = xcalloc(v->s->nports + 1u, sizeof(*load));
	struct arena a = ARENA_INIT;

	score_tables(&in, &a, &x.score);
	for (uint32_t i = 0; i < v->s->nports && x.score.a2a_max; i++)
		load[i] = (double)x.score.a2a[i] / x.score.a2a_max;
	snprintf(p.title, sizeof(p.title), "%.80s, %.40s: load, highest %u paths", t->operands[0],
		v->engine ? v->engine->name : t->lfts, x.score.a2a_max);
	picture_begin(&p);
	picture_by_load(&p, load);
	picture_count(&p);
	if (t->form == TOOL_DOT)
		picture_dot(&p, t->out);
	else
		picture_svg(&p, t->out);
	picture_clear(&p);
	arena_clear(&a);
	free(load);
}
