/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * alias.c - alias GUIDs: their owners, and the check of requests.
 * Room: sm/sub.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/mad/dgram.h"
#include "sm/sub/alias.h"
#include "util/u64.h"
#include "util/xalloc.h"

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>

#define OUI_OPENFABRICS UINT64_C(0x001405)

_Static_assert(ALIAS_ENTRIES_MAX <= ALIAS_MAX / 8, "no port takes more than an eighth");

struct port {
	uint64_t guid;
	uint64_t entry[ALIAS_ENTRIES_MAX];
	uint32_t n;                     /* entries other than 0 */
	UT_hash_handle hh;
};

struct alias {
	uint64_t guid;
	uint64_t port_guid;
	uint8_t entry;
	UT_hash_handle hh;
};

struct change {
	uint64_t port_guid;
	UT_hash_handle hh;
};

struct alias_table {
	struct port *ports;
	struct alias *aliases;
	struct change *changed;
	uint32_t made;
};

struct alias_table *
alias_new(void)
{
	return xcalloc(1, sizeof(struct alias_table));
}

void
alias_free(struct alias_table *t)
{
	struct port *p, *next_port;
	struct alias *a, *next;
	struct change *c, *next_change;

	if (!t)
		return;
	HASH_ITER(hh, t->ports, p, next_port) {
		HASH_DEL(t->ports, p);
		free(p);
	}
	HASH_ITER(hh, t->aliases, a, next) {
		HASH_DEL(t->aliases, a);
		free(a);
	}
	HASH_ITER(hh, t->changed, c, next_change) {
		HASH_DEL(t->changed, c);
		free(c);
	}
	free(t);
}

static struct alias *
find_alias(const struct alias_table *t, uint64_t guid)
{
	struct alias *a;

	HASH_FIND(hh, t->aliases, &guid, sizeof(guid), a);
	return a;
}

static struct port *
find_port(const struct alias_table *t, uint64_t port_guid)
{
	struct port *p;

	HASH_FIND(hh, t->ports, &port_guid, sizeof(port_guid), p);
	return p;
}

uint64_t
alias_owner(const struct alias_table *t, uint64_t guid)
{
	const struct alias *a = find_alias(t, guid);

	return a ? a->port_guid : 0;
}

uint32_t
alias_count(const struct alias_table *t)
{
	return HASH_COUNT(t->aliases);
}

void
alias_block(const struct alias_table *t, uint64_t port_guid, uint8_t block,
	uint64_t out[static ALIAS_BLOCK_GUIDS])
{
	const struct port *p = find_port(t, port_guid);

	memset(out, 0, ALIAS_BLOCK_GUIDS * sizeof(*out));
	if (p && block < ALIAS_ENTRIES_MAX / ALIAS_BLOCK_GUIDS)
		memcpy(out, &p->entry[block * ALIAS_BLOCK_GUIDS], ALIAS_BLOCK_GUIDS * sizeof(*out));
}

uint32_t
alias_ports(const struct alias_table *t, uint64_t **guids)
{
	struct port *p, *next;
	uint32_t n = 0;

	*guids = xcalloc((size_t)HASH_COUNT(t->ports) + 1, sizeof(**guids));
	HASH_ITER(hh, t->ports, p, next)
		(*guids)[n++] = p->guid;
	qsort(*guids, n, sizeof(**guids), u64_cmp);
	return n;
}

/* ---- changes ---- */

static void
note_changed(struct alias_table *t, uint64_t port_guid)
{
	struct change *c;

	HASH_FIND(hh, t->changed, &port_guid, sizeof(port_guid), c);
	if (c)
		return;
	c = xcalloc(1, sizeof(*c));
	c->port_guid = port_guid;
	HASH_ADD(hh, t->changed, port_guid, sizeof(c->port_guid), c);
}

bool
alias_take_changed(struct alias_table *t, uint64_t *port_guid)
{
	struct change *c = t->changed;

	if (!c)
		return false;
	*port_guid = c->port_guid;
	HASH_DEL(t->changed, c);
	free(c);
	return true;
}

bool
alias_has_changed(const struct alias_table *t)
{
	return t->changed != NULL;
}

static void
entry_empty(struct alias_table *t, struct port *p, uint8_t entry)
{
	struct alias *a = find_alias(t, p->entry[entry]);

	if (a) {
		HASH_DEL(t->aliases, a);
		free(a);
		p->n--;
	}
	p->entry[entry] = 0;
}

static void
entry_fill(struct alias_table *t, struct port *p, uint8_t entry, uint64_t guid)
{
	struct alias *a = xcalloc(1, sizeof(*a));

	a->guid = guid;
	a->port_guid = p->guid;
	a->entry = entry;
	HASH_ADD(hh, t->aliases, guid, sizeof(a->guid), a);
	p->entry[entry] = guid;
	p->n++;
}

