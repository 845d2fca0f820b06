/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inform.c - subscriptions to notices.
 * Room: sm/sub.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sub/inform.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/u64.h"
#include "util/xalloc.h"

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>

_Static_assert(INFORM_PER_PORT_MAX <= INFORM_MAX / 8, "no port takes more than an eighth");

/* The subscriptions of one port. */
struct port {
	uint64_t guid;
	uint32_t *ids;
	uint32_t n, cap;
	UT_hash_handle hh;
};

struct inform {
	struct inform_sub *v;
	uint32_t n, cap, next_id;
	struct port *ports;
};

struct inform *
inform_new(void)
{
	return xcalloc(1, sizeof(struct inform));
}

static void
port_free(struct inform *t, struct port *p)
{
	HASH_DEL(t->ports, p);
	free(p->ids);
	free(p);
}

void
inform_free(struct inform *t)
{
	struct port *p, *next;

	if (!t)
		return;
	HASH_ITER(hh, t->ports, p, next)
		port_free(t, p);
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
	uint32_t at;     /* new ones are appended with the next number */

	BISECT(at, t->n, t->v[at].id < id);
	return at < t->n && t->v[at].id == id ? &t->v[at] : NULL;
}

static struct port *
find_port(const struct inform *t, uint64_t guid)
{
	struct port *p;

	HASH_FIND(hh, t->ports, &guid, sizeof(guid), p);
	return p;
}

static void
port_add(struct inform *t, uint64_t guid, uint32_t id)
{
	struct port *p = find_port(t, guid);

	if (!p) {
		p = xcalloc(1, sizeof(*p));
		p->guid = guid;
		HASH_ADD(hh, t->ports, guid, sizeof(p->guid), p);
	}
	GROW(p->ids, p->n, p->cap, 4);
	p->ids[p->n++] = id;
}

void
inform_drop(struct inform *t, uint32_t id)
{
	const struct inform_sub *s = inform_by_id(t, id);
	struct port *p = s ? find_port(t, s->port_guid) : NULL;
	uint32_t at = s ? (uint32_t)(s - t->v) : 0, k = 0;

	if (!p)
		return;
	while (p->ids[k] != id)
		k++;
	memmove(&p->ids[k], &p->ids[k + 1], (--p->n - k) * sizeof(*p->ids));
	if (!p->n)
		port_free(t, p);
	memmove(&t->v[at], &t->v[at + 1], (--t->n - at) * sizeof(*t->v));
}

void
inform_drop_ports(struct inform *t, const uint64_t *port_guids, uint32_t n)
{
	uint32_t kept = 0;
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		struct port *p = find_port(t, port_guids[i]);

		if (p)
			port_free(t, p);
		any |= p != NULL;
	}
	for (uint32_t i = 0; any && i < t->n; i++)
		if (!bsearch(&t->v[i].port_guid, port_guids, n, sizeof(*port_guids), u64_cmp))
			t->v[kept++] = t->v[i];
	if (any)
		t->n = kept;
}

/* Whether two subscriptions request the same. */
static bool
same_subscription(const struct inform_info *a, const struct inform_info *b)
{
	return !memcmp(a->gid, b->gid, sizeof(a->gid)) && a->lid_begin == b->lid_begin &&
		a->lid_end == b->lid_end && a->is_generic == b->is_generic && a->type == b->type &&
		a->trap_number == b->trap_number && a->qpn == b->qpn &&
		a->producer_type == b->producer_type;
}

/* The index of the port's subscription 'i'. */
static uint32_t
index_of(const struct inform *t, const struct port *p, uint32_t i)
{
	return (uint32_t)(inform_by_id(t, p->ids[i]) - t->v);
}

static struct inform_sub *
find_subscription(struct inform *t, uint64_t port_guid, const struct inform_info *info)
{
	const struct port *p = find_port(t, port_guid);

	for (uint32_t i = 0; p && i < p->n; i++) {
		struct inform_sub *s = &t->v[index_of(t, p, i)];

		if (same_subscription(&s->info, info))
			return s;
	}
	return NULL;
}

/* The lowest number that no subscription of the port uses; '*n': how many it has. */
static uint16_t
free_number(const struct inform *t, uint64_t port_guid, uint32_t *n)
{
	const struct port *p = find_port(t, port_guid);

	*n = p ? p->n : 0;
	for (uint32_t number = 0;; number++) {
		bool taken = false;

		for (uint32_t i = 0; i < *n && !taken; i++)
			taken = t->v[index_of(t, p, i)].number == number;
		if (!taken)
			return (uint16_t)number;
	}
}

static uint16_t
add_subscription(struct inform *t, const struct inform_request *a, const struct inform_info *info)
{
	struct inform_sub *s = find_subscription(t, a->port_guid, info);
	uint16_t number;
	uint32_t n;

	if (s) {                        /* repeated: reports go to the new address */
		s->addr = a->addr;
		s->trusted = a->trusted;
		return STATUS_OK;
	}
	number = free_number(t, a->port_guid, &n);
	if (t->n >= INFORM_MAX || (n >= INFORM_PER_PORT_MAX && !a->trusted))
		return STATUS_SA_NO_RESOURCES;
	GROW(t->v, t->n, t->cap, 16);
	t->v[t->n++] = (struct inform_sub){
		.id = ++t->next_id, .number = number, .port_guid = a->port_guid,
		.addr = a->addr, .info = *info, .trusted = a->trusted,
	};
	port_add(t, a->port_guid, t->next_id);
	return STATUS_OK;
}

uint16_t
inform_set(struct inform *t, const struct inform_request *a, struct inform_info *got)
{
	struct inform_info info = a->want;
	struct inform_sub *s;

	if (info.subscribe > 1)
		return STATUS_SA_INVALID;
	if (info.subscribe) {
		info.qpn = a->addr.qpn;
		*got = info;
		return add_subscription(t, a, &info);
	}
	s = find_subscription(t, a->port_guid, &info);
	if (!s)
		return STATUS_SA_INVALID;
	*got = info;
	inform_drop(t, s->id);
	return STATUS_OK;
}

static bool
issuer_matches(const struct inform_info *w, const struct sa_notice *n)
{
	static const uint8_t none[16];
	uint16_t end = w->lid_end ? w->lid_end : w->lid_begin;

	if (memcmp(w->gid, none, sizeof(none)) != 0)
		return !memcmp(w->gid, n->issuer_gid, sizeof(none));
	return w->lid_begin == INFORM_LID_ALL ||
		(n->notice.issuer_lid >= w->lid_begin && n->notice.issuer_lid <= end);
}

bool
inform_matches(const struct inform_sub *s, const struct sa_notice *n)
{
	const struct inform_info *w = &s->info;
	const struct notice *x = &n->notice;

	if (x->is_generic && x->type == NOTICE_TYPE_SECURITY && !s->trusted)
		return false;
	return issuer_matches(w, n) && !w->is_generic == !x->is_generic &&
		(w->type == INFORM_TYPE_ALL || w->type == x->type) &&
		(w->trap_number == INFORM_TRAP_ALL || w->trap_number == x->trap_number) &&
		(w->producer_type == INFORM_PRODUCER_ALL || w->producer_type == x->producer_type);
}
