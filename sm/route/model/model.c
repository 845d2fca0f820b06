/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * model.c - builds the input of every engine.
 * Room: sm/route/model.  Pure.  In: snapshot and LIDs.  Out: columns, LIDs by column, distances.
 */
#include <config.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/model/model.h"

enum route_code
route_refuse(struct route_report *r, enum route_code code, const char *fmt, ...)
{
	va_list ap;

	r->code = code;
	va_start(ap, fmt);
	vsnprintf(r->sentence, sizeof(r->sentence), fmt, ap);
	va_end(ap);
	return code;
}

void
route_evidence_add(
	struct route_report *r, uint32_t node, uint32_t other, uint16_t lid, uint32_t value)
{
	if (r->nevidence < ROUTE_EVIDENCE_MAX)
		r->evidence[r->nevidence++] = (struct route_evidence){ node, other, lid, value };
}

/* A table of n entries covers LIDs up to n - 1. */
enum route_code
route_caps_check(const struct route_model *m, struct route_report *r)
{
	uint32_t small = 0, least = UINT32_MAX;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		const struct fab_node *n;
		struct switch_info si;

		if (route_node(m, sw) == FAB_NONE)
			continue;
		n = &m->s->nodes[route_node(m, sw)];
		if (!(n->flags & FAB_NODE_SWITCH_INFO) || n->flags & FAB_NODE_CUT)
			continue;
		si = switch_info_decode(n->switch_info);
		if (si.lft_cap > m->top)
			continue;
		small++;
		least = si.lft_cap < least ? si.lft_cap : least;
		route_evidence_add(r, route_node(m, sw), FAB_NONE, m->top, si.lft_cap);
	}
	if (!small)
		return ROUTE_OK;
	return route_refuse(r, ROUTE_CAP,
		"%u switches have forwarding tables too small for LID %u: the smallest holds "
		"%u entries",
		small, m->top, least);
}

static void
make_columns(struct route_model *m, struct arena *a)
{
	uint32_t n = m->g.nleaves;

	m->ncols = m->g.nsw;
	m->stride = (m->ncols + 63) / 64 * 64;
	m->col_sw = arena_array(a, m->ncols, sizeof(*m->col_sw));
	m->sw_col = arena_array(a, m->ncols, sizeof(*m->sw_col));
	swgraph_leaf_order(&m->g, a, m->col_sw);
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		if (!swgraph_is_leaf(&m->g, sw))
			m->col_sw[n++] = sw;
	for (uint32_t c = 0; c < m->ncols; c++)
		m->sw_col[m->col_sw[c]] = c;
}

static void
make_lids(struct route_model *m, struct arena *a)
{
	uint32_t total = 0, n = 0;

	for (uint32_t h = 0; h < m->g.host_first[m->g.nsw]; h++) {
		uint8_t lmc = m->lids->lmc[m->g.hosts[h].port];

		total += 1u << lmc;
		m->lmc |= lmc > 0;
	}
	m->lid_first = arena_array(a, (size_t)m->ncols + 1, sizeof(*m->lid_first));
	m->host_lids = arena_array(a, total, sizeof(*m->host_lids));
	m->packed = arena_array(a, m->ncols, sizeof(*m->packed));
	m->own_first = arena_array(a, m->ncols, sizeof(*m->own_first));
	m->own_n = arena_array(a, m->ncols, sizeof(*m->own_n));
	for (uint32_t c = 0; c < m->ncols; c++) {
		uint32_t sw = m->col_sw[c], port0 = m->s->nodes[route_node(m, sw)].first_port;

		m->own_first[c] = m->lids->base[port0];
		m->own_n[c] = (uint16_t)(m->own_first[c] ? 1u << m->lids->lmc[port0] : 0);
		m->packed[c] = true;

		for (uint32_t h = m->g.host_first[sw]; h < m->g.host_first[sw + 1]; h++) {
			const struct swgraph_host *host = &m->g.hosts[h];
			uint16_t base = m->lids->base[host->port];

			for (uint32_t i = 0; base && i < 1u << m->lids->lmc[host->port]; i++)
				m->host_lids[n++] = (struct route_lid){ (uint16_t)(base + i),
					host->via, (uint8_t)i };
		}
		m->lid_first[c + 1] = n;
		for (uint32_t i = m->lid_first[c] + 1; i < n; i++)
			m->packed[c] &= m->host_lids[i].lid == m->host_lids[i - 1].lid + 1;
	}
}

/* An odd number of cache lines; otherwise equal offsets of many rows would share cache sets. */
uint32_t
route_table_stride(uint16_t top)
{
	return ((top / 64u + 1) | 1) * 64;
}

enum route_code
route_model_make(
	const struct route_in *in, struct arena *a, struct route_model *m, struct route_report *r)
{
	memset(m, 0, sizeof(*m));
	m->s = in->snapshot;
	m->lids = in->lids;
	m->top = in->lids->top;
	m->node = in->snapshot->switches;
	swgraph_make(in->snapshot, a, &m->g);
	if (!m->g.nsw)
		return route_refuse(r, ROUTE_NO_SWITCH, "there is no switch: nothing to route");
	if (route_caps_check(m, r) != ROUTE_OK)
		return r->code;
	make_columns(m, a);
	make_lids(m, a);
	m->table_stride = route_table_stride(m->top);
	return ROUTE_OK;
}

void
route_tables_init(const struct route_model *m, struct arena *a, struct fwd_tables *out)
{
	memset(out, 0, sizeof(*out));
	out->nswitches = m->s->nswitches;
	out->stride = m->table_stride;
	out->top = m->top;
	out->vls = 1;
	out->port = arena_array(a, out->nswitches, out->stride);
}

void
route_tables_rows(const struct route_model *m, struct fwd_tables *out)
{
	struct fwd_tables f = { .nswitches = m->s->nswitches, .stride = m->table_stride,
		.top = m->top, .vls = 1 };

	f.rows = fwd_rows_new((size_t)f.nswitches * f.stride);
	f.port = fwd_rows_bytes(f.rows);
	*out = f;
}

uint8_t *
route_distances(const struct route_model *m, struct arena *a)
{
	return swgraph_all_distances(&m->g, m->sw_col, m->stride, a);
}
