/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff.c - wanted against observed, for all kinds.
 * Room: sm/diff.  Pure.  In: what is observed, plan.  Out: ordered changes; payloads on demand.
 * The kinds themselves compare images (kind_*.c).  docs/wire.md: barriers of a sweep.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/xalloc.h"

void
diff_add(struct changes *c, enum change_phase phase, uint32_t subject, uint32_t block)
{
	struct change_list *l = &c->phase[phase];

	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap + l->cap / 2 : 64;
		l->v = xreallocarray(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = (struct change){ subject, block };
	c->total++;
}

static void
find_changes(
	const struct observed *o, const struct plan *plan, bool registered, struct changes *out)
{
	struct diff_view v = { o->s, o, plan };

	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		if (change_kinds[p]->find && change_kinds[p]->registered == registered)
			change_kinds[p]->find(&v, out);
}

void
diff_planned(const struct observed *o, const struct plan *plan, struct changes *out)
{
	memset(out, 0, sizeof(*out));
	find_changes(o, plan, false, out);
}

void
diff_registered(const struct observed *o, const struct plan *plan, struct changes *out)
{
	find_changes(o, plan, true, out);
}

void
diff_make(const struct observed *o, const struct plan *plan, struct changes *out)
{
	diff_planned(o, plan, out);
	diff_registered(o, plan, out);
}

void
changes_clear(struct changes *c)
{
	for (unsigned i = 0; i < CHANGE_PHASE_COUNT; i++)
		free(c->phase[i].v);
	memset(c, 0, sizeof(*c));
}

const uint8_t *
diff_payload(const struct observed *o, const struct plan *plan, enum change_phase phase,
	const struct change *c, uint8_t buf[static CHANGE_BYTES])
{
	struct diff_view v = { o->s, o, plan };

	if (phase >= CHANGE_PHASE_COUNT)
		bug("diff: no payload for phase %d", (int)phase);
	return change_kinds[phase]->payload(change_kinds[phase], &v, c, buf);
}
