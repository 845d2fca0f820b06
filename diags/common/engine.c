/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine.c - the port, and the loop that sends questions and takes in answers, many at once.
 * Room: diags.  libmad/txn decides what is sent when; libmad/io sends.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>
#include "diags/common/diag_int.h"
#include "diags/common/replay.h"
#include "diags/common/save.h"
#include "util/xalloc.h"

#define WINDOW 64
#define PER_TARGET 4
#define LATE_FACTOR 7           /* in a sweep: requests that are late, for each that may be open */
#define LATE_US 20000
#define TRIES 3
#define WAIT_MAX_MS 100
#define SMP_AT 64
#define SA_AT 56
#define VENDOR2_AT 40
#define KEYED_AT 24

/* Targets are numbered in the order in which they are first asked. */
struct target {
	UT_hash_handle hh;
	uint32_t number;
	uint8_t hop_count;
	uint16_t lid;
	uint8_t path[DGRAM_PATH_BYTES];
};
#define KEY_BYTES (sizeof(struct target) - offsetof(struct target, hop_count))

struct pending {
	struct diag_request q;
	struct diag_addr to;
	uint8_t data[DGRAM_BYTES];     /* what goes into the MAD from 'offset' on */
	uint8_t offset;
	int64_t since_us;
	diag_done *done;
	void *arg;
};

struct engine {
	struct io *io;
	struct io_port port;
	struct txn *txn;
	struct target *targets;         /* hash */
	uint32_t ntargets;
	bool classes[256];
	uint64_t pending;
	bool broken;
};

static struct monotime
now(void)
{
	return (struct monotime){ diag_now_us() };
}

/* First and longest time-out of one try, by what is asked: in a sweep many places are mute; an SA may have much to collect. */
static const struct { int64_t first_us, max_us; } patience[] = {
	[ENGINE_SINGLE] = { 500000, 1000000 }, [ENGINE_SWEEP] = { 100000, 400000 }, [ENGINE_SA] = { 1000000, 4000000 },
};

void
engine_conf(struct diag *d, unsigned window, enum engine_patience how)
{
	struct txn_conf c = txn_conf_default();
	int64_t fixed = d->set.timeout_ms * INT64_C(1000);

	c.window_total = window ? window : WINDOW;
	c.window_target = PER_TARGET;
	c.window_late = how == ENGINE_SWEEP && !d->set.outstanding ? LATE_FACTOR * c.window_total : 0;
	c.late_us = LATE_US;
	c.tries = TRIES;
	c.timeout_first_us = fixed ? fixed : patience[how].first_us;
	c.timeout_floor_us = fixed ? fixed : 100000;
	c.timeout_max_us = fixed ? fixed : patience[how].max_us;
	c.breaker_ends = 0;
	c.tid_start = (uint32_t)getpid() * 2654435761u ^ (uint32_t)time(NULL);
	if (!d->engine->txn) {
		unsigned wanted = c.window_total;

		c.window_total = d->set.outstanding > WINDOW * (1 + LATE_FACTOR) ? d->set.outstanding : WINDOW * (1 + LATE_FACTOR);
		d->engine->txn = txn_new(&c);   /* with room for all that is wanted later */
		c.window_total = wanted;
	}
	txn_set_conf(d->engine->txn, &c);
}

void
engine_open(struct diag *d, struct io *io, const struct io_port *port)
{
	struct engine *e = xcalloc(1, sizeof(*e));

	e->io = io;
	if (port)
		e->port = *port;
	else
		io_port(io, &e->port);
	d->engine = e;
	engine_conf(d, 0, ENGINE_SINGLE);
}

/* --load: the file answers. */
static int
open_saved(struct diag *d)
{
	struct saved saved;
	int r = diag_read_saved(d, d->set.load, &saved);

	if (r)
		return r;
	snapshot_free(saved.twin);
	d->source = "file";
	d->answers = saved.c != NULL;
	engine_open(d, replay_open(saved.s, saved.c), NULL);
	return 0;
}

