/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibcmping.c - connects and disconnects by communication management, or resolves a service, and
 * reports the duration of each step and the reason of each rejection.
 * Room: diags/tools. libmad/cm has the state machine; docs/cm.md describes its states.
 */
#include <config.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/cm/cm.h"
#include "libmad/wire/gid.h"
#include "util/xalloc.h"

#define SECOND_US 1000000
#define SLICE_MS 50
#define LINGER_US 1000000 /* time for the last DREQ and DREP messages after a signal */
#define PARALLEL_MAX 4096
#define SERVICE_DEFAULT UINT64_C(0x1000000048656401)
#define QPN_FIRST 0x400000u
#define QPNS 0x400000u
#define OPEN_MAX 1048576

/* A connection, or a resolution, in progress. */
struct slot {
	bool busy, failed, up;
	uint64_t sequence;
	int64_t begun_us, up_us, down_us, mark_us;
	unsigned tries, mras;
	const char *status;
	uint16_t code;
	uint8_t about;
	struct cm_ends ends;
	struct cm_sidr_rep rep;
	uint32_t id;
};

struct ibcmping {
	struct diag *d;
	/* options */
	uint64_t count, parallel, retries, service, ack_code;
	bool sidr, flood, service_given;
	/* state of the run */
	struct cm *cm;
	struct slot *slots;
	struct diag_addr to;
	struct path_record path;
	struct dgram_addr addr;
	uint64_t begun, ended, ok, failed;
	int64_t min_us, max_us, total_us, next_us;
	unsigned busy;
};

static void
state_init(void *state)
{
	*(struct ibcmping *)state = (struct ibcmping){
		.count = UINT_MAX, .parallel = 1, .retries = 3, .service = SERVICE_DEFAULT,
		.ack_code = 32,
	};
}

static struct monotime
time_now(void)
{
	return (struct monotime){ diag_now_us() };
}

/* ---- the destination ---- */

static int
no_path(struct diag *d, const char *what)
{
	return diag_fail(d, EXIT_PARTIAL, "not_found", "subnet administration knows no path to %s",
		what);
}

/* Reads the path from the own port to 'lid', or to 'gid' unless that is NULL. */
static int
find_path(struct diag *d, const char *what, uint16_t lid, const uint8_t *gid)
{
	struct ibcmping *m = diag_state(d);
	uint64_t mask = SA_COMP(path_record, sgid) | SA_COMP(path_record, reversible) |
		SA_COMP(path_record, num_path);
	const struct io_port *p = diag_port(d);
	uint8_t w[PATH_RECORD_BYTES] = { 0 };
	struct path_record q;
	struct diag_reply r;
	int e;

	memset(&q, 0, sizeof(q));
	gid_set(q.sgid, p->gid_prefix, p->port_guid);
	q.reversible = 1;
	q.num_path = 1;
	q.dlid = lid;
	mask |= gid ? SA_COMP(path_record, dgid) : SA_COMP(path_record, dlid);
	if (gid)
		memcpy(q.dgid, gid, 16);
	path_record_encode(w, &q);
	e = diag_sa(d, METHOD_GET_TABLE, PATH_RECORD_ID, mask, w, sizeof(w), &r);
	if (e)
		e = EXIT_PARTIAL;
	else if (!DIAG_SA_RECORDS(&r))
		e = no_path(d, what);
	else
		m->path = path_record_decode(DIAG_SA_RECORD(&r, 0));
	diag_reply_clear(&r);
	return e;
}

/* Finds the port of a registered service by its name. */
static int
find_service(struct diag *d, const char *name)
{
	struct ibcmping *m = diag_state(d);
	enum { NAME = 1 << 6 };
	uint8_t w[SERVICE_RECORD_BYTES] = { 0 };
	struct service_record q;
	struct diag_reply r;
	bool found;

	memset(&q, 0, sizeof(q));
	snprintf((char *)q.name, sizeof(q.name), "%s", name);
	service_record_encode(w, &q);
	if (diag_sa(d, METHOD_GET_TABLE, SERVICE_RECORD_ID, NAME, w, sizeof(w), &r)) {
		diag_reply_clear(&r);
		return EXIT_PARTIAL;
	}
	found = DIAG_SA_RECORDS(&r);
	if (found)
		q = service_record_decode(DIAG_SA_RECORD(&r, 0));
	diag_reply_clear(&r);
	if (!found)
		return diag_fail(d, EXIT_PARTIAL, "not_found", "no service is registered as \"%s\"",
			name);
	if (!m->service_given)
		m->service = q.id;
	return find_path(d, name, 0, q.gid);
}

