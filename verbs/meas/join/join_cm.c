/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * join_cm.c - connects through our own communication management (libmad/cm) with management
 * datagrams of the port.
 * Room: verbs/meas/join.
 *
 * The subnet manager and its path records decide what is connected: the client queries subnet
 * administration for the path to the server's LID and uses its service level and MTU.
 * docs/cm.md describes the state machine.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/cm/cm.h"
#include "libmad/io/io.h"
#include "util/xalloc.h"
#include "verbs/meas/join/join.h"
#include "verbs/meas/control/msg.h"

#define SERVICE_FIRST UINT64_C(0x1000000048560000)      /* with 16 bits of the token */
#define SA_TIMEOUT_MS 1000
#define SA_TRIES 4
#define CM_TIMEOUT 18                   /* code of one second */
#define CM_RETRIES 5
#define RETRIES 7

struct cm_join {
	struct meas_join pub;
	struct io *io;
	struct io_port port;
	struct cm *cm;
	uint64_t service;
	uint16_t lid;                   /* client: LID of the server */
	bool path_known, begun;         /* client */
	unsigned asked;                 /* number of queries to subnet administration */
	struct path_record path;
	uint32_t *ids;                  /* of each queue pair that has one */
	bool *up;
};

static struct cm_join *
cm_join_of(struct meas_join *j)
{
	return (struct cm_join *)(void *)j;
}

static struct monotime
time_of(uint64_t real_ns)
{
	return (struct monotime){ (int64_t)(real_ns / 1000) };
}

/* ---- the path ---- */

static int
path_query(struct cm_join *j, char *why)
{
	enum { DLID = 1 << 4, SLID = 1 << 5, REVERSIBLE = 1 << 11, NUMB_PATH = 1 << 12 };
	struct dgram_head h = { .base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2,
		.method = METHOD_GET, .tid = 1 + j->asked,
		.attr_id = PATH_RECORD_ID };
	struct dgram_sa_head s = { .comp_mask = DLID | SLID | REVERSIBLE | NUMB_PATH };
	struct path_record q;
	struct dgram d;
	int r;

	memset(&q, 0, sizeof(q));
	q.dlid = j->lid;
	q.slid = j->port.lid;
	q.reversible = 1;
	q.num_path = 1;
	memset(&d, 0, sizeof(d));
	d.bytes = DGRAM_BYTES;
	d.addr = (struct dgram_addr){ .lid = j->port.sm_lid, .sl = j->port.sm_sl, .qpn = 1 };
	dgram_head_encode(d.mad, &h);
	dgram_sa_head_encode(d.mad, &s);
	path_record_encode(d.mad + SA_HEAD_BYTES, &q);
	j->asked++;
	r = io_send(j->io, &d, SA_TIMEOUT_MS);
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "cm: subnet administration cannot be asked: %s",
			strerror(-r));
	return r;
}

static int
path_read(struct cm_join *j, const struct dgram *d, char *why)
{
	if (d->status == ETIMEDOUT && j->asked < SA_TRIES)
		return path_query(j, why);
	if (d->status || dgram_status(d->mad)) {
		snprintf(why, VERBS_WHY_BYTES, "cm: no path from LID %u to LID %u: %s", j->port.lid,
			j->lid, d->status ? "subnet administration does not answer" :
			dgram_status_text(dgram_status(d->mad), true));
		return -EHOSTUNREACH;
	}
	j->path = path_record_decode(d->mad + SA_HEAD_BYTES);
	j->path_known = true;
	snprintf(j->pub.note, sizeof(j->pub.note), "cm: service 0x%016" PRIx64
		" at LID %u, path with SL %u, P_Key 0x%04x", j->service, j->lid, j->path.sl,
		j->path.pkey);
	return 0;
}

/* ---- queue pairs ---- */

/* Uses the path's service level as well if packets take that path. */
static int
connect_qp(struct cm_join *j, uint32_t i, uint32_t qpn, uint32_t psn, uint8_t sl, char *why)
{
	struct meas_end *e = j->pub.e;

	e->qps[i].remote_qpn = qpn;
	e->qps[i].remote_psn = psn;
	if (!verbs_backend_is_soft(e->dev->world))
		e->test.sl = sl;
	return meas_end_connect_one(e, i, why);
}

