/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkeys.c - checks partitions: ports that cannot communicate with the SM, switches that drop the
 * packets of their hosts, unusual tables.
 * Room: diags/check. It reads all P_Keys of each end port, and of each switch port that enforces
 * partitions towards a host.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/check/check.h"
#include "diags/core/addr.h"
#include "diags/core/settings.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define BLOCK_KEYS 32
/* Maximum number of blocks read from one table, even if the device claims to have more. */
#define BLOCKS_MAX 32
#define MOST(part, all) ((part) * 4 >= (all) * 3)
#define ALIKE_MIN 4                     /* minimum number of end ports for a comparison */
#define KEYS_SHOWN 12
#define KEYS_BYTES (8 * KEYS_SHOWN + 32)

struct table {
	uint16_t *raw;                  /* by table index, 'have' blocks */
	uint16_t *key;                  /* sorted, without zeros */
	unsigned n, have, blocks;
	bool known, whole;              /* at least one block was read; all blocks were read */
};

/* A switch port that enforces partitions, and the end port behind it. */
struct guard {
	uint32_t at, host;
	struct table table;
};

struct pkeys {
	struct check_run *c;
	struct table *end;              /* by position in s->endports */
	uint32_t *place;                /* by port index: position in s->endports */
	struct guard *guards;
	size_t nguards;
};

static int
key_cmp(const void *a, const void *b)
{
	uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;

	if ((x & ~PKEY_MEMBER_FULL) != (y & ~PKEY_MEMBER_FULL))
		return (x & ~PKEY_MEMBER_FULL) < (y & ~PKEY_MEMBER_FULL) ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* ---- reading ---- */

static void
table_new(struct table *t, unsigned cap)
{
	unsigned blocks = (cap + BLOCK_KEYS - 1) / BLOCK_KEYS;

	t->blocks = blocks > BLOCKS_MAX ? BLOCKS_MAX : blocks ? blocks : 1;
	t->whole = blocks <= BLOCKS_MAX;
	t->raw = xcalloc((size_t)t->blocks * BLOCK_KEYS, sizeof(*t->raw));
}

static void
table_clear(struct table *t)
{
	free(t->raw);
	free(t->key);
}

static void
take_block(struct table *t, const uint8_t *image)
{
	struct pkey_table block = pkey_table_decode(image);

	memcpy(t->raw + t->have * BLOCK_KEYS, block.pkey, sizeof(block.pkey));
	t->have++;
	t->known = true;
}

static void
table_sort(struct table *t)
{
	t->whole &= t->have == t->blocks;
	t->key = xcalloc((size_t)t->have * BLOCK_KEYS + 1, sizeof(*t->key));
	for (unsigned i = 0; i < t->have * BLOCK_KEYS; i++)
		if (t->raw[i] & ~PKEY_MEMBER_FULL)
			t->key[t->n++] = t->raw[i];
	qsort(t->key, t->n, sizeof(t->key[0]), key_cmp);
}

/* Reads the blocks of one table one after the other; many tables are read at the same time. */
struct reading {
	struct table *t;
	struct diag_addr to;
	uint32_t high; /* upper half of the modifier: the port number, for a switch port */
};

static void read_on(struct diag *d, struct reading *r);

static void
answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *reply)
{
	struct reading *r = arg;

	(void)q;
	if (reply->end != DIAG_OK) {
		free(r);                /* the table stays incomplete */
		return;
	}
	take_block(r->t, reply->data);
	read_on(d, r);
}

static void
read_on(struct diag *d, struct reading *r)
{
	if (r->t->have == r->t->blocks) {
		free(r);
		return;
	}
	diag_submit(d, &(struct diag_request){ .to = &r->to, .attr_id = PKEY_TABLE_ID,
		.modifier = r->high | r->t->have, .quiet = true }, answered, r);
}