static bool
is_service_name(const struct diag *d, const char *text)
{
	uint64_t v;

	return diag_settings(d)->addressing == DIAG_BY_LID && !diag_number(text, UINT64_MAX, &v) &&
		strncmp(text, "node:", 5);
}

static int
find_peer(struct diag *d, const char *text)
{
	struct ibcmping *m = diag_state(d);
	uint8_t gid[16];
	int r;

	if (inet_pton(AF_INET6, text, gid) == 1)
		r = find_path(d, text, 0, gid);
	else if (is_service_name(d, text))
		r = find_service(d, text);
	else if ((r = diag_address(d, text, &m->to)) == 0)
		r = m->to.kind == DIAG_ADDR_LID ? find_path(d, text, m->to.lid, NULL) :
			diag_usage(d, "connections need a LID, not a directed route");
	if (r)
		return r;
	m->to = diag_addr_lid(m->path.dlid);
	m->addr = (struct dgram_addr){
		.lid = m->path.dlid, .sl = m->path.sl, .qpn = 1,
		.pkey_index = diag_settings(d)->pkey_index,
	};
	return 0;
}

/* ---- one attempt ---- */

/* Returns the smallest time code (4.096 us * 2^code) that is at least 'ms' milliseconds. */
static uint8_t
code_for_ms(int ms)
{
	uint8_t n = 0;

	while (n < 31 && cm_code_us(n) < (int64_t)ms * 1000)
		n++;
	return n;
}

static uint8_t
wait_code(struct ibcmping *m)
{
	int ms = diag_settings(m->d)->timeout_ms;

	return ms ? code_for_ms(ms) : 18;       /* code 18: about one second */
}

static int
begin_connect(struct ibcmping *m, struct slot *s, uint64_t cookie)
{
	const struct path_record *p = &m->path;
	struct cm_ask a;

	memset(&a, 0, sizeof(a));
	a.addr = m->addr;
	a.cookie = cookie;
	a.packet_life = p->life & 31;
	a.req = (struct cm_req){
		.service_id = m->service, .resp_resources = 1, .initiator_depth = 1,
		.remote_cm_timeout = wait_code(m),
		.local_cm_timeout = wait_code(m), .flow_control = 1, .retry_count = 7,
		.rnr_retry = 7, .pkey = p->pkey,
		.path_mtu = p->mtu & 15, .max_cm_retries = m->retries & 15,
		.primary = { .local_lid = p->slid, .remote_lid = p->dlid,
			.flow_label = p->flow_label, .rate = p->rate & 63,
			     .tclass = p->tclass, .hop_limit = p->hop_limit, .sl = p->sl,
			     .subnet_local = p->hop_limit <= 1,
			     .ack_timeout = (uint8_t)(m->ack_code < 32 ? m->ack_code :
			     	p->life < 31 ? p->life + 1u : 31) },
	};
	memcpy(a.req.primary.local_gid, p->sgid, 16);
	memcpy(a.req.primary.remote_gid, p->dgid, 16);
	return cm_connect(m->cm, &a, time_now(), &s->id);
}

static int
begin_sidr(struct ibcmping *m, struct slot *s, uint64_t cookie)
{
	struct cm_sidr_ask a;

	memset(&a, 0, sizeof(a));
	a.addr = m->addr;
	a.cookie = cookie;
	a.service_id = m->service;
	a.pkey = m->path.pkey;
	a.packet_life = m->path.life & 31;
	a.cm_timeout = wait_code(m);
	a.retries = m->retries & 15;
	return cm_sidr_ask(m->cm, &a, time_now(), &s->id);
}

/* Begins an attempt. Returns false if none can begin before an older connection leaves TIMEWAIT. */
static bool
attempt_begin(struct ibcmping *m, struct slot *s)
{
	uint64_t cookie = (uint64_t)(s - m->slots);

	*s = (struct slot){ .sequence = m->begun + 1, .status = "ok" };
	s->begun_us = s->mark_us = diag_now_us();
	if ((m->sidr ? begin_sidr(m, s, cookie) : begin_connect(m, s, cookie)) < 0)
		return false;
	s->busy = true;
	m->begun++;
	m->busy++;
	return true;
}

