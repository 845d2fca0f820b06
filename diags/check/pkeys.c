/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkeys.c - partitions: ports that cannot talk to the subnet manager, switches that throw their packets away, odd tables.
 * Room: diags.  Looked at: the first 32 P_Keys of each end port, and of each switch port that enforces partitions towards a host.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "libmad/wire/wire.h"
#include "util/xalloc.h"

#define BLOCK_KEYS 32
#define FULL 0x8000
#define DEFAULT_KEY 0x7fff              /* also the bits of a P_Key that name the partition */
#define MOST(part, all) ((part) * 4 >= (all) * 3)
#define ALIKE_MIN 4                     /* end ports, before one may be unlike the others */

struct table {
	uint16_t key[BLOCK_KEYS];       /* sorted, without zeros; as they are by index in 'raw' */
	uint16_t raw[BLOCK_KEYS];
	unsigned n;
	bool known;
};

/* A switch port that enforces, and the end port behind it. */
struct guard {
	uint32_t at, host;
	struct table table;
	enum diag_end end;
};

static int
key_cmp(const void *a, const void *b)
{
	uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;

	if ((x & ~FULL) != (y & ~FULL))
		return (x & ~FULL) < (y & ~FULL) ? -1 : 1;
	return x < y ? -1 : x > y;
}

static struct table
read_table(const uint8_t *image)
{
	struct table t = { .known = true };

	for (unsigned i = 0; i < BLOCK_KEYS; i++) {
		t.raw[i] = wire_get16(image + 2 * i);
		if (t.raw[i] & ~FULL)
			t.key[t.n++] = t.raw[i];
	}
	qsort(t.key, t.n, sizeof(t.key[0]), key_cmp);
	return t;
}

static struct table
table_of(const struct check_run *c, const struct fab_port *p)
{
	return p->flags & FAB_PORT_PKEYS && p->pkeys != FAB_NONE ? read_table(c->f.s->pkey_blocks[p->pkeys]) : (struct table){ .known = false };
}

static bool
has(const struct table *t, uint16_t key)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->key[i] == key)
			return true;
	return false;
}

/* Whether the two can exchange packets: a partition of both, where at least one is a full member. */
static bool
can_talk(const struct table *a, const struct table *b)
{
	for (unsigned i = 0; i < a->n; i++)
		if (has(b, a->key[i] | FULL) || (a->key[i] & FULL && has(b, a->key[i] & DEFAULT_KEY)))
			return true;
	return false;
}

/* "0xffff 0x8001" */
static const char *
keys_text(const struct table *t, char *buf, size_t len)
{
	size_t at = 0;

	snprintf(buf, len, "none");
	for (unsigned i = 0; i < t->n && at < len; i++)
		at += (size_t)snprintf(buf + at, len - at, "%s0x%04x", i ? " " : "", t->key[i]);
	return buf;
}

static void
one_table(struct check_run *c, const struct fab_port *p, const struct table *t)
{
	char name[CHECK_NAME_BYTES], keys[8 * BLOCK_KEYS];
	struct check_about w = { .a = p };

	check_name(c, p, name);
	if (!t->n) {
		check_find(c, CHECK_ERROR, "pkey_none", &w, "%s has no P_Key at all: it cannot talk to anybody", name);
		return;
	}
	if ((t->raw[0] & ~FULL) != DEFAULT_KEY)
		check_find(c, CHECK_WARNING, "pkey_index0", &w, "%s has 0x%04x at index 0 and not the default partition, where managers look for it (its P_Keys: %s)",
			name, t->raw[0], keys_text(t, keys, sizeof(keys)));
	for (unsigned i = 1; i < t->n; i++)
		if ((t->key[i] & ~FULL) == (t->key[i - 1] & ~FULL) && t->key[i] != t->key[i - 1])
			check_find(c, CHECK_INFO, "pkey_both", &w, "%s is a full and a limited member of partition 0x%04x", name, t->key[i] & ~FULL);
		else if (t->key[i] == t->key[i - 1])
			check_find(c, CHECK_WARNING, "pkey_twice", &w, "%s has the P_Key 0x%04x twice", name, t->key[i]);
}

/* The end port whose table is asked for: that of the subnet manager which ports obey. */
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

/* Equal tables have equal sums. */
static uint64_t
sum_of(const struct table *t)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < t->n; i++)
		h = (h ^ t->key[i]) * UINT64_C(0x100000001b3);
	return h;
}

