/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * service.c - services that hosts have registered, until their lease ends.
 * Room: sm/sub.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "sm/sub/service.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>

#define SECOND_US INT64_C(1000000)

_Static_assert(SERVICES_PER_PORT_MAX <= SERVICES_MAX / 8, "no port takes more than an eighth");

/* Number of records of a port, for the limit. */
struct holder {
	uint64_t port_guid;
	uint32_t n;
	UT_hash_handle hh;
};

struct services {
	struct service **v;             /* sorted by identity */
	uint32_t n, cap;
	struct holder *holders;
	struct monotime now, first_end;
};

struct services *
services_new(void)
{
	struct services *t = xcalloc(1, sizeof(*t));

	t->first_end = MONOTIME_NEVER;
	return t;
}

void
services_free(struct services *t)
{
	struct holder *h, *next;

	if (!t)
		return;
	HASH_ITER(hh, t->holders, h, next) {
		HASH_DEL(t->holders, h);
		free(h);
	}
	for (uint32_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	free(t);
}

static struct holder *
holder_of(const struct services *t, uint64_t port_guid)
{
	struct holder *h;

	HASH_FIND(hh, t->holders, &port_guid, sizeof(port_guid), h);
	return h;
}

static void
count_held(struct services *t, uint64_t port_guid)
{
	struct holder *h = holder_of(t, port_guid);

	if (!h) {
		h = xcalloc(1, sizeof(*h));
		h->port_guid = port_guid;
		HASH_ADD(hh, t->holders, port_guid, sizeof(h->port_guid), h);
	}
	h->n++;
}

static void
let_go(struct services *t, uint64_t port_guid)
{
	struct holder *h = holder_of(t, port_guid);

	if (--h->n)
		return;
	HASH_DEL(t->holders, h);
	free(h);
}

static void
drop_service(struct services *t, struct service *s)
{
	let_go(t, s->port_guid);
	free(s);
}

void
services_keep(struct services *t, bool (*keep)(void *arg, const struct service *s), void *arg)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (keep(arg, t->v[i]))
			t->v[kept++] = t->v[i];
		else
			drop_service(t, t->v[i]);
	t->n = kept;
}

/* Keeps records that have not expired, and notes the next expiry. */
static bool
still_lasts(void *arg, const struct service *s)
{
	struct services *t = arg;

	if (monotime_reached(t->now, s->ends))
		return false;
	t->first_end = monotime_min(t->first_end, s->ends);
	return true;
}

void
services_tick(struct services *t, struct monotime now)
{
	t->now = now;
	if (!monotime_reached(now, t->first_end))
		return;
	t->first_end = MONOTIME_NEVER;
	services_keep(t, still_lasts, t);
}

static int
identity_cmp(const struct service_record *a, const struct service_record *b)
{
	int c;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	c = memcmp(a->gid, b->gid, sizeof(a->gid));
	return c ? c : (a->pkey > b->pkey) - (a->pkey < b->pkey);
}

/* The index of the record, or where it would be inserted. */
static uint32_t
place_of_service(const struct services *t, const struct service_record *rec, bool *there)
{
	uint32_t at;

	BISECT(at, t->n, identity_cmp(&t->v[at]->rec, rec) < 0);
	*there = at < t->n && !identity_cmp(&t->v[at]->rec, rec);
	return at;
}

/* Whether 'rec' presents the ServiceKey that protects 'has'. */
static bool
shows_key(const struct service_record *has, const struct service_record *rec)
{
	static const uint8_t none[sizeof(has->key)];

	return !memcmp(has->key, none, sizeof(none)) || !memcmp(has->key, rec->key, sizeof(none));
}

/* Whether the port has reached its limit. */
static bool
is_full(const struct services *t, uint64_t port_guid)
{
	const struct holder *h = holder_of(t, port_guid);

	return h && h->n >= SERVICES_PER_PORT_MAX;
}

uint16_t
services_set(struct services *t, const struct service_record *rec, uint64_t port_guid, bool trusted)
{
	bool there;
	uint32_t i = place_of_service(t, rec, &there);
	struct monotime ends = MONOTIME_NEVER;

	if (there && !trusted && !shows_key(&t->v[i]->rec, rec))
		return STATUS_SA_DENIED;
	if (!there && (t->n >= SERVICES_MAX || (!trusted && is_full(t, port_guid))))
		return STATUS_SA_NO_RESOURCES;
	if (rec->lease_s != SERVICE_LEASE_FOREVER)
		ends = monotime_add_us(t->now, rec->lease_s * SECOND_US);
	if (!there) {
		GROW(t->v, t->n, t->cap, 16);
		memmove(&t->v[i + 1], &t->v[i], (t->n++ - i) * sizeof(struct service *));
		t->v[i] = xcalloc(1, sizeof(**t->v));
	} else {
		let_go(t, t->v[i]->port_guid);
	}
	count_held(t, port_guid);
	*t->v[i] = (struct service){ .rec = *rec, .port_guid = port_guid, .ends = ends };
	t->first_end = monotime_min(t->first_end, ends);
	return STATUS_OK;
}

uint16_t
services_delete(struct services *t, const struct service_record *rec, bool trusted,
	struct service_record *gone)
{
	bool there;
	uint32_t i = place_of_service(t, rec, &there);

	if (!there)
		return STATUS_SA_NO_RECORDS;
	if (!trusted && !shows_key(&t->v[i]->rec, rec))
		return STATUS_SA_DENIED;
	*gone = t->v[i]->rec;
	drop_service(t, t->v[i]);
	memmove(&t->v[i], &t->v[i + 1], (--t->n - i) * sizeof(struct service *));
	return STATUS_OK;
}

static bool
is_not_of(void *arg, const struct service *s)
{
	return gid_guid(s->rec.gid) != *(const uint64_t *)arg;
}

void
services_drop_gid(struct services *t, uint64_t guid)
{
	services_keep(t, is_not_of, &guid);
}

bool
services_at(const struct services *t, uint32_t i, struct service *out)
{
	if (i >= t->n)
		return false;
	*out = *t->v[i];
	if (out->ends.us != INT64_MAX)
		out->rec.lease_s = (uint32_t)((monotime_sub_us(out->ends, t->now) + SECOND_US - 1) /
			SECOND_US);
	return true;
}