/* ---- output ---- */

static const char *
why_text(struct ibcmping *m, const struct slot *s)
{
	const char *w = attr_word(m->sidr ? ATTR_SHOW_CM_SIDR_STATUS : ATTR_SHOW_CM_REJECT,
		s->code);

	if (!strcmp(s->status, "timeout"))
		return "no answer";
	return w ? w : "a reason without a name";
}

static json_t *
ms_or_null(bool there, int64_t us)
{
	return there ? json_integer(us) : json_null();
}

static void
show_row(struct ibcmping *m, const struct slot *s)
{
	bool down = s->up && !s->failed, answered = m->sidr && !s->failed;
	json_t *o = json_pack("{s:I, s:s, s:o, s:o, s:i, s:i, s:o, s:o}", "sequence",
		(json_int_t)s->sequence,
		"status", s->status, "reason", s->failed ? json_string(why_text(m, s)) :
		json_null(),
		"reason_code", s->failed && s->code ? json_integer(s->code) : json_null(), "tries",
		(int)s->tries, "mras", (int)s->mras,
		"connect_us", ms_or_null(s->up, s->up_us), "disconnect_us",
		ms_or_null(down, s->down_us));

	json_object_set_new(o, "resolve_us", ms_or_null(answered, s->up_us));
	json_object_set_new(o, "local_comm_id", diag_json_hex(s->id, 8));
	json_object_set_new(o, "remote_comm_id", s->up ? diag_json_hex(s->ends.remote_id,
		8) : json_null());
	json_object_set_new(o, "local_qpn", s->up ? diag_json_hex(s->ends.local_qpn,
		6) : json_null());
	json_object_set_new(o, "remote_qpn", s->up ? diag_json_hex(s->ends.remote_qpn, 6) :
		answered ? diag_json_hex(s->rep.qpn, 6) : json_null());
	json_object_set_new(o, "remote_ca_guid", s->up ? diag_json_guid(s->ends.remote_ca_guid) :
		json_null());
	diag_row(m->d, "connections", o);
}

static void
show_text(struct ibcmping *m, const struct slot *s)
{
	struct diag *d = m->d;

	if (s->failed)
		return;                         /* the warning has reported it */
	if (m->sidr)
		diag_text(d, "Resolved by Lid %u: QPN 0x%x: time %" PRId64 ".%03" PRId64
			" ms, %u tries\n", m->addr.lid, s->rep.qpn,
			s->up_us / 1000, s->up_us % 1000, s->tries);
	else
		diag_text(d, "Connected to Lid %u: QPN 0x%x to 0x%x: connect %" PRId64 ".%03" PRId64
			" ms, disconnect %" PRId64 ".%03" PRId64
			" ms, %u tries\n", m->addr.lid, s->ends.local_qpn, s->ends.remote_qpn,
				s->up_us / 1000, s->up_us % 1000,
			s->down_us / 1000, s->down_us % 1000, s->tries);
}

static void
show_failure(struct ibcmping *m, const struct slot *s)
{
	static const char *const abouts[] = { "REQ", "REP", "connection", "connection" };
	struct diag_where w = DIAG_NOWHERE;
	bool timeout = !strcmp(s->status, "timeout");

	if (m->flood && m->failed > 1)
		return; /* only the first failure is reported; the summary has their number */
	w.addr = &m->to;
	w.attribute = m->sidr ? "SIDR_REQ" : "REQ";
	if (timeout)
		diag_warn(m->d, EXIT_FINDINGS, "timeout", &w, "timeout: Lid %u, %s %" PRIu64
			": no answer to %u tries", m->addr.lid,
			s->up ? "DREQ" : m->sidr ? "SIDR_REQ" : "REQ", s->sequence, s->tries);
	else
		diag_warn(m->d, EXIT_FINDINGS, "rejected", &w, "rejected: Lid %u, %s %" PRIu64
			": %s (%u)", m->addr.lid,
			m->sidr ? "SIDR_REQ" : abouts[s->about & 3], s->sequence, why_text(m, s),
			s->code);
}

