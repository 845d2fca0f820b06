/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * traps.c - holds back repeated traps.
 * Room: sm/sub.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/sub/traps.h"
#include "util/xalloc.h"


/* OF_LID_MAX: a port that sends many kinds of traps does not displace those of other ports. */
enum { KINDS_MAX = 256, OF_LID_MAX = KINDS_MAX / 8 };

struct kind {
	uint16_t lid, number;
	uint8_t port;
	bool generic, used, held;
	uint64_t tid;                   /* of the last one */
	int64_t rest_us;
	struct monotime until;
	struct notice last;             /* if 'held' */
};

struct traps {
	struct kind v[KINDS_MAX];
	unsigned nheld;
	uint64_t repeated;
};

struct traps *
traps_new(void)
{
	return xcalloc(1, sizeof(struct traps));
}

void
traps_free(struct traps *t)
{
	free(t);
}

uint64_t
traps_repeated(const struct traps *t)
{
	return t->repeated;
}

/* The port that the trap concerns; 0: all ports. */
static uint8_t
port_of(const struct notice *n)
{
	if (!n->is_generic)
		return 0;
	if (n->trap_number >= TRAP_LINK_INTEGRITY && n->trap_number <= TRAP_FLOW_WATCHDOG)
		return (uint8_t)NOTICE_GET(n, trap_threshold, port);
	return n->trap_number == TRAP_SWITCH_BAD_PKEY ?
		(uint8_t)NOTICE_GET(n, trap_switch_pkey, port) :
		0;
}

/* Whether 'k' is a better entry to replace than 'best'. */
static bool
gives_way(const struct kind *k, const struct kind *best)
{
	return best->used &&
		(!k->used || (best->held && !k->held) ||
			(best->held == k->held && k->until.us < best->until.us));
}

/* The entry of its kind; otherwise one to replace: an unused one, one whose time has passed, or
 * the one that ends first.  A LID that has used its share replaces one of its own. */
static struct kind *
place_of_kind(struct traps *t, const struct notice *n, bool *there)
{
	struct kind *best = &t->v[0], *own = NULL;
	unsigned of_lid = 0;

	*there = false;
	for (unsigned i = 0; i < KINDS_MAX; i++) {
		struct kind *k = &t->v[i];

		if (k->used && k->lid == n->issuer_lid && k->number == n->trap_number &&
		    k->port == port_of(n) && k->generic == n->is_generic) {
			*there = true;
			return k;
		}
		if (gives_way(k, best))
			best = k;
		if (!k->used || k->lid != n->issuer_lid)
			continue;
		of_lid++;
		if (!own || gives_way(k, own))
			own = k;
	}
	return of_lid >= OF_LID_MAX ? own : best;
}

bool
traps_take(
	struct traps *t, const struct notice *n, uint64_t tid, int64_t rest_us, struct monotime now)
{
	bool there;
	struct kind *k = place_of_kind(t, n, &there);

	if (there && (k->held || !monotime_reached(now, k->until))) {
		t->repeated++;
		if (k->tid == tid)
			return false;
		k->tid = tid;
		t->nheld += !k->held;
		k->held = true;
		k->last = *n;
		return false;
	}
	t->nheld -= k->held;            /* the replaced entry */
	*k = (struct kind){
		.lid = n->issuer_lid, .number = n->trap_number, .port = port_of(n),
		.generic = n->is_generic,
		.used = true, .tid = tid, .rest_us = rest_us,
		.until = monotime_add_us(now, rest_us) };
	return true;
}

bool
traps_due(struct traps *t, struct monotime now, struct notice *n)
{
	for (unsigned i = 0; t->nheld && i < KINDS_MAX; i++) {
		struct kind *k = &t->v[i];

		if (!k->held || !monotime_reached(now, k->until))
			continue;
		*n = k->last;
		k->held = false;
		t->nheld--;
		k->until = monotime_add_us(now, k->rest_us);
		return true;
	}
	return false;
}

bool
traps_deadline(const struct traps *t, struct monotime *at)
{
	*at = MONOTIME_NEVER;
	for (unsigned i = 0; t->nheld && i < KINDS_MAX; i++)
		if (t->v[i].held)
			*at = monotime_min(*at, t->v[i].until);
	return at->us != INT64_MAX;
}
