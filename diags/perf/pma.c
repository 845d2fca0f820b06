/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma.c - reads the counters of a whole fabric, many nodes at a time.
 * Room: diags/perf. For each node: its capabilities (ClassPortInfo), once; then, if wanted, the
 * sums over its ports; then its ports.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/gmp.h"
#include "diags/fabric/select.h"
#include "diags/perf/pma.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/wire/wire.h"
#include "util/xalloc.h"
#include "libmad/attr/codes.h"

#define NODES_AT_ONCE 1024
#define PMA_DATA_BYTES 192

enum caps_state { CAPS_UNKNOWN, CAPS_KNOWN, CAPS_REFUSED, CAPS_UNRESPONSIVE, CAPS_ABSENT };

struct node_caps {
	uint8_t state;                  /* enum caps_state */
	uint16_t mask;
	uint32_t mask2;
};

struct pma {
	struct diag *d;
	const struct diag_fabric *f;
	struct node_caps *caps;         /* by node index */
	struct gmp_levels *levels;
};

/* One call of pma_sweep(). */
struct sweep {
	struct pma *p;
	const struct pma_sweep *what;
	pma_taken *done;
	void *arg;
	uint32_t next, ended;           /* node indices */
	bool feeding;
};

/* A node whose requests are open; the jobs of its sums and ports refer to it. */
struct node_job {
	struct sweep *s;
	uint32_t node;
	unsigned holds;
};

/* A port whose requests are open. */
struct port_job {
	struct node_job *n;
	unsigned waiting;               /* open requests */
	struct pma_port p;
};

static const struct pma_request {
	unsigned want;
	uint16_t attr_id;
	size_t image, bytes;
} requests[] = {
	{ PMA_WANT_COUNTERS, PM_PORT_COUNTERS_ID, offsetof(struct pma_port, counters),
		PM_PORT_COUNTERS_BYTES },
	{ PMA_WANT_EXT, PM_PORT_COUNTERS_EXT_ID, offsetof(struct pma_port, ext),
		PM_PORT_COUNTERS_EXT_BYTES },
	{ PMA_WANT_RCV_DETAILS, PM_RCV_ERROR_DETAILS_ID, offsetof(struct pma_port, rcv_details),
		PM_RCV_ERROR_DETAILS_BYTES },
	{ PMA_WANT_XMIT_DETAILS, PM_XMIT_DISCARD_DETAILS_ID, offsetof(struct pma_port,
		xmit_details), PM_XMIT_DISCARD_DETAILS_BYTES },
	{ PMA_WANT_EXT_SPEEDS, PM_EXT_SPEEDS_ID, offsetof(struct pma_port, ext_speeds),
		PM_EXT_SPEEDS_RSFEC_BYTES },
};
#define NREQUESTS (sizeof(requests) / sizeof(requests[0]))

struct pma *
pma_new(struct diag *d, const struct diag_fabric *f)
{
	struct pma *p = xcalloc(1, sizeof(*p));

	p->d = d;
	p->f = f;
	p->levels = gmp_levels_new(d, f);
	p->caps = xcalloc(f->s->nnodes + 1u, sizeof(*p->caps));
	return p;
}

void
pma_free(struct pma *p)
{
	if (!p)
		return;
	free(p->caps);
	gmp_levels_free(p->levels);
	free(p);
}

struct gmp_levels *
pma_levels(struct pma *p)
{
	return p->levels;
}

struct pma_caps
pma_node_caps(const struct pma *p, const struct fab_node *n)
{
	const struct node_caps *c = &p->caps[n - p->f->s->nodes];

	return (struct pma_caps){ c->state == CAPS_KNOWN, c->mask, c->mask2 };
}

bool
pma_node_failed(const struct pma *p, const struct fab_node *n)
{
	const struct node_caps *c = &p->caps[n - p->f->s->nodes];

	return c->state == CAPS_REFUSED || c->state == CAPS_UNRESPONSIVE || c->state == CAPS_ABSENT;
}

void
pma_report(struct diag *d, const struct diag_where *who, int select, uint16_t attr_id,
	const struct diag_reply *r)
{
	const char *attr = dgram_attr_name(CLASS_PM, attr_id);
	char label[DIAG_LABEL_BYTES], where[20] = "", name[DIAG_NAME_BYTES + 4] = "";
	struct diag_where w = *who;

	diag_label(who->addr, label);
	if (select >= 0)
		snprintf(where, sizeof(where), " port %d", select);
	if (who->name)
		snprintf(name, sizeof(name), " (%s)", who->name);
	w.port = select;
	w.attribute = attr;
	w.mad_status = r->end == DIAG_STATUS ? r->status : 0;
	if (r->end == DIAG_STATUS)
		diag_warn(d, EXIT_PARTIAL, "mad_status", &w, "status 0x%04x (%s): %s%s%s %s",
			r->status,
			dgram_status_text(r->status, false), label, where, name, attr);
	else
		diag_warn(d, EXIT_PARTIAL, diag_end_code(r->end), &w, "%s: %s%s%s %s",
			diag_end_text(d, r->end), label, where, name, attr);
}

