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

bool
intended_switches_equal(
	const struct intended_switch *a, const struct intended_switch *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].guid != b[i].guid || a[i].system_guid != b[i].system_guid ||
			a[i].rank != b[i].rank || a[i].nports != b[i].nports ||
			a[i].plane != b[i].plane || a[i].divider != b[i].divider ||
			a[i].leaf != b[i].leaf)
			return false;
	return true;
}

bool
intended_links_equal(const struct intended_link *a, const struct intended_link *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].a != b[i].a || a[i].b != b[i].b || a[i].aport != b[i].aport ||
			a[i].bport != b[i].bport)
			return false;
	return true;
}

bool
intended_hosts_equal(const struct intended_host *a, const struct intended_host *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].guid != b[i].guid || a[i].sw != b[i].sw || a[i].port != b[i].port ||
			a[i].kind != b[i].kind || a[i].id != b[i].id)
			return false;
	return true;
}
