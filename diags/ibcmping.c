/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibcmping.c - connects through communication management and disconnects again, or resolves a service, and tells how
 * long each step takes and what was refused why.
 * Room: diags.  The machine is libmad/cm; docs/cm.md has its states.
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
#include "diags/common/diag.h"
#include "libmad/cm/cm.h"
#include "util/xalloc.h"

#define SECOND_US 1000000
#define SLICE_MS 50
#define LINGER_US 1000000               /* after a signal: so long for the last goodbyes */
#define PARALLEL_MAX 4096
#define SERVICE_DEFAULT UINT64_C(0x1000000048656401)
#define QPN_FIRST 0x400000u
#define QPNS 0x400000u
#define OPEN_MAX 1048576

static uint64_t count = UINT_MAX, parallel = 1, retries = 3, service = SERVICE_DEFAULT, ack_code = 32;
static bool sidr, flood, service_given;

/* One connection, or resolution, under way. */
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

static struct {
	struct diag *d;
	struct cm *cm;
	struct slot *slots;
	struct diag_addr to;
	struct path_record path;
	struct dgram_addr addr;
	uint64_t begun, ended, ok, failed;
	int64_t min_us, max_us, total_us, next_us;
	unsigned busy;
} run_;

static struct monotime
now(void)
{
	return (struct monotime){ diag_now_us() };
}

/* ---- where to ---- */

static int
no_path(struct diag *d, const char *what)
{
	return diag_fail(d, EXIT_PARTIAL, "not_found", "subnet administration knows no path to %s", what);
}

/* The path from our port to 'lid', or to 'gid' if that is not NULL. */
static int
find_path(struct diag *d, const char *what, uint16_t lid, const uint8_t *gid)
{
	enum { DGID = 1 << 2, SGID = 1 << 3, DLID = 1 << 4, REVERSIBLE = 1 << 11, NUMB_PATH = 1 << 12 };
	const struct io_port *p = diag_port(d);
	uint8_t w[PATH_RECORD_BYTES] = { 0 };
	struct path_record q;
	struct diag_reply r;

	memset(&q, 0, sizeof(q));
	wire_put64(q.sgid, p->gid_prefix);
	wire_put64(q.sgid + 8, p->port_guid);
	q.reversible = 1;
	q.num_path = 1;
	q.dlid = lid;
	if (gid)
		memcpy(q.dgid, gid, 16);
	path_record_encode(w, &q);
	if (diag_sa(d, METHOD_GET_TABLE, PATH_RECORD_ID, SGID | REVERSIBLE | NUMB_PATH | (gid ? DGID : DLID), w, sizeof(w), &r))
		return EXIT_PARTIAL;
	if (!DIAG_SA_RECORDS(&r))
		return no_path(d, what);
	run_.path = path_record_decode(DIAG_SA_RECORD(&r, 0));
	return 0;
}

/* The port of a service that was registered by that name. */
static int
find_service(struct diag *d, const char *name)
{
	enum { NAME = 1 << 6 };
	uint8_t w[SERVICE_RECORD_BYTES] = { 0 };
	struct service_record q;
	struct diag_reply r;

	memset(&q, 0, sizeof(q));
	snprintf((char *)q.name, sizeof(q.name), "%s", name);
	service_record_encode(w, &q);
	if (diag_sa(d, METHOD_GET_TABLE, SERVICE_RECORD_ID, NAME, w, sizeof(w), &r))
		return EXIT_PARTIAL;
	if (!DIAG_SA_RECORDS(&r))
		return diag_fail(d, EXIT_PARTIAL, "not_found", "no service is registered as \"%s\"", name);
	q = service_record_decode(DIAG_SA_RECORD(&r, 0));
	if (!service_given)
		service = q.id;
	return find_path(d, name, 0, q.gid);
}

static bool
is_service_name(const struct diag *d, const char *text)
{
	uint64_t v;

	return diag_settings(d)->addressing == DIAG_BY_LID && !diag_number(text, UINT64_MAX, &v) && strncmp(text, "node:", 5);
}

static int
find_peer(struct diag *d, const char *text)
{
	uint8_t gid[16];
	int r;

	if (inet_pton(AF_INET6, text, gid) == 1)
		r = find_path(d, text, 0, gid);
	else if (is_service_name(d, text))
		r = find_service(d, text);
	else if ((r = diag_address(d, text, &run_.to)) == 0)
		r = run_.to.kind == DIAG_ADDR_LID ? find_path(d, text, run_.to.lid, NULL) :
			diag_usage(d, "connections need a LID, not a directed route");
	if (r)
		return r;
	run_.to = diag_addr_lid(run_.path.dlid);
	run_.addr = (struct dgram_addr){
		.lid = run_.path.dlid, .sl = run_.path.sl, .qpn = 1, .pkey_index = diag_settings(d)->pkey_index,
	};
	return 0;
}