/* Reads the missing blocks of the table of port 'at'. 'guards': 'at' is a switch port. */
static void
read_rest(struct check_run *c, uint32_t at, bool guards, struct table *t)
{
	const struct fab_port *p = &c->f.s->ports[at];
	struct reading *r;
	uint8_t path[DGRAM_PATH_BYTES], hops;

	if (fab_node_of(&c->f, p)->hop_count == FAB_NO_PATH)
		return;
	r = xcalloc(1, sizeof(*r));
	hops = snapshot_port_path(c->f.s, at, path);
	*r = (struct reading){ .t = t, .to = diag_addr_path(path, hops),
		.high = guards ? (uint32_t)p->num << 16 : 0 };
	read_on(c->d, r);
}

static void
read_end_ports(struct pkeys *k)
{
	struct check_run *c = k->c;
	const struct snapshot *s = c->f.s;
	bool ask = diag_can_ask(c->d);

	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct table *t = &k->end[i];

		k->place[s->endports[i]] = i;
		table_new(t, node_info_decode(fab_node_of(&c->f, p)->node_info).partition_cap);
		if (!(p->flags & FAB_PORT_PKEYS) || p->pkeys == FAB_NONE)
			continue;
		for (unsigned b = 0; b <= p->more_pkeys && t->have < t->blocks; b++)
			take_block(t, s->pkey_blocks[p->pkeys + b]);
		if (ask && t->have < t->blocks)
			read_rest(c, s->endports[i], false, t);
	}
}

static const struct table *
table_of(const struct pkeys *k, const struct fab_port *p)
{
	return &k->end[k->place[p - k->c->f.s->ports]];
}

/* ---- the checks ---- */

static bool
table_has(const struct table *t, int key)
{
	uint16_t wanted = (uint16_t)key;

	return bsearch(&wanted, t->key, t->n, sizeof(t->key[0]), key_cmp) != NULL;
}

/* Reports whether two ports can exchange packets: they share a partition in which at least one of
 * them is a full member. */
static bool
can_talk(const struct table *a, const struct table *b)
{
	for (unsigned i = 0; i < a->n; i++)
		if (table_has(b, a->key[i] | PKEY_MEMBER_FULL) ||
		    (a->key[i] & PKEY_MEMBER_FULL && table_has(b, a->key[i] & PKEY_BASE_MASK)))
			return true;
	return false;
}

/* Formats P_Keys as "0xffff 0x8001". */
static const char *
keys_text(const struct table *t, char buf[static KEYS_BYTES])
{
	size_t at = 0;

	snprintf(buf, KEYS_BYTES, "none");
	for (unsigned i = 0; i < t->n && i < KEYS_SHOWN; i++)
		at += (size_t)snprintf(buf + at, KEYS_BYTES - at, "%s0x%04x", i ? " " : "",
			t->key[i]);
	if (t->n > KEYS_SHOWN)
		snprintf(buf + at, KEYS_BYTES - at, " and %u more", t->n - KEYS_SHOWN);
	return buf;
}

static void
one_table(struct check_run *c, const struct fab_port *p, const struct table *t)
{
	char name[CHECK_NAME_BYTES], keys[KEYS_BYTES];
	struct check_about w = { .a = p };

	check_name(c, p, name);
	if (!t->n && t->whole) {
		check_find(c, CHECK_ERROR, "pkey_none", &w,
			"%s has no P_Key: it cannot communicate with any port", name);
		return;
	}
	if ((t->raw[0] & ~PKEY_MEMBER_FULL) != PKEY_BASE_MASK)
		check_find(c, CHECK_WARNING, "pkey_index0", &w,
			"%s has 0x%04x at index 0, where subnet managers expect the default "
			"partition (its P_Keys: %s)",
			name, t->raw[0], keys_text(t, keys));
	for (unsigned i = 1; i < t->n; i++)
		if ((t->key[i] & ~PKEY_MEMBER_FULL) == (t->key[i - 1] & ~PKEY_MEMBER_FULL) &&
		    t->key[i] != t->key[i - 1])
			check_find(c, CHECK_INFO, "pkey_both", &w,
				"%s is a full and a limited member of partition 0x%04x", name,
				t->key[i] & ~PKEY_MEMBER_FULL);
		else if (t->key[i] == t->key[i - 1])
			check_find(c, CHECK_WARNING, "pkey_twice", &w,
				"%s has the P_Key 0x%04x twice", name, t->key[i]);
}

