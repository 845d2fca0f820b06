/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * files.c - ports, open files and their agents; issm.
 * Room: sim/kmad.  Pure.
 * In: opens, registrations.  Out: queued messages.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/kmad/kmad_int.h"
#include "util/xalloc.h"


struct kmad *
kmad_new(struct hw *h)
{
	struct kmad *k = xcalloc(1, sizeof(*k));

	k->hw = h;
	k->table_bits = 10;
	k->table = xcalloc((size_t)1 << k->table_bits, sizeof(*k->table));
	k->ready_last = &k->ready_first;
	k->slot_hint = 1;
	return k;
}

void
kmad_free(struct kmad *k)
{
	struct kmad_message *m;
	struct kmad_send *s;

	if (!k)
		return;
	while ((m = k->spare_messages)) {
		k->spare_messages = m->next;
		free(m);
	}
	while ((s = k->spare_sends)) {
		k->spare_sends = s->next;
		free(s);
	}
	for (uint32_t n = 0; n < k->nnodes; n++)
		while (k->ports[n]) {
			struct kmad_port *p = k->ports[n];

			k->ports[n] = p->next;
			free(p);
		}
	free(k->ports);
	free(k->slots);
	free(k->table);
	free(k);
}

const struct kmad_stats *
kmad_stats(const struct kmad *k)
{
	return &k->stats;
}

/* ---- ports and files ---- */

/* The port's record, made if it is the first time; NULL if the node has no such port for a
 * client. */
static struct kmad_port *
port_get(struct kmad *k, uint32_t node, uint8_t num)
{
	struct kmad_port *p = kmad_port_find(k, node, num);
	struct hw_port_view v;

	if (p)
		return p;
	if (node >= hw_nodes(k->hw) || hw_port_view(k->hw, node, num, &v))
		return NULL;
	if ((hw_node_topo(k->hw, node)->type == TOPO_SWITCH) != (num == 0))
		return NULL;            /* a switch's client sits on port 0, others have none */
	if (node >= k->nnodes) {
		uint32_t n = hw_nodes(k->hw);

		k->ports = xreallocarray(k->ports, n, sizeof(struct kmad_port *));
		memset(k->ports + k->nnodes, 0, (n - k->nnodes) * sizeof(struct kmad_port *));
		k->nnodes = n;
	}
	p = xcalloc(1, sizeof(*p));
	p->node = node;
	p->num = num;
	p->next = k->ports[node];
	k->ports[node] = p;
	return p;
}

struct kmad_file *
kmad_open(struct kmad *k, uint32_t node, uint8_t port, void *cookie)
{
	struct kmad_port *p = port_get(k, node, port);
	struct kmad_file *f;

	if (!p)
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->port = p;
	f->cookie = cookie;
	f->last = &f->first;
	p->files++;
	return f;
}

static void
ready_remove(struct kmad *k, struct kmad_file *f)
{
	struct kmad_file **at = &k->ready_first;

	while (*at && *at != f)
		at = &(*at)->ready_next;
	if (!*at)
		return;
	*at = f->ready_next;
	if (!*at)
		k->ready_last = at;
	f->ready = false;
}

void
kmad_close(struct kmad *k, struct kmad_file *f)
{
	if (!f)
		return;
	for (uint32_t id = 0; id < MESSAGE_AGENTS; id++)
		if (f->agents[id])
			kmad_unregister(k, f, id);
	while (f->first)
		kmad_drop(k, f);
	ready_remove(k, f);
	f->port->files--;
	free(f);
}

void *
kmad_cookie(const struct kmad_file *f)
{
	return f->cookie;
}

/* ---- agents ---- */

static bool
is_vendor2(uint8_t mgmt_class)
{
	return mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST;
}

static bool
same_table(const struct kmad_reg *a, const struct kmad_reg *b)
{
	return a->mgmt_class == b->mgmt_class && a->class_version == b->class_version &&
		a->mgmt_class;
}

static bool
has_methods(const struct kmad_reg *r)
{
	return r->methods[0] || r->methods[1];
}

/* Whether 'r' requests methods that another agent of the port has, or a ninth OUI of a vendor
 * class. */
static bool
in_conflict(const struct kmad_port *p, const struct kmad_reg *r)
{
	uint32_t ouis[KMAD_OUIS];
	unsigned n = 0;

	for (const struct kmad_agent *a = p->agents; a; a = a->next) {
		bool known = false;

		if (!same_table(&a->reg, r) || !has_methods(&a->reg))
			continue;
		if (!is_vendor2(r->mgmt_class) || a->reg.oui == r->oui) {
			if ((a->reg.methods[0] & r->methods[0]) ||
			    (a->reg.methods[1] & r->methods[1]))
				return true;
			continue;
		}
		for (unsigned i = 0; i < n; i++)
			known = known || ouis[i] == a->reg.oui;
		if (!known && n < KMAD_OUIS)
			ouis[n++] = a->reg.oui;
	}
	return is_vendor2(r->mgmt_class) && n == KMAD_OUIS;
}

