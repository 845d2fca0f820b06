/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * observed.c - the observed tables: creation, and LFTs that were written.
 * Room: fabric/snapshot.  Pure.  Kinds of changes write what answers show (sm/diff/kind_*.c).
 */
#include <config.h>
#include <stdlib.h>
#include "fabric/snapshot/observed.h"
#include "util/xalloc.h"

void
observed_tables_init(struct observed_tables *t)
{
	t->mft = mft_seen_new();
	t->guids = guid_seen_new();
}

void
observed_tables_clear(struct observed_tables *t)
{
	mft_seen_free(t->mft);
	guid_seen_free(t->guids);
	*t = (struct observed_tables){ NULL, NULL };
}

struct observed *
observed_new(struct snapshot *s, struct observed_tables *t)
{
	struct observed *o = xcalloc(1, sizeof(*o));

	o->s = s;
	o->tables = t;
	o->lft_unknown = xcalloc(BITS_WORDS(s->nswitches) + 1, sizeof(*o->lft_unknown));
	return o;
}

void
observed_free(struct observed *o)
{
	if (!o)
		return;
	qos_tables_free(o->qos);
	free(o->lft_unknown);
	free(o->settled);
	free(o);
}

void
observed_adopt_lfts(struct observed *o, const struct fwd_tables *fwd)
{
	for (uint32_t sw = 0; sw < o->s->nswitches; sw++) {
		struct fab_node *n = &o->s->nodes[o->s->switches[sw]];
		bool known = fwd && observed_lft_known(o, sw);

		n->lft = known ? fwd_row(fwd, sw) : NULL;
		n->lft_blocks = known ? fwd->top / LFT_BLOCK_BYTES + 1u : 0;
	}
	fwd_rows_drop(o->s->lft_rows);
	o->s->lft_rows = fwd_rows_hold(fwd ? fwd->rows : NULL);
}
