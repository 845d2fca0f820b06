/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * slots.c - the intended hosts as LIDs.
 * Room: sm/route/tree.  Pure.  In: the frame.  Out: a model, and the slot of each LID.
 *
 * A slot belongs to a switch port, as ids do.  A host at a port that the intended topology does
 * not know has none.
 */
#include <config.h>
#include <string.h>
#include "sm/route/model/prefs.h"
#include "sm/route/tree/slots.h"
#include "sm/route/tree/tree_engines.h"

/* The greatest number of LIDs of one host. */
static uint32_t
most_lids(const struct route_model *m)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < m->lid_first[m->ncols]; i++)
		if (m->host_lids[i].sub >= most)
			most = m->host_lids[i].sub + 1u;
	return most;
}

static void
make_columns(struct slots *t, uint32_t per_host, struct arena *a)
{
	const struct frame *f = t->f;
	struct route_model *m = &t->m;
	const struct frame_places *p = &f->places;
	uint32_t n = 0, next;

	m->lid_first = arena_array(a, (size_t)m->ncols + 1, sizeof(*m->lid_first));
	m->host_lids = arena_array(
		a, (size_t)p->first[f->nknown] * per_host, sizeof(*m->host_lids));
	m->packed = arena_array(a, m->ncols, sizeof(*m->packed));
	m->own_first = arena_array(a, m->ncols, sizeof(*m->own_first));
	for (uint32_t c = 0; c < m->ncols; c++) {
		uint32_t sw = m->col_sw[c];

		for (uint32_t i = sw < f->nknown ? p->first[sw] : 0;
			sw < f->nknown && i < p->first[sw + 1]; i++)
			for (uint32_t k = 0; k < per_host; k++, n++)
				m->host_lids[n] = (struct route_lid){ (uint16_t)(n + 1),
					p->port[i], (uint8_t)k };
		m->lid_first[c + 1] = n;
		m->packed[c] = true;
	}
	next = n + 1;
	for (uint32_t c = 0; c < m->ncols; c++) {
		m->own_first[c] = (uint16_t)next;
		next += m->own_n[c];
	}
	m->lmc = per_host > 1;
	m->top = (uint16_t)next;
	m->table_stride = route_table_stride(m->top);
}

/* The slots of one column's LIDs: both lists ascend by port. */
static void
match_column(struct slots *t, uint32_t c)
{
	const struct route_model *now = &t->f->now, *m = &t->m;
	uint32_t k = m->lid_first[c], end = m->lid_first[c + 1];

	t->run[c] = true;
	for (uint32_t i = now->lid_first[c]; i < now->lid_first[c + 1]; i++) {
		const struct route_lid *l = &now->host_lids[i];

		while (k < end && (m->host_lids[k].via < l->via ||
			(m->host_lids[k].via == l->via && m->host_lids[k].sub < l->sub)))
			k++;
		if (k < end && m->host_lids[k].via == l->via && m->host_lids[k].sub == l->sub)
			t->of[i] = m->host_lids[k].lid;
		t->run[c] &= t->of[i] != 0;
		if (i > now->lid_first[c])
			t->run[c] &= t->of[i] == t->of[i - 1] + 1 && l->lid == l[-1].lid + 1;
	}
}

/* Where a host is intended, there or not.  Switches of the topology have the same numbers here. */
static bool
place_intended(const void *data, uint64_t guid, uint32_t *sw, uint8_t *via)
{
	const struct frame *f = data;
	const struct intended *t = f->t;
	uint32_t h = intended_host_find(t, guid);

	if (h == INTENDED_NONE)
		return false;
	*sw = t->hosts[h].sw;
	*via = t->hosts[h].port;
	return true;
}

void
slots_make(struct slots *t, const struct frame *f, const struct route_conf *conf, struct arena *a)
{
	uint32_t per_host = most_lids(&f->now);

	memset(t, 0, sizeof(*t));
	t->f = f;
	t->m = f->whole;
	/* more hosts than LIDs can be: at least one slot per host that has one */
	if ((uint64_t)f->places.first[f->nknown] * per_host + 256u * f->now.ncols > UINT16_MAX)
		per_host = 1;
	make_columns(t, per_host, a);
	t->m.prefs = prefs_make(&t->m, conf, UPDN_OPTIONS, place_intended, f, a);
	t->of = arena_array(a, (size_t)f->now.lid_first[f->now.ncols] + 1, sizeof(*t->of));
	t->run = arena_array(a, f->now.ncols, sizeof(*t->run));
	for (uint32_t c = 0; c < f->now.ncols; c++)
		match_column(t, c);
}

void
slots_copy(const struct slots *t, const struct fill *c, const uint8_t *from, uint8_t *row)
{
	const struct route_model *now = &t->f->now;

	memset(row, FAB_LFT_DROP, now->table_stride);
	for (uint32_t col = 0; col < now->ncols; col++) {
		uint32_t i = now->lid_first[col], n = now->lid_first[col + 1] - i;

		if (n && t->run[col])
			memcpy(row + now->host_lids[i].lid, from + t->of[i], n);
		for (uint32_t k = i; !t->run[col] && k < i + n; k++)
			if (t->of[k])
				row[now->host_lids[k].lid] = from[t->of[k]];
		for (uint32_t k = 0; k < now->own_n[col]; k++)
			row[now->own_first[col] + k] = from[t->m.own_first[col] + k];
	}
	for (uint32_t i = now->lid_first[now->sw_col[c->sw]];
		i < now->lid_first[now->sw_col[c->sw] + 1]; i++)
		row[now->host_lids[i].lid] = now->host_lids[i].via;
}