static void
report_port(struct pma *p, const struct fab_port *port, int select, const struct diag_request *q,
	const struct diag_reply *r)
{
	const struct fab_node *n = fab_node_of(p->f, port);
	struct diag_where w = DIAG_NOWHERE;
	char name[DIAG_NAME_BYTES];

	w.addr = q->to;
	w.node_guid = n->guid;
	w.port_guid = port->guid;
	w.name = fab_name(p->d, n, name);
	pma_report(p->d, &w, select, q->attr_id, r);
}

/* ---- one node ---- */

static void nodes_feed(struct sweep *s);

static bool
is_wanted(const struct sweep *s, const struct fab_port *p)
{
	return gmp_can_ask(s->p->f, p) && select_port(s->what->only, p) &&
		(!s->what->wanted || s->what->wanted(s->arg, p));
}

/* Returns the first port of the node that is to be read, or NULL. */
static const struct fab_port *
first_port(const struct sweep *s, uint32_t node)
{
	const struct fab_node *n = &s->p->f->s->nodes[node];

	for (unsigned i = 0; i <= n->nports; i++) {
		const struct fab_port *p = fab_port_of(s->p->f, n, i);

		if (is_wanted(s, p))
			return p;
	}
	return NULL;
}

static void
release_node(struct node_job *n)
{
	struct sweep *s = n->s;

	if (--n->holds)
		return;
	free(n);
	s->ended++;
	diag_progress(s->p->d, "counters of %u of %u nodes", s->ended, s->p->f->s->nnodes);
	nodes_feed(s);
}

static struct port_job *
port_job_new(struct node_job *n, const struct fab_port *port, uint8_t select)
{
	struct port_job *j = xcalloc(1, sizeof(*j));
	struct sweep *s = n->s;

	j->n = n;
	j->p.port = (uint32_t)(port - s->p->f->s->ports);
	j->p.select = select;
	j->p.caps = pma_node_caps(s->p, fab_node_of(s->p->f, port));
	j->waiting = 1;                 /* released when all requests are submitted */
	n->holds++;
	return j;
}

static void ask_ports(struct node_job *n);

static void
release_port(struct port_job *j)
{
	struct node_job *n = j->n;
	struct sweep *s = n->s;
	bool closer = true;

	if (--j->waiting)
		return;
	s->done(s->p->d, s->arg, &j->p);
	if (j->p.select == PM_PORT_ALL) {
		closer = s->what->look_closer(s->arg, &j->p);
		if (closer)
			ask_ports(n);
	}
	free(j);
	release_node(n);
}

static const struct pma_request *
request_of(uint16_t attr_id)
{
	const struct pma_request *q = requests;

	while (q->attr_id != attr_id)
		q++;
	return q;
}

static void
port_answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct port_job *j = arg;
	struct pma *p = j->n->s->p;
	const struct pma_request *k = request_of(q->attr_id);
	bool absent = r->end == DIAG_STATUS &&
		k->want & ~(unsigned)(PMA_WANT_COUNTERS | PMA_WANT_EXT) &&
		(r->status & 0x1c) == STATUS_BAD_METHOD_ATTR;

	(void)d;
	if (r->end == DIAG_OK && r->bytes >= k->bytes) {
		memcpy((uint8_t *)&j->p + k->image, r->data, k->bytes);
		j->p.got |= (uint8_t)k->want;
		j->p.at_us = diag_now_us();
	} else if (!absent) {
		if (j->p.end == DIAG_OK) {
			j->p.end = r->end == DIAG_OK ? DIAG_FAILED : r->end;
			j->p.status = r->status;
		}
		report_port(p, &p->f->s->ports[j->p.port], j->p.select, q, r);
	}
	release_port(j);
}

/* Returns the attributes that 'wants' means for a device with these capabilities. */
static unsigned
attributes(const struct pma_caps *c, unsigned wants)
{
	bool ext = c->mask & (PM_CLASS_CAP_EXT | PM_CLASS_CAP_EXT_NO_CAST);

	if (wants & PMA_WANT_ERRORS)
		wants |= ext && c->mask2 & PMA_CAP2_EXT_ERRORS ? PMA_WANT_EXT : PMA_WANT_COUNTERS;
	if (wants & PMA_WANT_DATA)
		wants |= ext ? PMA_WANT_EXT : PMA_WANT_COUNTERS;
	return ext ? wants : wants & ~(unsigned)PMA_WANT_EXT;
}