int
diag_open(struct diag *d)
{
	char why[IO_WHY_BYTES] = "";
	struct io_port port;
	struct io *io;

	if (d->engine)
		return 0;
	if (d->set.load)
		return open_saved(d);
	if (io_umad_open_port(d->set.ca, d->set.port, &io, &port, why) < 0)
		return diag_fail(d, EXIT_FATAL, "no_device", "Failed to open '%s' port '%d': %s", d->set.ca ? d->set.ca : "(null)",
			d->set.port < 0 ? 0 : d->set.port, why);
	engine_open(d, io, &port);
	return 0;
}

bool
diag_can_ask(const struct diag *d)
{
	return !d->set.load || d->answers;
}

void
engine_close(struct diag *d)
{
	struct engine *e = d->engine;
	struct target *t, *next;

	if (!e)
		return;
	HASH_ITER(hh, e->targets, t, next) {
		HASH_DEL(e->targets, t);
		free(t);
	}
	txn_free(e->txn);
	io_close(e->io);
	free(e);
	d->engine = NULL;
}

const struct io_port *
diag_port(struct diag *d)
{
	return &d->engine->port;
}

struct io *
diag_io(struct diag *d)
{
	return d->engine->io;
}

struct txn *
engine_txn(struct diag *d)
{
	return d->engine->txn;
}

uint32_t
engine_target_base(struct diag *d)
{
	return d->engine->ntargets;
}

int
diag_class(struct diag *d, const struct io_class *c)
{
	char why[IO_WHY_BYTES] = "";
	int r = diag_open(d);

	if (r || d->engine->classes[c->mgmt_class])
		return r;
	if (io_add_class(d->engine->io, c, why) < 0)
		return diag_fail(d, EXIT_FATAL, "no_device", "%s", why);
	d->engine->classes[c->mgmt_class] = true;
	return 0;
}

static uint32_t
target_number(struct engine *e, const struct diag_addr *a)
{
	struct target key = { .lid = a->lid, .hop_count = a->hop_count }, *t;

	if (a->kind != DIAG_ADDR_LID)
		memcpy(key.path, a->path, (size_t)a->hop_count + 1);
	if (a->kind == DIAG_ADDR_PATH)
		key.lid = 0;
	HASH_FIND(hh, e->targets, &key.hop_count, KEY_BYTES, t);
	if (t)
		return t->number;
	t = xcalloc(1, sizeof(*t));
	*t = key;
	t->number = e->ntargets++;
	HASH_ADD(hh, e->targets, hop_count, KEY_BYTES, t);
	return t->number;
}

static uint8_t
class_of(const struct diag_request *q)
{
	if (q->mgmt_class)
		return q->mgmt_class;
	return q->to->kind == DIAG_ADDR_LID ? CLASS_SM_LID : CLASS_SM_DR;
}

static bool
is_smp(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_SM_LID || mgmt_class == CLASS_SM_DR;
}

static bool
is_vendor2(uint8_t mgmt_class)
{
	return mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST;
}

/* Classes whose data begins with a key of their own, which is the caller's: congestion control, vendor range 1. */
static bool
is_keyed(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_CC || (mgmt_class >= CLASS_VENDOR1_FIRST && mgmt_class <= CLASS_VENDOR1_LAST);
}

/* The class header and the payload as one piece behind the MAD header. */
static void
lay_out(struct pending *p, uint8_t mgmt_class, uint64_t sa_key, struct txn_req *r)
{
	const struct diag_request *q = &p->q;
	struct dgram_sa_head sa = { .sm_key = sa_key, .comp_mask = q->comp_mask };
	uint8_t whole[DGRAM_BYTES] = { 0 };
	size_t at = SMP_AT, n = q->payload_bytes;

	if (mgmt_class == CLASS_SA) {
		dgram_sa_head_encode(whole, &sa);
		at = SA_AT;
		p->offset = 24;
	} else if (is_vendor2(mgmt_class)) {
		wire_put32(whole + 36, q->oui ? q->oui : IO_OUI_OPENIB);
		at = VENDOR2_AT;
		p->offset = 24;
	} else if (is_keyed(mgmt_class)) {
		at = KEYED_AT;
		p->offset = KEYED_AT;
	} else {
		p->offset = SMP_AT;
	}
	if (n > DGRAM_BYTES - at)
		n = DGRAM_BYTES - at;
	if (q->payload)
		memcpy(whole + at, q->payload, n);
	memcpy(p->data, whole + p->offset, (size_t)(DGRAM_BYTES - p->offset));
	r->payload = p->data;
	r->payload_offset = p->offset;
	r->payload_bytes = is_smp(mgmt_class) ? 64 : (uint8_t)(DGRAM_BYTES - p->offset);
	r->payload_kept = true;
}

