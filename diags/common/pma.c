/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pma.c - reads the counters of a whole fabric, many nodes at a time.
 * Room: diags.  Each node: what it can, once (ClassPortInfo); then, if wanted, the sums over its ports; then its ports.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/common/diag_int.h"
#include "diags/common/pma.h"
#include "libmad/wire/wire.h"
#include "util/xalloc.h"

#define LID_UNICAST_MAX 0xbfff
#define GID_PREFIX_DEFAULT UINT64_C(0xfe80000000000000)
#define NODES_AT_ONCE 1024
#define PMA_DATA_BYTES 192

enum caps_state { CAPS_UNKNOWN, CAPS_KNOWN, CAPS_REFUSED, CAPS_MUTE, CAPS_ABSENT };

struct node_caps {
	uint8_t state;                  /* enum caps_state */
	uint16_t mask;
	uint32_t mask2;
};

struct pma {
	struct diag *d;
	const struct diag_fabric *f;
	struct node_caps *caps;         /* by node */
	uint8_t *levels;                /* by LID; NULL: not asked */
};

/* One call of pma_sweep(). */
struct sweep {
	struct pma *p;
	const struct pma_sweep *what;
	pma_taken *done;
	void *arg;
	uint32_t next, ended;           /* nodes */
	bool feeding;
};

/* A node while it is asked; sums and ports hold on to it. */
struct node_job {
	struct sweep *s;
	uint32_t node;
	unsigned holds;
};

/* A port while it is asked. */
struct port_job {
	struct node_job *n;
	unsigned waiting;               /* questions on their way */
	struct pma_port p;
};

static const struct question {
	unsigned want;
	uint16_t attr_id;
	size_t image, bytes;
} questions[] = {
	{ PMA_WANT_COUNTERS, PM_PORT_COUNTERS_ID, offsetof(struct pma_port, counters), PM_PORT_COUNTERS_BYTES },
	{ PMA_WANT_EXT, PM_PORT_COUNTERS_EXT_ID, offsetof(struct pma_port, ext), PM_PORT_COUNTERS_EXT_BYTES },
	{ PMA_WANT_RCV_DETAILS, PM_RCV_ERROR_DETAILS_ID, offsetof(struct pma_port, rcv_details), PM_RCV_ERROR_DETAILS_BYTES },
	{ PMA_WANT_XMIT_DETAILS, PM_XMIT_DISCARD_DETAILS_ID, offsetof(struct pma_port, xmit_details), PM_XMIT_DISCARD_DETAILS_BYTES },
	{ PMA_WANT_EXT_SPEEDS, PM_EXT_SPEEDS_ID, offsetof(struct pma_port, ext_speeds), PM_EXT_SPEEDS_RSFEC_BYTES },
};
#define NQUESTIONS (sizeof(questions) / sizeof(questions[0]))

struct pma *
pma_new(struct diag *d, const struct diag_fabric *f)
{
	struct pma *p = xcalloc(1, sizeof(*p));

	p->d = d;
	p->f = f;
	p->caps = xcalloc(f->s->nnodes + 1u, sizeof(*p->caps));
	return p;
}

void
pma_free(struct pma *p)
{
	if (!p)
		return;
	free(p->caps);
	free(p->levels);
	free(p);
}

int
pma_ask_levels(struct pma *p)
{
	const uint64_t mask = 1 << 3 | 1 << 11 | 1 << 12;       /* SGID, Reversible, NumbPath */
	struct path_record q = { .num_path = 1, .reversible = 1 };
	uint8_t image[PATH_RECORD_BYTES] = { 0 };
	const struct io_port *port;
	struct diag_reply r;
	int e = diag_open(p->d);

	if (e)
		return e;
	port = diag_port(p->d);
	wire_put64(q.sgid, port->gid_prefix ? port->gid_prefix : GID_PREFIX_DEFAULT);
	wire_put64(q.sgid + 8, port->port_guid);
	path_record_encode(image, &q);
	e = diag_sa(p->d, METHOD_GET_TABLE, PATH_RECORD_ID, mask, image, sizeof(image), &r);
	if (e) {
		diag_warn(p->d, EXIT_PARTIAL, e == -EPROTO ? "mad_status" : "timeout", NULL, "no service levels from the SA: level 0 is used");
		return EXIT_PARTIAL;
	}
	free(p->levels);
	p->levels = xcalloc(LID_UNICAST_MAX + 1u, 1);
	for (size_t i = 0; i < DIAG_SA_RECORDS(&r) && r.stride >= PATH_RECORD_BYTES; i++) {
		struct path_record rec = path_record_decode(DIAG_SA_RECORD(&r, i));

		if (rec.dlid <= LID_UNICAST_MAX)
			p->levels[rec.dlid] = rec.sl;
	}
	return 0;
}