static void
attempt_finish(struct ibcmping *m, struct slot *s)
{
	int64_t us = s->up_us + s->down_us;

	s->busy = false;
	m->busy--;
	m->ended++;
	if (s->failed) {
		m->failed++;
		show_failure(m, s);
	} else {
		m->min_us = m->ok && m->min_us < us ? m->min_us : us;
		m->max_us = m->max_us > us ? m->max_us : us;
		m->total_us += us;
		m->ok++;
	}
	if (m->flood)
		return;
	show_text(m, s);
	show_row(m, s);
}

static void
attempt_fail(struct ibcmping *m, struct slot *s, const char *status, const struct cm_event *e)
{
	s->failed = true;
	s->status = status;
	s->code = e->reason;
	s->about = e->about;
	if (e->tries > s->tries)
		s->tries = e->tries;
	attempt_finish(m, s);
}

/* ---- events ---- */

static void
rep_came(struct ibcmping *m, struct slot *s, const struct cm_event *e)
{
	s->tries = e->tries;
	s->up_us = diag_now_us() - s->begun_us;
	s->up = true;
	cm_ready(m->cm, e->id, time_now());
	cm_ends(m->cm, e->id, &s->ends);
	s->mark_us = diag_now_us();
	cm_disconnect(m->cm, e->id, time_now());
}

static void
sidr_came(struct ibcmping *m, struct slot *s, const struct cm_event *e)
{
	s->tries = e->tries;
	s->rep = cm_sidr_rep_decode(dgram_cm_image(e->message.mad));
	s->up_us = diag_now_us() - s->begun_us;
	if (e->reason)
		attempt_fail(m, s, "rejected", e);
	else
		attempt_finish(m, s);
}

static void
attempt_down(struct ibcmping *m, struct slot *s)
{
	s->down_us = diag_now_us() - s->mark_us;
	attempt_finish(m, s);
}

static void
on_cm_event(struct ibcmping *m, const struct cm_event *e)
{
	struct slot *s = &m->slots[e->cookie];

	if (!s->busy || s->id != e->id)
		return;
	switch (e->kind) {
	case CM_EVENT_REP:
		rep_came(m, s, e);
		return;
	case CM_EVENT_MRA:
		s->mras++;
		return;
	case CM_EVENT_REJECTED:
		/* all copies of our RTU were lost, and our DREQ too, so that the peer gave up */
		if (s->up && e->reason == CM_REJECT_CONSUMER) {
			attempt_down(m, s);
			return;
		}
		attempt_fail(m, s, "rejected", e);
		return;
	case CM_EVENT_UNANSWERED:
	case CM_EVENT_DREQ_UNANSWERED:
	case CM_EVENT_SIDR_UNANSWERED:
		attempt_fail(m, s, "timeout", e);
		return;
	case CM_EVENT_DISCONNECT:               /* both ends disconnect at the same time */
		cm_disconnected(m->cm, e->id, time_now());
		attempt_down(m, s);
		return;
	case CM_EVENT_DISCONNECTED:
		attempt_down(m, s);
		return;
	case CM_EVENT_SIDR_REP:
		sidr_came(m, s, e);
		return;
	default:
		return;
	}
}

static void
begin_more(struct ibcmping *m, bool more)
{
	if (m->flood || m->parallel > 1 || diag_now_us() >= m->next_us)
		for (uint64_t i = 0; more && i < m->parallel && m->begun < m->count; i++)
			if (!m->slots[i].busy) {
				if (!attempt_begin(m, &m->slots[i]))
					return;
				m->next_us = diag_now_us() + SECOND_US;
			}
}

static int
wait_ms(struct ibcmping *m)
{
	struct monotime at = { diag_now_us() + SLICE_MS * 1000 }, t;
	int64_t us;

	if (cm_deadline(m->cm, &t))
		at = monotime_min(at, t);
	if (!m->busy && m->begun < m->count)
		at = monotime_min(at, (struct monotime){ m->next_us });
	us = at.us - diag_now_us();
	return us <= 0 ? 0 : (int)((us + 999) / 1000);
}

