/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * memo.c - what was found out about ways through the tables, so that it need not be found out again.
 * Room: sm/sa.  Pure.
 * A path query walks two ways of some five switches each, and hosts ask for the same pairs again and again.  A byte for each
 * switch with end ports and each LID says which of the few different ways it is.  It is filled as questions come.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sa/sa_int.h"
#include "util/xalloc.h"

static bool
has_end_ports(const struct sa_index *x, uint32_t sw)
{
	const struct sa_switch *s = &x->switches[sw];

	for (uint32_t i = s->first_port + 1; i <= s->first_port + s->nports; i++)
		if (x->hops[i].peer != FAB_NONE && x->hops[i].sw == FAB_NONE)
			return true;
	return false;
}

struct sa_memo *
sa_memo_new(const struct sa_index *x)
{
	uint32_t n = x->v.s->nswitches, rows = 0;
	struct sa_memo *m = xcalloc(1, sizeof(*m));

	m->row = xcalloc((size_t)n + 1, sizeof(*m->row));
	m->stride = (uint32_t)x->v.lids->top + 1;
	for (uint32_t i = 0; i < n; i++)
		m->row[i] = has_end_ports(x, i) ? rows++ : FAB_NONE;
	m->bytes = (size_t)rows * m->stride;
	if (!rows || m->bytes > SA_MEMO_BYTES_MAX) {
		sa_memo_free(m);
		return NULL;
	}
	m->at = xcalloc(m->bytes, 1);
	return m;
}

void
sa_memo_free(struct sa_memo *m)
{
	if (!m)
		return;
	free(m->row);
	free(m->at);
	free(m);
}

size_t
sa_memo_bytes(const struct sa_memo *m, uint32_t nswitches)
{
	return m ? sizeof(*m) + ((size_t)nswitches + 1) * sizeof(*m->row) + m->bytes : 0;
}