/* ---- one attempt ---- */

/* The smallest code that is at least as long. */
static uint8_t
code_for_ms(int ms)
{
	uint8_t n = 0;

	while (n < 31 && cm_code_us(n) < (int64_t)ms * 1000)
		n++;
	return n;
}

static uint8_t
wait_code(void)
{
	int ms = diag_settings(run_.d)->timeout_ms;

	return ms ? code_for_ms(ms) : 18;       /* a second */
}

static int
begin_connect(struct slot *s, uint64_t cookie)
{
	const struct path_record *p = &run_.path;
	struct cm_ask a;

	memset(&a, 0, sizeof(a));
	a.addr = run_.addr;
	a.cookie = cookie;
	a.packet_life = p->life & 31;
	a.req = (struct cm_req){
		.service_id = service, .resp_resources = 1, .initiator_depth = 1, .remote_cm_timeout = wait_code(),
		.local_cm_timeout = wait_code(), .flow_control = 1, .retry_count = 7, .rnr_retry = 7, .pkey = p->pkey,
		.path_mtu = p->mtu & 15, .max_cm_retries = retries & 15,
		.primary = { .local_lid = p->slid, .remote_lid = p->dlid, .flow_label = p->flow_label, .rate = p->rate & 63,
			     .tclass = p->tclass, .hop_limit = p->hop_limit, .sl = p->sl, .subnet_local = p->hop_limit <= 1,
			     .ack_timeout = (uint8_t)(ack_code < 32 ? ack_code : p->life < 31 ? p->life + 1u : 31) },
	};
	memcpy(a.req.primary.local_gid, p->sgid, 16);
	memcpy(a.req.primary.remote_gid, p->dgid, 16);
	return cm_connect(run_.cm, &a, now(), &s->id);
}

static int
begin_sidr(struct slot *s, uint64_t cookie)
{
	struct cm_sidr_ask a;

	memset(&a, 0, sizeof(a));
	a.addr = run_.addr;
	a.cookie = cookie;
	a.service_id = service;
	a.pkey = run_.path.pkey;
	a.packet_life = run_.path.life & 31;
	a.cm_timeout = wait_code();
	a.retries = retries & 15;
	return cm_sidr_ask(run_.cm, &a, now(), &s->id);
}

/* False: nothing can be begun before some TIMEWAIT is over. */
static bool
begin(struct slot *s)
{
	uint64_t cookie = (uint64_t)(s - run_.slots);

	*s = (struct slot){ .sequence = run_.begun + 1, .status = "ok" };
	s->begun_us = s->mark_us = diag_now_us();
	if ((sidr ? begin_sidr(s, cookie) : begin_connect(s, cookie)) < 0)
		return false;
	s->busy = true;
	run_.begun++;
	run_.busy++;
	return true;
}

/* ---- showing ---- */