static void
end_ports(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	const struct fab_port *sm = manager(c);
	uint64_t *v = xcalloc(s->nendports + 1u, sizeof(*v)), usual;
	struct table mine = sm ? table_of(c, sm) : (struct table){ .known = false };
	char name[CHECK_NAME_BYTES], other[CHECK_NAME_BYTES], keys[8 * BLOCK_KEYS];
	size_t n = 0, count, unknown = 0;

	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct table t = table_of(c, p);

		unknown += !t.known;
		if (t.known && !fab_is_switch(fab_node_of(&c->f, p)))
			v[n++] = sum_of(&t);
	}
	usual = check_majority(v, n, &count);
	check_looked(c, "%u end ports", s->nendports - (unsigned)unknown);
	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct table t = table_of(c, p);

		if (!t.known)
			continue;
		one_table(c, p, &t);
		if (mine.known && mine.n < BLOCK_KEYS && t.n < BLOCK_KEYS && t.n && p != sm && !can_talk(&t, &mine))
			check_find(c, CHECK_ERROR, "pkey_no_sm", &(struct check_about){ .a = p, .b = sm },
				"%s shares no partition with the subnet manager at %s: its P_Keys are %s", check_name(c, p, name), check_name(c, sm, other),
				keys_text(&t, keys, sizeof(keys)));
		if (!fab_is_switch(fab_node_of(&c->f, p)) && n >= ALIKE_MIN && MOST(count, n) && sum_of(&t) != usual)
			check_find(c, CHECK_INFO, "pkey_unlike", &(struct check_about){ .a = p }, "%s has other P_Keys than %zu of %zu adapter ports: %s",
				check_name(c, p, name), count, n, keys_text(&t, keys, sizeof(keys)));
	}
	free(v);
}

/* ---- switches that enforce ---- */

static void
answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct guard *g = arg;

	(void)d;
	(void)q;
	g->end = r->end;
	if (r->end == DIAG_OK)
		g->table = read_table(r->data);
}

static void
judge(struct check_run *c, const struct guard *g)
{
	const struct fab_port *at = &c->f.s->ports[g->at], *host = &c->f.s->ports[g->host];
	struct table t = table_of(c, host);
	char name[CHECK_NAME_BYTES], sw[CHECK_NAME_BYTES], object[64];

	if (g->end != DIAG_OK || !t.known || g->table.n == BLOCK_KEYS)
		return;
	for (unsigned i = 0; i < t.n; i++) {
		if (has(&g->table, t.key[i] | FULL) || has(&g->table, t.key[i] & DEFAULT_KEY))
			continue;
		snprintf(object, sizeof(object), "0x%016" PRIx64 "-0x%04x", host->guid, t.key[i] & DEFAULT_KEY);
		check_find(c, CHECK_ERROR, "pkey_not_at_switch", &(struct check_about){ .a = host, .b = at, .object = object },
			"%s is a member of partition 0x%04x, but %s enforces partitions and lacks it: packets are thrown away", check_name(c, host, name),
			t.key[i] & DEFAULT_KEY, check_name(c, at, sw));
	}
}

static void
guards(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	struct guard *g = xcalloc(s->nendports + 1u, sizeof(*g));
	size_t n = 0;

	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]], *q;
		struct diag_addr a;
		struct port_info info;

		if (fab_is_switch(fab_node_of(&c->f, p)) || p->peer == FAB_NONE)
			continue;
		q = &s->ports[p->peer];
		info = port_info_decode(q->info);
		if (!fab_is_switch(fab_node_of(&c->f, q)) || !check_known(q) || !(info.partition_enforce_in || info.partition_enforce_out))
			continue;
		a = diag_addr_path(fab_node_of(&c->f, q)->path, fab_node_of(&c->f, q)->hop_count);
		g[n] = (struct guard){ .at = p->peer, .host = s->endports[i] };
		diag_submit(c->d, &(struct diag_request){ .to = &a, .attr_id = PKEY_TABLE_ID, .modifier = (uint32_t)q->num << 16, .quiet = true }, answered,
			&g[n++]);
	}
	if (n)
		diag_run(c->d);
	for (size_t i = 0; i < n; i++)
		judge(c, &g[i]);
	free(g);
}

static void
run(struct check_run *c)
{
	if (!c->f.s->npkey_blocks) {
		check_skipped(c, "the file has no P_Key tables");
		return;
	}
	end_ports(c);
	if (diag_can_ask(c->d))
		guards(c);
}

const struct check check_pkeys = { .name = "pkeys", .about = "partitions: who cannot talk to the manager, switches that enforce others",
	.wants = DIAG_WANT_PKEYS, .flags = CHECK_REGISTERS, .run = run };