bool
pma_can_ask(const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_node *n = fab_node_of(f, p);
	uint16_t lid = fab_lid(f, p);

	if (!(p->flags & FAB_PORT_INFO) || lid == 0 || lid > LID_UNICAST_MAX)
		return false;
	if (p->num > 0)
		return true;
	return fab_is_switch(n) && n->flags & FAB_NODE_SWITCH_INFO && switch_info_decode(n->switch_info).enhanced_port0;
}

struct diag_addr
pma_addr(const struct pma *p, const struct fab_port *port)
{
	struct diag_addr a = diag_addr_lid(fab_lid(p->f, port));

	if (p->levels && a.lid <= LID_UNICAST_MAX)
		a.sl = p->levels[a.lid];
	return a;
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

	return c->state == CAPS_REFUSED || c->state == CAPS_MUTE || c->state == CAPS_ABSENT;
}

void
pma_report(struct diag *d, const struct diag_where *who, int select, uint16_t attr_id, const struct diag_reply *r)
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
		diag_warn(d, EXIT_PARTIAL, "mad_status", &w, "status 0x%04x (%s): %s%s%s %s", r->status,
			dgram_status_text(r->status, false), label, where, name, attr);
	else
		diag_warn(d, EXIT_PARTIAL, diag_end_code(r->end), &w, "%s: %s%s%s %s", diag_end_text(d, r->end), label, where, name, attr);
}

static void
report_port(struct pma *p, const struct fab_port *port, int select, const struct diag_request *q, const struct diag_reply *r)
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

static void feed(struct sweep *s);

static bool
is_wanted(const struct sweep *s, const struct fab_port *p)
{
	return pma_can_ask(s->p->f, p) && select_port(s->what->only, p) && (!s->what->wanted || s->what->wanted(s->arg, p));
}

/* The first port of the node that is asked for anything; NULL: none is. */
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
	feed(s);
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
	j->waiting = 1;                 /* our own, until all is asked */
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
	if (j->p.select == PMA_ALL_PORTS) {
		closer = s->what->look_closer(s->arg, &j->p);
		if (closer)
			ask_ports(n);
	}
	free(j);
	release_node(n);
}

static const struct question *
question_of(uint16_t attr_id)
{
	const struct question *q = questions;

	while (q->attr_id != attr_id)
		q++;
	return q;
}

static void
port_answered(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct port_job *j = arg;
	struct pma *p = j->n->s->p;
	const struct question *k = question_of(q->attr_id);
	bool absent = r->end == DIAG_STATUS && k->want & ~(unsigned)(PMA_WANT_COUNTERS | PMA_WANT_EXT) && (r->status & 0x1c) == STATUS_BAD_METHOD_ATTR;

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

/* The attributes that 'wants' means on such a device. */
static unsigned
attributes(const struct pma_caps *c, unsigned wants)
{
	bool ext = c->mask & (PMA_CAP_EXT | PMA_CAP_EXT_NO_CAST);

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
	struct diag_addr to = pma_addr(p, &p->f->s->ports[j->p.port]);
	unsigned wants = attributes(&j->p.caps, j->n->s->what->wants);

	data[1] = j->p.select;
	for (size_t i = 0; i < NQUESTIONS; i++) {
		struct diag_request q = {
			.to = &to, .mgmt_class = CLASS_PM, .attr_id = questions[i].attr_id, .payload = data, .payload_bytes = sizeof(data),
			.quiet = true,
		};

		if (!(wants & questions[i].want))
			continue;
		j->waiting++;
		diag_submit(p->d, &q, port_answered, j);
	}
	release_port(j);
}

/* What does not answer at all is not asked again for each of its ports. */
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
		if (p->caps[n->node].state == CAPS_MUTE || p->caps[n->node].state == CAPS_ABSENT) {
			j->p.end = p->caps[n->node].state == CAPS_MUTE ? DIAG_TIMEOUT : DIAG_ABSENT;
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

	if (n->s->what->look_closer && p->caps[n->node].mask & PMA_CAP_ALL_PORTS)
		ask_port(port_job_new(n, first_port(n->s, n->node), PMA_ALL_PORTS));
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
		*c = (struct node_caps){ .state = r->end == DIAG_STATUS ? CAPS_REFUSED : r->end == DIAG_ABSENT ? CAPS_ABSENT : CAPS_MUTE };
		report_port(p, first_port(n->s, n->node), -1, q, r);
	}
	ask_node(n);
}

static void
start_node(struct sweep *s, uint32_t node)
{
	struct pma *p = s->p;
	const struct fab_port *port = first_port(s, node);
	struct diag_request q = { .mgmt_class = CLASS_PM, .attr_id = ATTR_CLASS_PORT_INFO, .quiet = true };
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
	to = pma_addr(p, port);
	q.to = &to;
	diag_submit(p->d, &q, caps_answered, n);
}

/* So many nodes at a time that none waits for a mute one, and not all questions lie in memory. */
static void
feed(struct sweep *s)
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
	engine_conf(p->d, p->d->set.outstanding, ENGINE_SWEEP);
	feed(&s);
	e = diag_run(p->d);
	engine_conf(p->d, p->d->set.outstanding, ENGINE_SINGLE);
	return e;
}
