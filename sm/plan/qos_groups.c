/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_groups.c - resolves the port groups of qos-policy.conf.
 * Room: sm/plan.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/plan/qos_groups.h"
#include "util/bisect.h"
#include "util/xalloc.h"

/* Adds end port 'port'; for port 0 of a switch, all its ports. */
static void
add_port(const struct snapshot *s, uint64_t *set, uint32_t port)
{
	const struct fab_node *n = &s->nodes[s->ports[port].node];

	bits_set(set, port);
	for (unsigned i = 1; fab_is_switch(n) && i <= n->nports; i++)
		bits_set(set, n->first_port + i);
}

/* The port's planned table, otherwise the one that was read; '*keys' is its number of P_Keys. */
static const uint8_t *
table_of(const struct snapshot *s, const struct pkey_plan *plan, uint32_t port, uint32_t *keys)
{
	const struct fab_port *p = &s->ports[port];
	uint32_t blocks = pkey_plan_blocks(plan, port);

	*keys = blocks * PKEY_BLOCK_KEYS;
	if (blocks)
		return pkey_plan_block(plan, port, 0);
	if (p->pkeys == FAB_NONE)
		return NULL;
	*keys = (p->more_pkeys + 1u) * PKEY_BLOCK_KEYS;
	return s->pkey_blocks[p->pkeys];
}

static bool
holds_pkey(const struct snapshot *s, const struct pkey_plan *plan, uint32_t port,
	const struct qos_ranges *r)
{
	uint32_t n;
	const uint8_t *table = table_of(s, plan, port, &n);

	for (uint32_t i = 0; table && i < n; i++) {
		uint16_t base = ATTR_GET_ITEM(pkey_table, pkey, table, i) & PKEY_BASE_MASK;

		if (base && qos_ranges_has(r, base))
			return true;
	}
	return false;
}

static bool
is_meant(const struct snapshot *s, const struct pkey_plan *plan, const struct qos_group *g,
	uint32_t port)
{
	const struct fab_port *p = &s->ports[port];

	if (g->types >> s->nodes[p->node].type & 1 ||
	    (g->types & QOS_TYPE_SELF && port == s->sm_port))
		return true;
	return qos_ranges_has(&g->guids, p->guid) ||
		(g->pkeys.n && holds_pkey(s, plan, port, &g->pkeys));
}

/* ---- names ---- */

struct name {
	const char *text;               /* NUL-terminated */
	uint32_t node;
};

static int
by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* All node descriptions, sorted; bytes that cannot be printed become blanks, as other programs
 * show them.  '*text' holds their memory. */
static struct name *
sorted_names(const struct snapshot *s, char **text)
{
	enum { BYTES = NODE_DESC_BYTES + 1 };
	struct name *v = xcalloc((size_t)s->nnodes + 1, sizeof(*v));

	*text = xcalloc((size_t)s->nnodes + 1, BYTES);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		char *t = *text + (size_t)i * BYTES;

		memcpy(t, s->nodes[i].desc, NODE_DESC_BYTES);
		for (char *p = t; *p; p++)
			if ((unsigned char)*p < 32 || (unsigned char)*p >= 127)
				*p = ' ';
		for (size_t n = strlen(t); n && t[n - 1] == ' '; n--)
			t[n - 1] = '\0';
		v[i] = (struct name){ t, i };
	}
	if (s->nnodes)
		qsort(v, s->nnodes, sizeof(*v), by_text);
	return v;
}

/* Adds the named port of every node with that description. */
static void
add_named(const struct snapshot *s, const struct name *names, const struct qos_port_name *want,
	uint64_t *set)
{
	uint32_t at;

	BISECT(at, s->nnodes, strcmp(names[at].text, want->node) < 0);
	for (; at < s->nnodes && strcmp(names[at].text, want->node) == 0; at++) {
		const struct fab_node *n = &s->nodes[names[at].node];

		if (want->port > n->nports)
			continue;
		bits_set(set, n->first_port + want->port);
		if (fab_is_switch(n))
			bits_set(set, n->first_port);
	}
}

static void
resolve_names(const struct snapshot *s, struct qos_groups *g)
{
	struct name *names = NULL;
	char *text = NULL;

	for (uint32_t i = 0; i < g->policy->ngroups; i++)
		for (uint32_t k = 0; k < g->policy->groups[i].nnames; k++) {
			if (!names)
				names = sorted_names(s, &text);
			add_named(s, names, &g->policy->groups[i].names[k], g->bits + i * g->words);
		}
	free(names);
	free(text);
}

struct qos_groups *
qos_groups_new(const struct snapshot *s, const struct pkey_plan *keys,
	const struct partitions *partitions, const struct qos_policy *policy)
{
	struct qos_groups *g = xcalloc(1, sizeof(*g));

	g->partitions = partitions;
	g->policy = policy;
	g->words = BITS_WORDS(s->nports) + 1;
	if (!policy)
		return g;
	g->bits = xcalloc((size_t)policy->ngroups * g->words + 1, sizeof(*g->bits));
	for (uint32_t i = 0; i < policy->ngroups; i++)
		for (uint32_t k = 0; k < s->nendports; k++)
			if (is_meant(s, keys, &policy->groups[i], s->endports[k]))
				add_port(s, g->bits + i * g->words, s->endports[k]);
	resolve_names(s, g);
	return g;
}

void
qos_groups_free(struct qos_groups *g)
{
	if (!g)
		return;
	free(g->bits);
	free(g);
}