static int
connect_next(struct cm_join *j, uint64_t real_ns, char *why)
{
	const struct meas_end *e = j->pub.e;
	const struct path_record *p = &j->path;
	uint32_t i = j->pub.up;
	struct cm_ask a;
	int r;

	memset(&a, 0, sizeof(a));
	a.addr = (struct dgram_addr){ .lid = j->lid, .sl = p->sl, .qpn = 1 };
	a.cookie = i;
	a.packet_life = p->life & 31;
	a.req = (struct cm_req){
		.service_id = j->service, .local_qpn = e->qps[i].qp->qp_num,
		.start_psn = e->qps[i].psn, .transport = e->test.transport == MEAS_UC,
		.resp_resources = (uint8_t)(e->facts.rd_atomic_target < 16 ?
		e->facts.rd_atomic_target : 16), .initiator_depth = (uint8_t)e->rd_atomic,
		.remote_cm_timeout = CM_TIMEOUT, .local_cm_timeout = CM_TIMEOUT, .flow_control = 1,
		.retry_count = RETRIES, .rnr_retry = RETRIES,
		.pkey = p->pkey, .path_mtu = p->mtu & 15, .max_cm_retries = CM_RETRIES,
		.primary = { .local_lid = p->slid, .remote_lid = p->dlid,
		.flow_label = p->flow_label, .rate = p->rate & 63, .tclass = p->tclass,
			     .hop_limit = p->hop_limit, .sl = p->sl,
			     .subnet_local = p->hop_limit <= 1, .ack_timeout = e->test.timeout },
	};
	memcpy(a.req.primary.local_gid, p->sgid, 16);
	memcpy(a.req.primary.remote_gid, p->dgid, 16);
	meas_join_data(&j->pub, i, a.req.private_data);
	j->begun = true;
	r = cm_connect(j->cm, &a, time_of(real_ns), &j->ids[i]);
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "cm: no connection can be begun: %s", strerror(-r));
	return r;
}

/* ---- what happens ---- */

static int
rep_came(struct cm_join *j, const struct cm_event *ev, uint64_t real_ns, char *why)
{
	struct cm_rep rep = cm_rep_decode(dgram_cm_image(ev->message.mad));
	uint32_t i = (uint32_t)ev->cookie;
	int r = connect_qp(j, i, rep.local_qpn, rep.start_psn, j->path.sl, why);

	if (r)
		return r;
	cm_ready(j->cm, ev->id, time_of(real_ns));
	j->pub.up++;
	j->begun = false;
	return 0;
}

static int
req_came(struct cm_join *j, const struct cm_event *ev, uint64_t real_ns, char *why)
{
	const struct meas_end *e = j->pub.e;
	struct cm_req req = cm_req_decode(dgram_cm_image(ev->message.mad));
	struct cm_rep rep = { .resp_resources = req.initiator_depth,
		.initiator_depth = req.resp_resources, .flow_control = 1, .rnr_retry = RETRIES };
	uint32_t i;
	int r;

	if (!meas_join_data_read(&j->pub, req.private_data, sizeof(req.private_data), &i) ||
		    j->ids[i]) {
		cm_reject(j->cm, ev->id, CM_REJECT_CONSUMER, NULL, 0, time_of(real_ns));
		return 0;
	}
	j->ids[i] = ev->id;
	r = connect_qp(j, i, req.local_qpn, req.start_psn, req.primary.sl, why);
	if (r)
		return r;
	rep.local_qpn = e->qps[i].qp->qp_num;
	rep.start_psn = e->qps[i].psn;
	r = cm_accept(j->cm, ev->id, &rep, time_of(real_ns));
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "cm: a connection cannot be accepted: %s",
			strerror(-r));
	return r;
}

static bool
is_ours(const struct cm_join *j, uint32_t id, uint32_t *i)
{
	for (*i = 0; *i < j->pub.e->test.qps; (*i)++)
		if (j->ids[*i] == id)
			return true;
	return false;
}

static int
on_cm_event(struct cm_join *j, const struct cm_event *ev, uint64_t real_ns, char *why)
{
	const char *word;
	uint32_t i;

	if (ev->kind == CM_EVENT_REQ)
		return req_came(j, ev, real_ns, why);
	if (!is_ours(j, ev->id, &i))
		return 0;
	switch (ev->kind) {
	case CM_EVENT_REP:
		return rep_came(j, ev, real_ns, why);
	case CM_EVENT_ESTABLISHED:
		if (j->pub.server && !j->up[i]) {
			j->up[i] = true;
			j->pub.up++;
		}
		return 0;
	case CM_EVENT_REJECTED:
		word = attr_word(ATTR_SHOW_CM_REJECT, ev->reason);
		snprintf(why, VERBS_WHY_BYTES, "cm: rejected: %s (%u)",
			word ? word : "a reason without a name", ev->reason);
		return -ECONNREFUSED;
	case CM_EVENT_UNANSWERED:
		snprintf(why, VERBS_WHY_BYTES, "cm: no answer to %u tries", ev->tries);
		return -ETIMEDOUT;
	case CM_EVENT_DISCONNECT:
		cm_disconnected(j->cm, ev->id, time_of(real_ns));
		return 0;
	default:
		return 0;
	}
}

static int
mads_exchange(struct cm_join *j, uint64_t real_ns, char *why)
{
	struct cm_event ev;
	struct dgram d;
	int r = 0, got;

	while (!r && (got = io_recv(j->io, &d)) == 1) {
		if (!cm_receive(j->cm, &d, time_of(real_ns)) && dgram_class(d.mad) == CLASS_SA &&
			    !j->pub.server && !j->path_known)
			r = path_read(j, &d, why);
		free(d.more);
	}
	cm_tick(j->cm, time_of(real_ns));
	while (!r && cm_next_event(j->cm, &ev))
		r = on_cm_event(j, &ev, real_ns, why);
	while (cm_next_send(j->cm, &d))
		/* a failed send is like a lost packet: it is retried */
		io_send(j->io, &d, 0);
	return r;
}

