/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * intended.c - the intended topology as a value: lookups and release.
 * Room: sm/intended.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/intended/intended.h"
#include "util/bisect.h"

void
intended_free(struct intended *t)
{
	if (!t)
		return;
	arena_clear(&t->arena);
	free(t);
}

uint32_t
intended_switch_find(const struct intended *t, uint64_t guid)
{
	uint32_t at;

	BISECT(at, t->nsw, t->sw[at].guid < guid);
	return at < t->nsw && t->sw[at].guid == guid ? at : INTENDED_NONE;
}

uint32_t
intended_host_find(const struct intended *t, uint64_t port_guid)
{
	uint32_t at;

	BISECT(at, t->nhosts, t->hosts[at].guid < port_guid);
	return at < t->nhosts && t->hosts[at].guid == port_guid ? at : INTENDED_NONE;
}