void
diag_submit(struct diag *d, const struct diag_request *q, diag_done *done, void *arg)
{
	struct pending *p = xcalloc(1, sizeof(*p));
	uint8_t mgmt_class = class_of(q);
	struct io_class c = io_class_client(mgmt_class);
	struct diag_reply failed = { .end = DIAG_FAILED };
	struct dgram_addr addr = { .lid = q->to->lid, .sl = q->to->sl, .qpn = 1 };
	struct txn_req r = {
		.cookie = (uintptr_t)p, .mgmt_class = mgmt_class, .method = q->method ? q->method : METHOD_GET,
		.attr_id = q->attr_id, .modifier = q->modifier, .mkey = d->set.mkey,
	};

	if (diag_class(d, &c)) {
		done(d, arg, q, &failed);
		free(p);
		return;
	}
	*p = (struct pending){ .q = *q, .to = *q->to, .done = done, .arg = arg };
	p->q.to = &p->to;
	p->q.mgmt_class = mgmt_class;
	p->q.method = r.method;
	lay_out(p, mgmt_class, d->set.sa_key, &r);
	p->since_us = diag_now_us();
	p->q.payload = NULL;
	r.target = target_number(d->engine, q->to);
	if (mgmt_class == CLASS_SM_DR) {
		r.path = p->to.path;
		r.hop_count = p->to.hop_count;
	} else {
		addr.qpn = mgmt_class == CLASS_SM_LID ? 0 : 1;
		addr.pkey_index = addr.qpn ? d->set.pkey_index : 0;
		r.addr = &addr;
	}
	d->engine->pending++;
	txn_submit(d->engine->txn, &r, now());
}

static size_t
data_at(uint8_t mgmt_class)
{
	if (is_keyed(mgmt_class))
		return KEYED_AT;
	return mgmt_class == CLASS_SA ? SA_AT : is_vendor2(mgmt_class) ? VENDOR2_AT : SMP_AT;
}

/* What an end means to the asker. */
static struct diag_reply
reply_of(const struct diag *d, const struct txn_end *e)
{
	struct diag_reply r = { .end = DIAG_FAILED, .status = e->status };
	size_t at = data_at(e->mgmt_class), bytes;

	if (e->kind == TXN_END_OK || e->kind == TXN_END_STATUS)
		r.end = e->kind == TXN_END_OK ? DIAG_OK : DIAG_STATUS;
	else if (e->kind == TXN_END_TIMED_OUT || e->kind == TXN_END_SKIPPED)
		r.end = d->set.load ? DIAG_ABSENT : DIAG_TIMEOUT;
	if (!e->reply)
		return r;
	r.mad = e->reply->more ? e->reply->more : e->reply->mad;
	bytes = e->reply->bytes;
	r.data = r.mad + at;
	r.bytes = bytes > at ? bytes - at : 0;
	if (is_smp(e->mgmt_class))
		r.bytes = 64;
	if (e->mgmt_class == CLASS_SA)
		r.stride = (size_t)dgram_sa_head_decode(r.mad).attr_offset * 8;
	return r;
}

static void
finish(struct diag *d, const struct txn_end *e)
{
	struct pending *p = (struct pending *)(uintptr_t)(e->cookie & UINT64_C(0x00ffffffffffffff));
	struct diag_reply r = reply_of(d, e);

	r.rtt_us = diag_now_us() - p->since_us;
	d->engine->pending--;
	if (r.end != DIAG_OK && !p->q.quiet && e->kind != TXN_END_CANCELLED)
		query_report(d, &p->q, &r);
	p->done(d, p->arg, &p->q, &r);
	free(p);
}

static int
receive_all(struct engine *e)
{
	struct dgram g;
	int r;

	while ((r = io_recv(e->io, &g)) == 1) {
		txn_receive(e->txn, &g, now());
		free(g.more);
	}
	return r;
}