bool
alias_put(struct alias_table *t, uint64_t port_guid, uint8_t entry, uint64_t guid)
{
	struct port *p = find_port(t, port_guid);

	if (!entry)
		return false;
	if ((p ? p->entry[entry] : 0) == guid)
		return true;
	if (guid && (guid == port_guid || find_alias(t, guid)))
		return false;
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		p->guid = port_guid;
		HASH_ADD(hh, t->ports, guid, sizeof(p->guid), p);
	}
	entry_empty(t, p, entry);
	if (guid)
		entry_fill(t, p, entry, guid);
	note_changed(t, port_guid);
	if (!p->n) {
		HASH_DEL(t->ports, p);
		free(p);
	}
	return true;
}

void
alias_release(struct alias_table *t, uint64_t guid)
{
	const struct alias *a = find_alias(t, guid);

	if (a)
		alias_put(t, a->port_guid, a->entry, 0);
}

void
alias_drop_port(struct alias_table *t, uint64_t port_guid)
{
	for (unsigned i = 1; i < ALIAS_ENTRIES_MAX && find_port(t, port_guid); i++)
		alias_put(t, port_guid, (uint8_t)i, 0);
}

uint64_t
alias_make(struct alias_table *t, uint8_t assigned)
{
	uint64_t guid;

	do {
		if (!++t->made)
			t->made = 1;
		guid = OUI_OPENFABRICS << 40 | (uint64_t)assigned << 32 | t->made;
	} while (find_alias(t, guid));
	return guid;
}

/* ---- requests ---- */

static uint16_t
check_request(const struct alias_request *a)
{
	if (a->block >= (a->cap + ALIAS_BLOCK_GUIDS - 1) / ALIAS_BLOCK_GUIDS)
		return STATUS_SA_NO_RECORDS;
	if (!a->block && a->entries & 1)
		return STATUS_SA_INVALID;
	return a->entitled ? STATUS_OK : STATUS_SA_DENIED;
}

static bool
is_chosen(const struct alias_request *a, unsigned i)
{
	return a->entries >> i & 1 && a->block * ALIAS_BLOCK_GUIDS + i < a->cap;
}

/* Whether another port or entry owns the GUID requested for entry 'i'. */
static bool
is_double(const struct alias_table *t, const struct alias_request *a, unsigned i)
{
	return a->taken >> i & 1 || a->want[i] == a->port_guid ||
		(find_alias(t, a->want[i]) && !(a->away >> i & 1));
}

/* Whether there is room for the aliases that the request adds. */
static bool
has_room(const struct alias_table *t, const struct alias_request *a,
	const uint64_t have[static ALIAS_BLOCK_GUIDS])
{
	uint32_t more = 0;

	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
		more += is_chosen(a, i) && a->want[i] && !have[i];
	return !more || alias_count(t) + more <= ALIAS_MAX;
}

uint16_t
alias_set(struct alias_table *t, const struct alias_request *a,
	uint64_t got[static ALIAS_BLOCK_GUIDS])
{
	uint16_t status = check_request(a);
	uint64_t have[ALIAS_BLOCK_GUIDS];
	uint8_t doubles = 0;

	if (status != STATUS_OK)
		return status;
	alias_block(t, a->port_guid, a->block, have);
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
		if (is_chosen(a, i) && a->pinned >> i & 1 && a->want[i] && a->want[i] != have[i])
			return STATUS_SA_DENIED;
	if (!has_room(t, a, have))
		return STATUS_SA_NO_RESOURCES;
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++) {
		if (!is_chosen(a, i) || !a->want[i] || a->want[i] == have[i])
			continue;
		if (is_double(t, a, i)) {
			doubles |= (uint8_t)(1u << i);
			continue;
		}
		if (alias_owner(t, a->want[i]) != a->port_guid)
			alias_release(t, a->want[i]);           /* its port has left */
		if (!alias_put(t, a->port_guid, (uint8_t)(a->block * ALIAS_BLOCK_GUIDS + i),
		        a->want[i]))
			doubles |= (uint8_t)(1u << i);
	}
	alias_block(t, a->port_guid, a->block, got);
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
		if (doubles >> i & 1)
			got[i] = 0;
	return STATUS_OK;
}

uint16_t
alias_delete(struct alias_table *t, const struct alias_request *a,
	uint64_t got[static ALIAS_BLOCK_GUIDS])
{
	uint16_t status = check_request(a);

	if (status != STATUS_OK)
		return status;
	if (a->pinned & a->entries)
		return STATUS_SA_DENIED;
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
		if (is_chosen(a, i))
			alias_put(t, a->port_guid, (uint8_t)(a->block * ALIAS_BLOCK_GUIDS + i), 0);
	alias_block(t, a->port_guid, a->block, got);
	return STATUS_OK;
}
