/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check.c - checks that an intended topology is consistent, and finds the use of its ports.
 * Room: sm/intended.  Pure.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include "sm/intended/check.h"
#include "sm/intended/document.h"
#include "util/bits.h"

static int
by_link(const void *va, const void *vb)
{
	const struct intended_link *a = va, *b = vb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (int)a->aport - b->aport;
}

static int
by_host(const void *va, const void *vb)
{
	const struct intended_host *a = va, *b = vb;

	return (a->guid > b->guid) - (a->guid < b->guid);
}

static bool
use_port(const struct intended_ports *u, uint32_t at, uint8_t num, uint32_t value, uint32_t *sw,
	uint8_t *port)
{
	uint32_t *use = &u->use[u->first[at] + num - 1];

	*sw = at;
	*port = num;
	if (*use)
		return false;
	*use = value;
	return true;
}

bool
intended_ports_make(const struct intended *t, struct arena *a, struct intended_ports *out,
	uint32_t *sw, uint8_t *port)
{
	uint32_t n = 0;

	out->first = arena_array(a, (size_t)t->nsw + 1, sizeof(*out->first));
	for (uint32_t i = 0; i < t->nsw; i++) {
		out->first[i] = n;
		n += t->sw[i].nports;
	}
	out->first[t->nsw] = n;
	out->use = arena_array(a, (size_t)n + 1, sizeof(*out->use));
	for (uint32_t i = 0; i < t->nlinks; i++) {
		const struct intended_link *l = &t->links[i];

		if (!use_port(out, l->a, l->aport, 2 * i + 1, sw, port) ||
			!use_port(out, l->b, l->bport, 2 * i + 1, sw, port))
			return false;
	}
	for (uint32_t i = 0; i < t->nhosts; i++)
		if (!use_port(out, t->hosts[i].sw, t->hosts[i].port, 2 * i + 2, sw, port))
			return false;
	return true;
}

/* Removes 'n' from a set of numbers that must be unique. */
static bool
take_once(uint64_t *set, uint32_t n)
{
	if (bits_test(set, n))
		return false;
	bits_set(set, n);
	return true;
}

static bool
check_switches(const struct intended *t, struct arena *a, char *why)
{
	uint64_t *planes = arena_array(a, BITS_WORDS(INTENDED_SWITCHES_MAX + 1), sizeof(*planes));
	uint64_t *leaves = arena_array(a, BITS_WORDS(INTENDED_SWITCHES_MAX + 1), sizeof(*leaves));

	for (uint32_t i = 0; i < t->nsw; i++) {
		const struct intended_switch *w = &t->sw[i];
		const char *twice = NULL;

		if (i && t->sw[i - 1].guid == w->guid)
			twice = "GUID";
		else if (!take_once(planes, w->plane))
			twice = "plane";
		else if (w->leaf != INTENDED_NONE && !take_once(leaves, w->leaf))
			twice = "leaf position";
		if (!twice)
			continue;
		snprintf(why, INTENDED_WHY_BYTES, "switches: 0x%016llx: another switch has this %s",
			(unsigned long long)w->guid, twice);
		return false;
	}
	return true;
}

static bool
check_hosts(const struct intended *t, struct arena *a, char *why)
{
	uint64_t *ids[INTENDED_KINDS];

	for (unsigned k = 0; k < INTENDED_KINDS; k++)
		ids[k] = arena_array(a, BITS_WORDS(INTENDED_ID_MAX + 1), sizeof(*ids[k]));
	for (uint32_t i = 0; i < t->nhosts; i++) {
		const struct intended_host *h = &t->hosts[i];
		const char *wrong = NULL;

		if (i && t->hosts[i - 1].guid == h->guid)
			wrong = "another host has this GUID";
		else if (t->sw[h->sw].leaf == INTENDED_NONE)
			wrong = "its switch has no leaf position";
		else if (!take_once(ids[h->kind], h->id))
			wrong = "another host of its kind has this id";
		if (!wrong)
			continue;
		snprintf(why, INTENDED_WHY_BYTES, "hosts: 0x%016llx: %s",
			(unsigned long long)h->guid, wrong);
		return false;
	}
	return true;
}

bool
intended_check(struct intended *t, char *why)
{
	struct arena a = ARENA_INIT;
	struct intended_ports ports;
	uint32_t sw;
	uint8_t port;
	bool ok;

	qsort(t->links, t->nlinks, sizeof(*t->links), by_link);
	qsort(t->hosts, t->nhosts, sizeof(*t->hosts), by_host);
	ok = check_switches(t, &a, why) && check_hosts(t, &a, why);
	if (ok && !intended_ports_make(t, &a, &ports, &sw, &port)) {
		snprintf(why, INTENDED_WHY_BYTES, "port %u of switch 0x%016llx is used twice", port,
			(unsigned long long)t->sw[sw].guid);
		ok = false;
	}
	arena_clear(&a);
	return ok;
}