static int
wait_ms(struct engine *e)
{
	struct monotime at;
	int64_t us;

	if (!txn_deadline(e->txn, &at))
		return WAIT_MAX_MS;
	us = monotime_sub_us(at, now());
	if (us <= 0)
		return 0;
	us = (us + 999) / 1000;
	return us > WAIT_MAX_MS ? WAIT_MAX_MS : (int)us;
}

static void
send_all(struct engine *e)
{
	struct dgram g;
	int timeout_ms, r;

	while (txn_next_send(e->txn, &g, &timeout_ms, now()))
		if ((r = io_send(e->io, &g, timeout_ms)) < 0)
			txn_send_failed(e->txn, &g, -r, now());
}

int
engine_turn(struct diag *d, void (*take)(void *arg, const struct txn_end *e), void (*give)(void *arg), void *arg)
{
	struct engine *e = d->engine;
	struct txn_end end;
	int r;

	if (diag_interrupted())
		return -EINTR;
	do {
		while (txn_next_end(e->txn, &end))
			if (end.cookie >> 56)
				take(arg, &end);
			else
				finish(d, &end);
		if (give)
			give(arg);
		send_all(e);
	} while (txn_ends_waiting(e->txn));
	if (!txn_pending(e->txn))
		return 0;
	r = receive_all(e);
	if (r == 0 && !txn_ends_waiting(e->txn)) {
		io_wait(e->io, wait_ms(e));
		r = receive_all(e);
	}
	txn_tick(e->txn, now());
	return r < 0 ? r : 0;
}

static void
drop_end(void *arg, const struct txn_end *e)
{
	(void)arg;
	(void)e;
}

int
engine_failed(struct diag *d, int r)
{
	txn_cancel_all(d->engine->txn);
	if (r != -EINTR)
		return diag_fail(d, EXIT_FATAL, "io", "the device is gone");
	if (d->signals_end)
		return EXIT_OK;
	if (!d->told_interrupted)
		diag_warn(d, EXIT_PARTIAL, "io", NULL, "interrupted: what follows is not complete");
	d->told_interrupted = true;
	return EXIT_PARTIAL;
}

int
diag_run(struct diag *d)
{
	struct txn_end end;
	int r = 0;

	while (d->engine && d->engine->pending && !r)
		r = engine_turn(d, drop_end, NULL, NULL);
	if (!r)
		return 0;
	engine_failed(d, r);
	while (txn_next_end(d->engine->txn, &end))
		if (!(end.cookie >> 56))
			finish(d, &end);
	return r;
}

int
diag_run_many(struct diag *d)
{
	int r;

	if (!d->engine)
		return 0;
	engine_conf(d, d->set.outstanding, ENGINE_SWEEP);
	r = diag_run(d);
	engine_conf(d, d->set.outstanding, ENGINE_SINGLE);
	return r;
}

/* ---- for the document ---- */

json_t *
engine_json_mads(const struct diag *d)
{
	struct txn_counts n = { 0 };
	json_t *o = json_object();

	if (d->engine && d->engine->txn && !d->set.load)
		n = txn_stats(d->engine->txn)->all;
	json_object_set_new(o, "sent", json_integer((json_int_t)n.sent));
	json_object_set_new(o, "received", json_integer((json_int_t)n.received));
	json_object_set_new(o, "retries", json_integer((json_int_t)n.retried));
	json_object_set_new(o, "timeouts", json_integer((json_int_t)n.timed_out));
	json_object_set_new(o, "bad_status", json_integer((json_int_t)n.bad_status));
	return o;
}

json_t *
engine_json_local(const struct diag *d)
{
	const struct io_port *p;
	json_t *o;

	if (!d->engine || d->set.load)
		return json_null();
	p = &d->engine->port;
	o = json_object();
	json_object_set_new(o, "ca", json_string_nocheck(p->ca_name));
	json_object_set_new(o, "port", json_integer(p->port));
	json_object_set_new(o, "port_guid", diag_json_guid(p->port_guid));
	json_object_set_new(o, "lid", json_integer(p->lid));
	json_object_set_new(o, "sm_lid", json_integer(p->sm_lid));
	return o;
}