static const char *
why_text(const struct slot *s)
{
	const char *w = attr_word(sidr ? ATTR_SHOW_CM_SIDR_STATUS : ATTR_SHOW_CM_REJECT, s->code);

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
show_row(const struct slot *s)
{
	bool down = s->up && !s->failed, answered = sidr && !s->failed;
	json_t *o = json_pack("{s:I, s:s, s:o, s:o, s:i, s:i, s:o, s:o}", "sequence", (json_int_t)s->sequence,
		"status", s->status, "reason", s->failed ? json_string(why_text(s)) : json_null(),
		"reason_code", s->failed && s->code ? json_integer(s->code) : json_null(), "tries", (int)s->tries, "mras", (int)s->mras,
		"connect_us", ms_or_null(s->up, s->up_us), "disconnect_us", ms_or_null(down, s->down_us));

	json_object_set_new(o, "resolve_us", ms_or_null(answered, s->up_us));
	json_object_set_new(o, "local_comm_id", diag_json_hex(s->id, 8));
	json_object_set_new(o, "remote_comm_id", s->up ? diag_json_hex(s->ends.remote_id, 8) : json_null());
	json_object_set_new(o, "local_qpn", s->up ? diag_json_hex(s->ends.local_qpn, 6) : json_null());
	json_object_set_new(o, "remote_qpn", s->up ? diag_json_hex(s->ends.remote_qpn, 6) :
		answered ? diag_json_hex(s->rep.qpn, 6) : json_null());
	json_object_set_new(o, "remote_ca_guid", s->up ? diag_json_guid(s->ends.remote_ca_guid) : json_null());
	diag_row(run_.d, "connections", o);
}

static void
show_text(const struct slot *s)
{
	struct diag *d = run_.d;

	if (s->failed)
		return;                         /* told by the warning */
	if (sidr)
		diag_text(d, "Resolved by Lid %u: QPN 0x%x: time %" PRId64 ".%03" PRId64 " ms, %u tries\n", run_.addr.lid, s->rep.qpn,
			s->up_us / 1000, s->up_us % 1000, s->tries);
	else
		diag_text(d, "Connected to Lid %u: QPN 0x%x to 0x%x: connect %" PRId64 ".%03" PRId64 " ms, disconnect %" PRId64 ".%03" PRId64
			" ms, %u tries\n", run_.addr.lid, s->ends.local_qpn, s->ends.remote_qpn, s->up_us / 1000, s->up_us % 1000,
			s->down_us / 1000, s->down_us % 1000, s->tries);
}

static void
show_failure(const struct slot *s)
{
	static const char *const abouts[] = { "REQ", "REP", "connection", "connection" };
	struct diag_where w = DIAG_NOWHERE;
	bool timeout = !strcmp(s->status, "timeout");

	if (flood && run_.failed > 1)
		return;                         /* the first is told, and how many there were */
	w.addr = &run_.to;
	w.attribute = sidr ? "SIDR_REQ" : "REQ";
	if (timeout)
		diag_warn(run_.d, EXIT_FINDINGS, "timeout", &w, "timeout: Lid %u, %s %" PRIu64 ": no answer to %u tries", run_.addr.lid,
			s->up ? "DREQ" : sidr ? "SIDR_REQ" : "REQ", s->sequence, s->tries);
	else
		diag_warn(run_.d, EXIT_FINDINGS, "rejected", &w, "rejected: Lid %u, %s %" PRIu64 ": %s (%u)", run_.addr.lid,
			sidr ? "SIDR_REQ" : abouts[s->about & 3], s->sequence, why_text(s), s->code);
}

static void
finish(struct slot *s)
{
	int64_t us = s->up_us + s->down_us;

	s->busy = false;
	run_.busy--;
	run_.ended++;
	if (s->failed) {
		run_.failed++;
		show_failure(s);
	} else {
		run_.min_us = run_.ok && run_.min_us < us ? run_.min_us : us;
		run_.max_us = run_.max_us > us ? run_.max_us : us;
		run_.total_us += us;
		run_.ok++;
	}
	if (flood)
		return;
	show_text(s);
	show_row(s);
}

static void
fail(struct slot *s, const char *status, const struct cm_event *e)
{
	s->failed = true;
	s->status = status;
	s->code = e->reason;
	s->about = e->about;
	if (e->tries > s->tries)
		s->tries = e->tries;
	finish(s);
}

/* ---- what happens ---- */

static void
rep_came(struct slot *s, const struct cm_event *e)
{
	s->tries = e->tries;
	s->up_us = diag_now_us() - s->begun_us;
	s->up = true;
	cm_ready(run_.cm, e->id, now());
	cm_ends(run_.cm, e->id, &s->ends);
	s->mark_us = diag_now_us();
	cm_disconnect(run_.cm, e->id, now());
}

static void
sidr_came(struct slot *s, const struct cm_event *e)
{
	s->tries = e->tries;
	s->rep = cm_sidr_rep_decode(e->message.mad + CM_MESSAGE_AT);
	s->up_us = diag_now_us() - s->begun_us;
	if (e->reason)
		fail(s, "rejected", e);
	else
		finish(s);
}

static void
down(struct slot *s)
{
	s->down_us = diag_now_us() - s->mark_us;
	finish(s);
}

static void
event(const struct cm_event *e)
{
	struct slot *s = &run_.slots[e->cookie];

	if (!s->busy || s->id != e->id)
		return;
	switch (e->kind) {
	case CM_EVENT_REP:
		rep_came(s, e);
		return;
	case CM_EVENT_MRA:
		s->mras++;
		return;
	case CM_EVENT_REJECTED:
		if (s->up && e->reason == CM_REJECT_CONSUMER) { /* our RTU and DREQ were lost so often that it gave up */
			down(s);
			return;
		}
		fail(s, "rejected", e);
		return;
	case CM_EVENT_UNANSWERED:
	case CM_EVENT_DREQ_UNANSWERED:
	case CM_EVENT_SIDR_UNANSWERED:
		fail(s, "timeout", e);
		return;
	case CM_EVENT_DISCONNECT:               /* it wants to end it at the same time */
		cm_disconnected(run_.cm, e->id, now());
		down(s);
		return;
	case CM_EVENT_DISCONNECTED:
		down(s);
		return;
	case CM_EVENT_SIDR_REP:
		sidr_came(s, e);
		return;
	default:
		return;
	}
}

static void
begin_more(bool more)
{
	if (flood || parallel > 1 || diag_now_us() >= run_.next_us)
		for (uint64_t i = 0; more && i < parallel && run_.begun < count; i++)
			if (!run_.slots[i].busy) {
				if (!begin(&run_.slots[i]))
					return;
				run_.next_us = diag_now_us() + SECOND_US;
			}
}

static int
wait_ms(void)
{
	struct monotime at = { diag_now_us() + SLICE_MS * 1000 }, t;
	int64_t us;

	if (cm_deadline(run_.cm, &t))
		at = monotime_min(at, t);
	if (!run_.busy && run_.begun < count)
		at = monotime_min(at, (struct monotime){ run_.next_us });
	us = at.us - diag_now_us();
	return us <= 0 ? 0 : (int)((us + 999) / 1000);
}

/* Takes in, moves on, sends; -errno when the device is gone. */
static int
turn(void)
{
	struct io *io = diag_io(run_.d);
	struct cm_event e;
	struct dgram in, out;
	int r;

	while ((r = io_recv(io, &in)) == 1) {
		cm_receive(run_.cm, &in, now());
		free(in.more);
	}
	cm_tick(run_.cm, now());
	while (cm_next_event(run_.cm, &e))
		event(&e);
	while (cm_next_send(run_.cm, &out) && r >= 0) {
		int err = io_send(io, &out, 0);

		if (err == -EIO || err == -ENODEV)      /* others: as if lost on the way */
			r = err;
	}
	return r;
}

static int
loop(void)
{
	int64_t linger = 0;
	int r = 0;

	while (run_.ended < count || run_.busy) {
		bool stop = diag_interrupted();

		if (stop && !linger) {
			linger = diag_now_us() + LINGER_US;
			for (uint64_t i = 0; i < parallel; i++)
				if (run_.slots[i].busy)
					cm_abort(run_.cm, run_.slots[i].id, now());
		}
		if (stop && (!run_.busy || diag_now_us() > linger))
			break;
		begin_more(!stop);
		if ((r = turn()) < 0)
			return diag_fail(run_.d, EXIT_PARTIAL, "io", "the port is gone: %s", strerror(-r));
		fflush(stdout);
		if (run_.ended < count)
			io_wait(diag_io(run_.d), wait_ms());
	}
	return 0;
}

/* ---- the whole ---- */

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
	int64_t average = run_.ok ? run_.total_us / (int64_t)run_.ok : 0;
	int64_t rate = time_us ? (int64_t)run_.ok * SECOND_US / time_us : 0;
	json_t *s = diag_summary(d);

	diag_text(d, "\n--- service 0x%016" PRIx64 " at Lid %u: %s statistics ---\n", service, run_.addr.lid, sidr ? "resolution" : "connection");
	diag_text(d, "%" PRIu64 " begun, %" PRIu64 " ok, %" PRIu64 " failed, time %" PRId64 " ms\n", run_.begun, run_.ok, run_.failed,
		time_us / 1000);
	diag_text(d, "min/avg/max = %" PRId64 ".%03" PRId64 "/%" PRId64 ".%03" PRId64 "/%" PRId64 ".%03" PRId64 " ms, %" PRId64 " a second\n",
		run_.min_us / 1000, run_.min_us % 1000, average / 1000, average % 1000, run_.max_us / 1000, run_.max_us % 1000, rate);
	json_object_set_new(s, "begun", json_integer((json_int_t)run_.begun));
	json_object_set_new(s, "ok", json_integer((json_int_t)run_.ok));
	json_object_set_new(s, "failed", json_integer((json_int_t)run_.failed));
	json_object_set_new(s, "time_ms", json_integer(time_us / 1000));
	json_object_set_new(s, "min_us", ms_or_null(run_.ok, run_.min_us));
	json_object_set_new(s, "avg_us", ms_or_null(run_.ok, average));
	json_object_set_new(s, "max_us", ms_or_null(run_.ok, run_.max_us));
	json_object_set_new(s, "resent", json_integer((json_int_t)cm_stats(run_.cm)->resent));
}