/* Receives, runs the timers, sends. Returns -errno if the device has failed. */
static int
cm_turn(struct ibcmping *m)
{
	struct io *io = diag_io(m->d);
	struct cm_event e;
	struct dgram in, out;
	int r;

	while ((r = io_recv(io, &in)) == 1) {
		cm_receive(m->cm, &in, time_now());
		free(in.more);
	}
	cm_tick(m->cm, time_now());
	while (cm_next_event(m->cm, &e))
		on_cm_event(m, &e);
	while (cm_next_send(m->cm, &out) && r >= 0) {
		int err = io_send(io, &out, 0);

		if (err == -EIO || err == -ENODEV)      /* other errors count as lost packets */
			r = err;
	}
	return r;
}

static int
attempts_run(struct ibcmping *m)
{
	int64_t linger = 0;
	int r = 0;

	while (m->ended < m->count || m->busy) {
		bool stop = diag_interrupted();

		if (stop && !linger) {
			linger = diag_now_us() + LINGER_US;
			for (uint64_t i = 0; i < m->parallel; i++)
				if (m->slots[i].busy)
					cm_abort(m->cm, m->slots[i].id, time_now());
		}
		if (stop && (!m->busy || diag_now_us() > linger))
			break;
		begin_more(m, !stop);
		if ((r = cm_turn(m)) < 0)
			return diag_fail(m->d, EXIT_PARTIAL, "io", "the port is gone: %s",
				strerror(-r));
		fflush(stdout);
		if (m->ended < m->count)
			io_wait(diag_io(m->d), wait_ms(m));
	}
	return 0;
}

/* ---- the program ---- */

static struct cm *
machine_new(const struct io_port *p)
{
	struct cm_conf f = cm_conf_default();
	struct timespec t = { 0 };
	uint64_t v;

	clock_gettime(CLOCK_REALTIME, &t);
	v = ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec) ^ (uint64_t)getpid() << 40;
	f.ca_guid = p->node_guid;
	f.id_start = (uint32_t)(v * UINT64_C(0x9e3779b97f4a7c15) >> 32);
	f.qpn_first = QPN_FIRST;
	f.qpn_count = QPNS;
	f.open_max = OPEN_MAX;
	return cm_new(&f);
}

static int
register_class(struct diag *d)
{
	struct io_class c = io_class_client(CLASS_CM);

	c.methods[0] = IO_METHOD(METHOD_SEND);
	return diag_class(d, &c);
}

static void
statistics(struct diag *d, int64_t time_us)
{
	struct ibcmping *m = diag_state(d);
	int64_t average = m->ok ? m->total_us / (int64_t)m->ok : 0;
	int64_t rate = time_us ? (int64_t)m->ok * SECOND_US / time_us : 0;
	json_t *s = diag_summary(d);

	diag_text(d, "\n--- service 0x%016" PRIx64 " at Lid %u: %s statistics ---\n", m->service,
		m->addr.lid, m->sidr ? "resolution" : "connection");
	diag_text(d, "%" PRIu64 " begun, %" PRIu64 " ok, %" PRIu64 " failed, time %" PRId64 " ms\n",
		m->begun, m->ok, m->failed,
		time_us / 1000);
	diag_text(d, "min/avg/max = %" PRId64 ".%03" PRId64 "/%" PRId64 ".%03" PRId64 "/%" PRId64
		".%03" PRId64 " ms, %" PRId64 " a second\n",
		m->min_us / 1000, m->min_us % 1000, average / 1000, average % 1000,
		m->max_us / 1000, m->max_us % 1000, rate);
	json_object_set_new(s, "begun", json_integer((json_int_t)m->begun));
	json_object_set_new(s, "ok", json_integer((json_int_t)m->ok));
	json_object_set_new(s, "failed", json_integer((json_int_t)m->failed));
	json_object_set_new(s, "time_ms", json_integer(time_us / 1000));
	json_object_set_new(s, "min_us", ms_or_null(m->ok, m->min_us));
	json_object_set_new(s, "avg_us", ms_or_null(m->ok, average));
	json_object_set_new(s, "max_us", ms_or_null(m->ok, m->max_us));
	json_object_set_new(s, "resent", json_integer((json_int_t)cm_stats(m->cm)->resent));
}