/* Returns the end port of the master SM: the one with the MasterSMLID of our port. */
static const struct fab_port *
manager(const struct check_run *c)
{
	uint16_t lid = port_info_decode(c->f.s->ports[c->f.s->sm_port].info).master_sm_lid;

	for (uint32_t i = 0; lid && i < c->f.s->nendports; i++) {
		const struct fab_port *p = &c->f.s->ports[c->f.s->endports[i]];

		if (check_known(p) && fab_lid(&c->f, p) == lid)
			return p;
	}
	return NULL;
}

/* Returns a hash: equal tables have equal hashes. */
static uint64_t
sum_of(const struct table *t)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < t->n; i++)
		h = (h ^ t->key[i]) * UINT64_C(0x100000001b3);
	return h;
}

static void
one_end_port(const struct pkeys *k, const struct fab_port *p, const struct fab_port *sm)
{
	struct check_run *c = k->c;
	const struct table *t = table_of(k, p), *mine = sm ? table_of(k, sm) : NULL;
	char name[CHECK_NAME_BYTES], other[CHECK_NAME_BYTES], keys[KEYS_BYTES];

	if (!t->known)
		return;
	one_table(c, p, t);
	if (mine && mine->whole && t->whole && t->n && p != sm && !can_talk(t, mine))
		check_find(c, CHECK_ERROR, "pkey_no_sm", &(struct check_about){ .a = p, .b = sm },
			"%s shares no partition with the subnet manager at %s: its P_Keys are %s",
			check_name(c, p, name), check_name(c, sm, other),
			keys_text(t, keys));
}

/* Reports adapter ports whose P_Keys differ from those of most adapter ports. */
static void
unlike(const struct pkeys *k)
{
	struct check_run *c = k->c;
	const struct snapshot *s = c->f.s;
	uint64_t *v = xcalloc(s->nendports + 1u, sizeof(*v)), usual;
	char name[CHECK_NAME_BYTES], keys[KEYS_BYTES];
	size_t n = 0, count;

	for (uint32_t i = 0; i < s->nendports; i++)
		if (k->end[i].known && !fab_is_switch(fab_node_of(&c->f,
		    &s->ports[s->endports[i]])))
			v[n++] = sum_of(&k->end[i]);
	usual = check_majority(v, n, &count);
	free(v);
	for (uint32_t i = 0; i < s->nendports && n >= ALIKE_MIN && MOST(count, n); i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];

		if (!k->end[i].known || fab_is_switch(fab_node_of(&c->f, p)) ||
		    sum_of(&k->end[i]) == usual)
			continue;
		check_find(c, CHECK_INFO, "pkey_unlike", &(struct check_about){ .a = p },
			"%s has other P_Keys than %zu of %zu adapter ports: %s",
			check_name(c, p, name), count, n, keys_text(&k->end[i], keys));
	}
}

/* ---- switches that enforce partitions ---- */