static void
show_path(struct diag *d)
{
	const struct path_record *p = &run_.path;

	diag_text(d, "Path: Lid %u to Lid %u, SL %u, P_Key 0x%04x, MTU %u, packet life %u\n", p->slid, p->dlid, p->sl, p->pkey,
		attr_mtu_bytes(p->mtu), p->life);
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&run_.to));
	json_object_set_new(diag_doc(d), "service_id", diag_json_hex(service, 16));
	json_object_set_new(diag_doc(d), "path", json_pack("{s:i, s:i, s:o, s:i, s:o, s:i, s:i, s:i}", "slid", p->slid, "dlid", p->dlid,
		"dgid", diag_json_gid(p->dgid), "sl", p->sl, "pkey", diag_json_hex(p->pkey, 4), "mtu", (int)attr_mtu_bytes(p->mtu),
		"rate_raw", p->rate, "packet_life_raw", p->life));
}

static int
take(struct diag *d, const char *what, const char *value, uint64_t max, uint64_t *v)
{
	return diag_number(value, max, v) ? 0 : diag_usage(d, "%s: \"%s\" is not a number up to %" PRIu64, what, value, max);
}

enum { OPT_SIDR = DIAG_LONG, OPT_RETRIES, OPT_ACK };

static int
option(struct diag *d, int id, const char *value)
{
	switch (id) {
	case 'c':
		return take(d, "-c", value, UINT_MAX, &count);
	case 'n':
		return take(d, "-n", value, PARALLEL_MAX, &parallel);
	case 'S':
		service_given = true;
		return take(d, "-S", value, UINT64_MAX, &service);
	case 'f':
		flood = true;
		return 0;
	case OPT_SIDR:
		sidr = true;
		return 0;
	case OPT_RETRIES:
		return take(d, "--retries", value, 15, &retries);
	case OPT_ACK:
		return take(d, "--ack-timeout", value, 31, &ack_code);
	}
	return -ENOENT;
}