static void
show_path(struct diag *d)
{
	struct ibcmping *m = diag_state(d);
	const struct path_record *p = &m->path;

	diag_text(d, "Path: Lid %u to Lid %u, SL %u, P_Key 0x%04x, MTU %u, packet life %u\n",
		p->slid, p->dlid, p->sl, p->pkey,
		attr_mtu_bytes(p->mtu), p->life);
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&m->to));
	json_object_set_new(diag_doc(d), "service_id", diag_json_hex(m->service, 16));
	json_object_set_new(diag_doc(d), "path",
		json_pack("{s:i, s:i, s:o, s:i, s:o, s:i, s:i, s:i}", "slid", p->slid, "dlid",
		p->dlid,
		"dgid", diag_json_gid(p->dgid), "sl", p->sl, "pkey", diag_json_hex(p->pkey, 4),
		"mtu", (int)attr_mtu_bytes(p->mtu),
		"rate_raw", p->rate, "packet_life_raw", p->life));
}

static int
number_take(struct diag *d, const char *what, const char *value, uint64_t max, uint64_t *v)
{
	return diag_number(value, max, v) ? 0 : diag_usage(d, "%s: \"%s\" is not a number up to %"
		PRIu64, what, value, max);
}

enum { OPT_SIDR = DIAG_LONG, OPT_RETRIES, OPT_ACK };

static int
option(struct diag *d, int id, const char *value)
{
	struct ibcmping *m = diag_state(d);

	switch (id) {
	case 'c':
		return number_take(d, "-c", value, UINT_MAX, &m->count);
	case 'n':
		return number_take(d, "-n", value, PARALLEL_MAX, &m->parallel);
	case 'S':
		m->service_given = true;
		return number_take(d, "-S", value, UINT64_MAX, &m->service);
	case 'f':
		m->flood = true;
		return 0;
	case OPT_SIDR:
		m->sidr = true;
		return 0;
	case OPT_RETRIES:
		return number_take(d, "--retries", value, 15, &m->retries);
	case OPT_ACK:
		return number_take(d, "--ack-timeout", value, 31, &m->ack_code);
	}
	return -ENOENT;
}

static int
ibcmping_run(struct diag *d, int argc, char **argv)
{
	struct ibcmping *m = diag_state(d);
	int64_t start;
	int r;

	m->d = d;
	json_object_set_new(diag_doc(d), "target", json_null());
	json_object_set_new(diag_doc(d), "service_id", json_null());
	json_object_set_new(diag_doc(d), "path", json_null());
	json_object_set_new(diag_doc(d), "mode", json_string(m->sidr ? "sidr" : "connect"));
	json_object_set_new(diag_doc(d), "connections", json_array());
	if (argc != 1 || !m->parallel)
		return diag_usage(d, m->parallel ?
			"a LID, GUID, GID or name of a service is needed" : "-n: at least 1");
	r = diag_open(d);
	if (!r)
		r = find_peer(d, argv[0]);
	if (!r)
		r = register_class(d);
	if (r)
		return r;
	show_path(d);
	m->cm = machine_new(diag_port(d));
	m->slots = xcalloc(m->parallel, sizeof(*m->slots));
	diag_signals_end(d);
	start = diag_now_us();
	r = attempts_run(m);
	statistics(d, diag_now_us() - start);
	cm_free(m->cm);
	free(m->slots);
	return r ? r : m->failed ? EXIT_FINDINGS : EXIT_OK;
}

static const struct diag_option options[] = {
	{ 'c', "count", "<num>", "stop after that many connections" },
	{ 'n', "parallel", "<num>", "number of connections open at one time, without a pause" },
	{ 'f', "flood", NULL, "connect without a pause; print only the totals" },
	{ 'S', "service", "<id>",
		"service ID to connect to (default: the echo service of heddled, or the service ID "
		"of the name)" },
	{ OPT_SIDR, "sidr", NULL, "resolve the service (SIDR) instead of connecting" },
	{ OPT_RETRIES, "retries", "<num>",
		"retries of a message, up to 15 (default 3)" },
	{ OPT_ACK, "ack-timeout", "<code>",
		"local ACK timeout, 4.096 us x 2^code: how long IDs stay in use afterwards "
		"(default: from the path)" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibcmping", .operands = "<lid|guid|gid|service name>",
	.about = "connects to a service through communication management, and measures the time",
	.masked = "DKy", .options = options, .rows = "connections", .option = option,
	.run = ibcmping_run,
	.state_bytes = sizeof(struct ibcmping), .init = state_init,
};