static void
port_check(const struct pkeys *k, const struct guard *g)
{
	struct check_run *c = k->c;
	const struct fab_port *at = &c->f.s->ports[g->at], *host = &c->f.s->ports[g->host];
	const struct table *t = table_of(k, host);
	char name[CHECK_NAME_BYTES], sw[CHECK_NAME_BYTES], object[64];

	if (!g->table.whole || !t->known)
		return;
	for (unsigned i = 0; i < t->n; i++) {
		if (table_has(&g->table, t->key[i] | PKEY_MEMBER_FULL) ||
		    table_has(&g->table, t->key[i] & PKEY_BASE_MASK))
			continue;
		snprintf(object, sizeof(object), "0x%016" PRIx64 "-0x%04x", host->guid,
			t->key[i] & PKEY_BASE_MASK);
		check_find(c, CHECK_ERROR, "pkey_not_at_switch", &(struct check_about){ .a = host,
			.b = at, .object = object },
			"%s is a member of partition 0x%04x, but %s enforces partitions and lacks "
			"it: the switch drops the packets", check_name(c, host, name),
			t->key[i] & PKEY_BASE_MASK, check_name(c, at, sw));
	}
}

static void
read_guards(struct pkeys *k)
{
	struct check_run *c = k->c;
	const struct snapshot *s = c->f.s;

	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]], *q;
		const struct fab_node *n;
		struct port_info info;
		struct guard *g;

		if (fab_is_switch(fab_node_of(&c->f, p)) || p->peer == FAB_NONE)
			continue;
		q = &s->ports[p->peer];
		n = fab_node_of(&c->f, q);
		info = port_info_decode(q->info);
		if (!fab_is_switch(n) || !check_known(q) || !(info.partition_enforce_in ||
		    info.partition_enforce_out))
			continue;
		g = &k->guards[k->nguards++];
		*g = (struct guard){ .at = p->peer, .host = s->endports[i] };
		table_new(&g->table, n->flags & FAB_NODE_SWITCH_INFO ?
			switch_info_decode(n->switch_info).partition_enforce_cap : 0);
		read_rest(c, p->peer, true, &g->table);
	}
}

static void
findings_report(struct pkeys *k)
{
	struct check_run *c = k->c;
	const struct snapshot *s = c->f.s;
	const struct fab_port *sm = manager(c);
	uint32_t known = 0, part = 0, silent = 0;

	for (uint32_t i = 0; i < s->nendports; i++) {
		table_sort(&k->end[i]);
		known += k->end[i].known;
		silent += k->end[i].known && k->end[i].have < k->end[i].blocks;
		part += k->end[i].known && !k->end[i].whole;
	}
	for (size_t i = 0; i < k->nguards; i++)
		table_sort(&k->guards[i].table);
	if (silent && !diag_settings(c->d)->load)
		check_partial(c, "%u end ports; %u did not return all P_Key blocks", known,
			silent);
	else if (part)
		check_looked(c, "%u end ports; not all P_Keys of %u were read", known, part);
	else
		check_looked(c, "%u end ports", known);
	for (uint32_t i = 0; i < s->nendports; i++)
		one_end_port(k, &s->ports[s->endports[i]], sm);
	unlike(k);
	for (size_t i = 0; i < k->nguards; i++)
		port_check(k, &k->guards[i]);
}

static void
pkeys_check(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	struct pkeys k = { .c = c };

	if (!s->npkey_blocks) {
		check_skipped(c, "the file has no P_Key tables");
		return;
	}
	k.end = xcalloc(s->nendports + 1u, sizeof(*k.end));
	k.place = xcalloc(s->nports + 1u, sizeof(*k.place));
	k.guards = xcalloc(s->nendports + 1u, sizeof(*k.guards));
	read_end_ports(&k);
	if (diag_can_ask(c->d)) {
		read_guards(&k);
		diag_run(c->d);
	}
	findings_report(&k);
	for (uint32_t i = 0; i < s->nendports; i++)
		table_clear(&k.end[i]);
	for (size_t i = 0; i < k.nguards; i++)
		table_clear(&k.guards[i].table);
	free(k.end);
	free(k.place);
	free(k.guards);
}

const struct check check_pkeys = { .name = "pkeys",
	.about = "partitions: ports without one in common with the SM, switches that drop packets",
	.wants = DIAG_WANT_PKEYS, .flags = CHECK_REGISTERS, .run = pkeys_check };