static void
ask_port(struct port_job *j)
{
	struct pma *p = j->n->s->p;
	uint8_t data[PMA_DATA_BYTES] = { 0 };
	struct diag_addr to = gmp_addr(p->levels, &p->f->s->ports[j->p.port]);
	unsigned wants = attributes(&j->p.caps, j->n->s->what->wants);

	pm_set_port_select(data, j->p.select);
	for (size_t i = 0; i < NREQUESTS; i++) {
		struct diag_request q = {
			.to = &to, .mgmt_class = CLASS_PM, .attr_id = requests[i].attr_id,
			.payload = data, .payload_bytes = sizeof(data),
			.quiet = true,
		};

		if (!(wants & requests[i].want))
			continue;
		j->waiting++;
		diag_submit(p->d, &q, port_answered, j);
	}
	release_port(j);
}

/* Reads the ports of a node. If the node is unresponsive, no further requests are sent to it. */
static void
ask_ports(struct node_job *n)
{
	struct pma *p = n->s->p;
	const struct fab_node *node = &p->f->s->nodes[n->node];

	for (unsigned i = 0; i <= node->nports; i++) {
		const struct fab_port *port = fab_port_of(p->f, node, i);
		struct port_job *j;

		if (!is_wanted(n->s, port))
			continue;
		j = port_job_new(n, port, (uint8_t)i);
		if (p->caps[n->node].state == CAPS_UNRESPONSIVE ||
		    p->caps[n->node].state == CAPS_ABSENT) {
			j->p.end = p->caps[n->node].state == CAPS_UNRESPONSIVE ? DIAG_TIMEOUT :
				DIAG_ABSENT;
			release_port(j);
		} else {
			ask_port(j);
		}
	}
}

static void
ask_node(struct node_job *n)
{
	struct pma *p = n->s->p;

	if (n->s->what->look_closer && p->caps[n->node].mask & PM_CLASS_CAP_ALL_PORTS)
		ask_port(port_job_new(n, first_port(n->s, n->node), PM_PORT_ALL));
	else
		ask_ports(n);
	release_node(n);
}

static void
caps_answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct node_job *n = arg;
	struct pma *p = n->s->p;
	struct node_caps *c = &p->caps[n->node];

	(void)d;
	if (r->end == DIAG_OK && r->bytes >= CLASS_PORT_INFO_BYTES) {
		struct class_port_info i = class_port_info_decode(r->data);

		*c = (struct node_caps){ CAPS_KNOWN, i.capability_mask, i.capability_mask2 };
	} else {
		*c = (struct node_caps){ .state = r->end == DIAG_STATUS ? CAPS_REFUSED :
			r->end == DIAG_ABSENT ? CAPS_ABSENT : CAPS_UNRESPONSIVE };
		report_port(p, first_port(n->s, n->node), -1, q, r);
	}
	ask_node(n);
}

static void
start_node(struct sweep *s, uint32_t node)
{
	struct pma *p = s->p;
	const struct fab_port *port = first_port(s, node);
	struct diag_request q = { .mgmt_class = CLASS_PM, .attr_id = ATTR_CLASS_PORT_INFO,
		.quiet = true };
	struct node_job *n;
	struct diag_addr to;

	if (!port || (s->what->types && !(s->what->types >> p->f->s->nodes[node].type & 1))) {
		s->ended++;
		return;
	}
	n = xcalloc(1, sizeof(*n));
	*n = (struct node_job){ .s = s, .node = node, .holds = 1 };
	if (p->caps[node].state == CAPS_KNOWN) {
		ask_node(n);
		return;
	}
	to = gmp_addr(p->levels, port);
	q.to = &to;
	diag_submit(p->d, &q, caps_answered, n);
}

/* Starts nodes up to a limit: enough that none waits for an unresponsive one, without all requests
 * in memory at the same time. */
static void
nodes_feed(struct sweep *s)
{
	if (s->feeding)
		return;
	s->feeding = true;
	while (s->next < s->p->f->s->nnodes && s->next - s->ended < NODES_AT_ONCE)
		start_node(s, s->next++);
	s->feeding = false;
}

int
pma_sweep(struct pma *p, const struct pma_sweep *what, pma_taken *done, void *arg)
{
	struct sweep s = { .p = p, .what = what, .done = done, .arg = arg };
	int e;

	if (diag_open(p->d))
		return -ENODEV;
	engine_conf(p->d, diag_settings(p->d)->outstanding, RETRY_TOOL_SWEEP);
	nodes_feed(&s);
	e = diag_run(p->d);
	engine_conf(p->d, diag_settings(p->d)->outstanding, RETRY_TOOL_SINGLE);
	return e;
}