static int
cm_join_turn(struct meas_join *pub, uint64_t real_ns, char *why)
{
	struct cm_join *j = cm_join_of(pub);
	int r = mads_exchange(j, real_ns, why);

	if (!r && !pub->server && j->path_known && !j->begun && pub->up < pub->e->test.qps) {
		r = connect_next(j, real_ns, why);
		if (!r)
			r = mads_exchange(j, real_ns, why);
	}
	return r ? r : pub->up == pub->e->test.qps;
}

static json_t *
cm_join_where(struct meas_join *pub)
{
	struct cm_join *j = cm_join_of(pub);

	return json_pack("{s:i,s:o,s:o}", "lid", j->port.lid, "service", meas_hex(j->service),
		"token", meas_hex(pub->token));
}

/* Sends a DREQ for each connection, without waiting for replies. */
static void
cm_join_free(struct meas_join *pub)
{
	struct cm_join *j = cm_join_of(pub);
	struct dgram d;

	for (uint32_t i = 0; j->cm && i < pub->e->test.qps; i++)
		if (j->ids[i] && !pub->server)
			cm_abort(j->cm, j->ids[i], (struct monotime){ 0 });
	while (j->cm && j->io && cm_next_send(j->cm, &d))
		io_send(j->io, &d, 0);
	if (j->cm)
		cm_free(j->cm);
	io_close(j->io);
	free(j->ids);
	free(j->up);
	free(j);
}

/* ---- making ---- */

static int
open_port(struct cm_join *j, char *why)
{
	const struct meas_end *e = j->pub.e;
	bool soft = verbs_backend_is_soft(e->dev->world);
	struct io_class c = io_class_client(CLASS_CM), sa = io_class_client(CLASS_SA);
	char reason[IO_WHY_BYTES] = "";
	int r = io_umad_open(soft ? NULL : e->facts.device, soft ? -1 : e->facts.port, &j->io,
		reason);

	if (!r)
		r = io_port(j->io, &j->port);
	c.methods[0] = IO_METHOD(METHOD_SEND);
	if (!r)
		r = io_add_class(j->io, &c, reason);
	if (r == -EBUSY)
		snprintf(why, VERBS_WHY_BYTES, "cm: the class is taken (by the kernel's manager or "
			"another test): connect by rdma_cm, or by the socket");
	else if (r)
		snprintf(why, VERBS_WHY_BYTES, "cm: %.200s", reason[0] ? reason : strerror(-r));
	if (!r && !j->pub.server && (r = io_add_class(j->io, &sa, reason)))
		snprintf(why, VERBS_WHY_BYTES, "cm: %.200s", reason);
	return r;
}

static int
make_machine(struct cm_join *j, char *why)
{
	struct cm_conf f = cm_conf_default();
	uint32_t start;
	int r;

	if (getrandom(&start, sizeof(start), 0) != sizeof(start) ||
	    (j->pub.server && getrandom(&j->pub.token, sizeof(j->pub.token),
	    0) != sizeof(j->pub.token))) {
		snprintf(why, VERBS_WHY_BYTES, "cm: no random numbers");
		return -EIO;
	}
	f.ca_guid = j->port.node_guid;
	f.id_start = start;
	j->cm = cm_new(&f);
	if (!j->pub.server)
		return 0;
	j->service = SERVICE_FIRST | (j->pub.token & 0xffff);
	r = cm_listen(j->cm, j->service, UINT64_MAX, 0);
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "cm: cannot listen: %s", strerror(-r));
	return r;
}

static int
where_read(struct cm_join *j, const json_t *w, char *why)
{
	struct meas_reader r = meas_reader(w);

	j->lid = (uint16_t)meas_read_int(&r, "lid", 1, LID_UCAST_MAX);
	j->service = meas_read_hex(&r, "service", UINT64_MAX);
	j->pub.token = meas_read_hex(&r, "token", UINT64_MAX);
	if (r.bad) {
		snprintf(why, VERBS_WHY_BYTES,
			"cm: the other end does not say where it listens (\"%s\")", r.bad);
		return -EINVAL;
	}
	return path_query(j, why);
}

int
meas_join_cm_new(struct meas_end *e, const json_t *w, struct meas_join **out, char *why)
{
	struct cm_join *j = xcalloc(1, sizeof(*j));
	int r;

	j->pub = (struct meas_join){ .e = e, .server = !w, .turn = cm_join_turn,
		.where = cm_join_where, .free = cm_join_free };
	j->ids = xcalloc(e->test.qps, sizeof(*j->ids));
	j->up = xcalloc(e->test.qps, sizeof(*j->up));
	r = open_port(j, why);
	if (!r)
		r = make_machine(j, why);
	if (!r && w)
		r = where_read(j, w, why);
	if (r)
		cm_join_free(&j->pub);
	else
		*out = &j->pub;
	return r;
}