static bool
reg_valid(const struct kmad_reg *r)
{
	bool qp0 = r->mgmt_class == CLASS_SM_LID || r->mgmt_class == CLASS_SM_DR;

	if (r->qpn > 1 || r->rmpp_version > 1)
		return false;
	if (r->mgmt_class == 0)
		return true;
	if (r->class_version >= KMAD_VERSION_MAX)
		return false;
	if (r->mgmt_class >= KMAD_CLASS_MAX && r->mgmt_class != CLASS_SM_DR)
		return false;
	if (is_vendor2(r->mgmt_class) && !(r->oui & 0xffffff))
		return false;
	if (r->rmpp_version && !dgram_class_has_rmpp(r->mgmt_class))
		return false;
	return qp0 == (r->qpn == 0);
}

/* A place in the table of upper halves; 0 when there is none left. */
static uint32_t
slot_take(struct kmad *k, struct kmad_agent *a)
{
	for (uint32_t tried = 0; tried <= k->nslots; tried++) {
		uint32_t i = k->slot_hint;

		if (i >= k->nslots) {
			uint32_t n = k->nslots ? 2 * k->nslots : 64;

			if (k->nslots == KMAD_SLOTS_MAX) {
				k->slot_hint = 1;
				continue;
			}
			k->slots = xreallocarray(k->slots, n, sizeof(*k->slots));
			memset(k->slots + k->nslots, 0, (n - k->nslots) * sizeof(*k->slots));
			k->nslots = n;
		}
		k->slot_hint = i + 1 >= KMAD_SLOTS_MAX ? 1 : i + 1;
		if (!k->slots[i].agent) {
			k->slots[i].agent = a;
			return (uint32_t)k->slots[i].generation << 16 | i;
		}
	}
	return 0;
}

static void
agent_start_rmpp(struct kmad *k, struct kmad_agent *a)
{
	struct rmpp_conf c = rmpp_conf_default();

	a->rmpp = rmpp_new(&c);
	a->rmpp_next = k->rmpp_agents;
	if (a->rmpp_next)
		a->rmpp_next->rmpp_prev = a;
	k->rmpp_agents = a;
}

int
kmad_register(struct kmad *k, struct kmad_file *f, const struct kmad_reg *r, uint32_t *id)
{
	struct kmad_agent *a;
	uint32_t i = 0;

	while (i < MESSAGE_AGENTS && f->agents[i])
		i++;
	if (i == MESSAGE_AGENTS)
		return -ENOMEM;
	if (!reg_valid(r) || in_conflict(f->port, r))
		return -EINVAL;
	a = xcalloc(1, sizeof(*a));
	a->hi = slot_take(k, a);
	if (!a->hi) {
		free(a);
		return -ENOMEM;
	}
	a->file = f;
	a->reg = *r;
	a->id = i;
	a->next = f->port->agents;
	f->port->agents = a;
	f->agents[i] = a;
	if (r->rmpp_version && !r->user_rmpp)
		agent_start_rmpp(k, a);
	*id = i;
	return 0;
}

static void
agent_stop_rmpp(struct kmad *k, struct kmad_agent *a)
{
	if (!a->rmpp)
		return;
	if (a->rmpp_prev)
		a->rmpp_prev->rmpp_next = a->rmpp_next;
	else
		k->rmpp_agents = a->rmpp_next;
	if (a->rmpp_next)
		a->rmpp_next->rmpp_prev = a->rmpp_prev;
	k->sending_bytes -= a->sending_bytes;
	rmpp_free(a->rmpp);
}

int
kmad_unregister(struct kmad *k, struct kmad_file *f, uint32_t id)
{
	struct kmad_agent *a = id < MESSAGE_AGENTS ? f->agents[id] : NULL, **at;

	if (!a)
		return -EINVAL;
	while (a->sends)
		kmad_send_free(k, a->sends);
	agent_stop_rmpp(k, a);
	for (at = &f->port->agents; *at != a; at = &(*at)->next)
		;
	*at = a->next;
	k->slots[a->hi & 0xffff].agent = NULL;
	k->slots[a->hi & 0xffff].generation++;
	f->agents[id] = NULL;
	free(a);
	return 0;
}

/* ---- issm ---- */

int
kmad_issm_open(struct kmad *k, uint32_t node, uint8_t port, struct monotime now)
{
	struct kmad_port *p = port_get(k, node, port);

	if (!p)
		return -ENODEV;
	if (p->issm)
		return -EAGAIN;
	p->issm = true;
	hw_set_issm(k->hw, node, port, true, now);
	kmad_pump(k, now);
	return 0;
}

void
kmad_issm_close(struct kmad *k, uint32_t node, uint8_t port, struct monotime now)
{
	struct kmad_port *p = kmad_port_find(k, node, port);

	if (!p || !p->issm)
		return;
	p->issm = false;
	hw_set_issm(k->hw, node, port, false, now);
	kmad_pump(k, now);
}
