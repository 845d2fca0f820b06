/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inform.c - who wants to be told of which notices.
 * Room: sm/sub.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sub/inform.h"
#include "util/xalloc.h"

enum { LID_ALL = 0xffff, TYPE_ALL = 0xffff, TRAP_ALL = 0xffff, PRODUCER_ALL = 0xffffff, TYPE_SECURITY = 2 };

struct inform {
	struct inform_sub *v;
	uint32_t n, cap, next_id;
};

struct inform *
inform_new(void)
{
	return xcalloc(1, sizeof(struct inform));
}

void
inform_free(struct inform *t)
{
	if (!t)
		return;
	free(t->v);
	free(t);
}

uint32_t
inform_count(const struct inform *t)
{
	return t->n;
}

const struct inform_sub *
inform_at(const struct inform *t, uint32_t i)
{
	return i < t->n ? &t->v[i] : NULL;
}

const struct inform_sub *
inform_by_id(const struct inform *t, uint32_t id)
{
	uint32_t lo = 0, hi = t->n;     /* new ones come last, with the next number */

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && t->v[lo].id == id ? &t->v[lo] : NULL;
}

static void
remove_at(struct inform *t, uint32_t i)
{
	memmove(&t->v[i], &t->v[i + 1], (--t->n - i) * sizeof(*t->v));
}

void
inform_drop(struct inform *t, uint32_t id)
{
	const struct inform_sub *s = inform_by_id(t, id);

	if (s)
		remove_at(t, (uint32_t)(s - t->v));
}

void
inform_drop_port(struct inform *t, uint64_t port_guid)
{
	for (uint32_t i = t->n; i-- > 0;)
		if (t->v[i].port_guid == port_guid)
			remove_at(t, i);
}

/* Asked for the same. */
static bool
same(const struct inform_info *a, const struct inform_info *b)
{
	return !memcmp(a->gid, b->gid, sizeof(a->gid)) && a->lid_begin == b->lid_begin && a->lid_end == b->lid_end &&
		a->is_generic == b->is_generic && a->type == b->type && a->trap_number == b->trap_number &&
		a->qpn == b->qpn && a->producer_type == b->producer_type;
}

static struct inform_sub *
find(struct inform *t, uint64_t port_guid, const struct inform_info *info)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->v[i].port_guid == port_guid && same(&t->v[i].info, info))
			return &t->v[i];
	return NULL;
}

/* The least number that no subscription of the port has; '*n': how many it has. */
static uint16_t
free_number(const struct inform *t, uint64_t port_guid, uint32_t *n)
{
	*n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		*n += t->v[i].port_guid == port_guid;
	for (uint32_t number = 0;; number++) {
		bool taken = false;

		for (uint32_t i = 0; i < t->n && !taken; i++)
			taken = t->v[i].port_guid == port_guid && t->v[i].number == number;
		if (!taken)
			return (uint16_t)number;
	}
}

static uint16_t
subscribe(struct inform *t, const struct inform_ask *a, const struct inform_info *info)
{
	struct inform_sub *s = find(t, a->port_guid, info);
	uint16_t number;
	uint32_t n;

	if (s) {                        /* once more: reports go where it now asks from */
		s->addr = a->addr;
		s->trusted = a->trusted;
		return STATUS_OK;
	}
	number = free_number(t, a->port_guid, &n);
	if (n >= INFORM_PER_PORT_MAX && !a->trusted)
		return STATUS_SA_NO_RESOURCES;
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 16;
		t->v = xreallocarray(t->v, t->cap, sizeof(*t->v));
	}
	t->v[t->n++] = (struct inform_sub){ .id = ++t->next_id, .number = number, .port_guid = a->port_guid,
		.addr = a->addr, .info = *info, .trusted = a->trusted };
	return STATUS_OK;
}

uint16_t
inform_set(struct inform *t, const struct inform_ask *a, struct inform_info *got)
{
	struct inform_info info = a->want;
	struct inform_sub *s;

	if (info.subscribe > 1)
		return STATUS_SA_INVALID;
	if (info.subscribe) {
		info.qpn = a->addr.qpn;
		*got = info;
		return subscribe(t, a, &info);
	}
	s = find(t, a->port_guid, &info);
	if (!s)
		return STATUS_SA_INVALID;
	*got = info;
	remove_at(t, (uint32_t)(s - t->v));
	return STATUS_OK;
}

static bool
issuer_matches(const struct inform_info *w, const struct sa_notice *n)
{
	static const uint8_t none[16];
	uint16_t end = w->lid_end ? w->lid_end : w->lid_begin;

	if (memcmp(w->gid, none, sizeof(none)) != 0)
		return !memcmp(w->gid, n->issuer_gid, sizeof(none));
	return w->lid_begin == LID_ALL || (n->notice.issuer_lid >= w->lid_begin && n->notice.issuer_lid <= end);
}

bool
inform_matches(const struct inform_sub *s, const struct sa_notice *n)
{
	const struct inform_info *w = &s->info;
	const struct notice *x = &n->notice;

	if (x->is_generic && x->type == TYPE_SECURITY && !s->trusted)
		return false;
	return issuer_matches(w, n) && !w->is_generic == !x->is_generic && (w->type == TYPE_ALL || w->type == x->type) &&
		(w->trap_number == TRAP_ALL || w->trap_number == x->trap_number) &&
		(w->producer_type == PRODUCER_ALL || w->producer_type == x->producer_type);
}
