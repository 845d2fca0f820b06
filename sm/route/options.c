/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options.c - finds what options name in vain.
 * Room: sm/route.  Pure.  In: options, the fabric, an engine.  Out: sentences.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sm/conf/routing/groups.h"
#include "sm/conf/routing/lines.h"
#include "sm/route/options.h"

/* Collects what is unknown: the first as a sentence, the rest as a number. */
struct unknown {
	const struct snapshot *s;
	const struct intended *t;
	char *buf;
	size_t len;
	uint32_t n;
};

/* The number of ports of a switch, there or intended; 0: unknown. */
static unsigned
switch_ports(const struct unknown *u, uint64_t guid)
{
	uint32_t node = snapshot_node_by_guid(u->s, guid), sw;

	if (node != FAB_NONE)
		return fab_is_switch(&u->s->nodes[node]) ? u->s->nodes[node].nports : 0;
	sw = u->t ? intended_switch_find(u->t, guid) : INTENDED_NONE;
	return sw == INTENDED_NONE ? 0 : u->t->sw[sw].nports;
}

/* Whether it is the GUID of an end port, there or intended. */
static bool
is_endport(const struct unknown *u, uint64_t guid)
{
	return snapshot_port_by_guid(u->s, guid) != FAB_NONE || switch_ports(u, guid) ||
		(u->t && intended_host_find(u->t, guid) != INTENDED_NONE);
}

static void
note_guid(struct unknown *u, const char *file, uint32_t line, const char *what, uint64_t guid)
{
	if (!u->n++)
		snprintf(u->buf, u->len, "%.160s:%" PRIu32 ": the fabric has no %s 0x%016" PRIx64,
			file, line, what, guid);
}

static void
check_order(struct unknown *u, const struct routing_lines *t)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		if (!is_endport(u, t->line[i].guid))
			note_guid(u, t->file, t->line[i].number, "port", t->line[i].guid);
}

/* The first 'n' numbers of each line are ports of its switch. */
static void
check_switches(struct unknown *u, const struct routing_lines *t, uint32_t n)
{
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct routing_line *l = &t->line[i];
		unsigned ports = switch_ports(u, l->guid);

		if (!ports)
			note_guid(u, t->file, l->number, "switch", l->guid);
		for (uint32_t k = 0; ports && k < l->n && k < n; k++) {
			if (l->v[k] <= ports)
				continue;
			if (!u->n++)
				snprintf(u->buf, u->len,
					"%.160s:%" PRIu32 ": switch 0x%016" PRIx64
					" has ports 1 to %u, not %" PRIu32,
					t->file, l->number, l->guid, ports, l->v[k]);
			break;
		}
	}
}

static void
check_roots(struct unknown *u, const struct route_conf *c)
{
	for (uint32_t i = 0; i < c->nroots; i++)
		if (!switch_ports(u, c->roots[i]) && !u->n++)
			snprintf(u->buf, u->len,
				"root_guid_file: the fabric has no switch 0x%016" PRIx64,
				c->roots[i]);
}

static void
check_groups(struct unknown *u, const struct routing_groups *t)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		for (uint32_t k = 0; k < t->group[i].n; k++) {
			const struct routing_group_switch *sw = &t->group[i].sw[k];

			if (!switch_ports(u, sw->guid))
				note_guid(u, t->file, sw->line, "switch", sw->guid);
		}
}

uint32_t
options_unknown(const struct route_conf *c, const struct snapshot *s, const struct intended *t,
	char *buf, size_t len)
{
	struct unknown u = { s, t, buf, len, 0 };
	size_t used;

	buf[0] = '\0';
	if (!c)
		return 0;
	check_roots(&u, c);
	check_order(&u, c->order);
	check_switches(&u, c->ids, 0);
	check_switches(&u, c->weights, 1);
	check_switches(&u, c->ports, UINT32_MAX);
	check_groups(&u, c->groups);
	used = strlen(buf);
	if (u.n > 1)
		snprintf(buf + used, len - used, ", and %" PRIu32 " more line%s", u.n - 1,
			u.n > 2 ? "s" : "");
	return u.n;
}

/* ROUTE_OPTION bits of the options that are set. */
static unsigned
options_set(const struct route_conf *c)
{
	return (c->order ? ROUTE_OPTION_ORDER : 0u) | (c->ports ? ROUTE_OPTION_PORTS : 0u) |
		(c->shift_ports ? ROUTE_OPTION_SHIFT : 0u) |
		(c->scatter ? ROUTE_OPTION_SCATTER : 0u) |
		(c->weights ? ROUTE_OPTION_WEIGHTS : 0u) | (c->ids ? ROUTE_OPTION_IDS : 0u);
}

const char *
options_unserved(const struct route_engine *e, const struct route_conf *c, char *buf, size_t len)
{
	static const char *const keys[] = {
#define O(name, key) key,
		ROUTE_OPTIONS(O)
#undef O
	};
	unsigned unserved = c ? options_set(c) & ~e->options : 0;
	size_t n = 0;

	buf[0] = '\0';
	if (unserved)
		n = (size_t)snprintf(buf, len, "engine %s makes no use of", e->name);
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (unserved >> i & 1 && n < len)
			n += (size_t)snprintf(buf + n, len - n, "%s %s",
				unserved & ((1u << i) - 1) ? "," : "", keys[i]);
	return buf;
}

void
options_remark(struct chain *c, const struct route_in *in)
{
	const struct chain_step *s = chain_choice(c);

	options_unknown(in->conf, in->snapshot, in->intended, c->unknown, sizeof(c->unknown));
	if (s && s->engine)
		options_unserved(s->engine, in->conf, c->unserved, sizeof(c->unserved));
}