static int
run(struct diag *d, int argc, char **argv)
{
	int64_t start;
	int r;

	run_.d = d;
	json_object_set_new(diag_doc(d), "target", json_null());
	json_object_set_new(diag_doc(d), "service_id", json_null());
	json_object_set_new(diag_doc(d), "path", json_null());
	json_object_set_new(diag_doc(d), "mode", json_string(sidr ? "sidr" : "connect"));
	json_object_set_new(diag_doc(d), "connections", json_array());
	if (argc != 1 || !parallel)
		return diag_usage(d, parallel ? "a LID, GUID, GID or name of a service is needed" : "-n: at least 1");
	r = diag_open(d);
	if (!r)
		r = find_peer(d, argv[0]);
	if (!r)
		r = register_class(d);
	if (r)
		return r;
	show_path(d);
	run_.cm = machine_new(diag_port(d));
	run_.slots = xcalloc(parallel, sizeof(*run_.slots));
	diag_signals_end(d);
	start = diag_now_us();
	r = loop();
	statistics(d, diag_now_us() - start);
	cm_free(run_.cm);
	free(run_.slots);
	return r ? r : run_.failed ? EXIT_FINDINGS : EXIT_OK;
}

static const struct diag_option options[] = {
	{ 'c', "count", "<num>", "stop after that many connections" },
	{ 'n', "parallel", "<num>", "so many at one time, one behind the other without a pause" },
	{ 'f', "flood", NULL, "without a pause, and tell only the sums" },
	{ 'S', "service", "<id>", "service ID to connect to (default: the echo service of heddled, or that of the name)" },
	{ OPT_SIDR, "sidr", NULL, "resolve the service (SIDR) instead of connecting" },
	{ OPT_RETRIES, "retries", "<num>", "send a message so many times again, up to 15 (default 3)" },
	{ OPT_ACK, "ack-timeout", "<code>", "local ACK timeout, 4.096 us x 2^code: so long IDs stay taken afterwards (default: from the path)" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibcmping", .operands = "<lid|guid|gid|service name>",
	.about = "connects to a service through communication management, and tells how long that takes",
	.masked = "DKy", .options = options, .rows = "connections", .option = option, .run = run,
};
