/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm_states.c - every state with every event, both roles.
 *
 * 'rules' was typed from the tables of the specification's summary, not from the code; what is in no row must change
 * nothing: a message is dropped, a wish is refused with -EINVAL.  Rows of our own are marked "ours".
 */
#include <config.h>
#include "tests/unit/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/cm/cm.h"

#define OUR_GUID UINT64_C(0x00fe1d0000000100)
#define PEER_GUID UINT64_C(0x00fe1d0000000200)
#define SERVICE UINT64_C(0x10000000000000aa)

enum { OUR_ID = 0x1000, PEER_ID = 0x77, OUR_QPN = 0x400, PEER_QPN = 0x123, OLD_ID = 0x99, OLD_QPN = 0x200, PEER_LID = 9 };

/* Where a pair begins: role, state, and the state of an alternate path.  NONE: no instance. */
#define PLACES(P) \
	P(NONE) P(DEAF) \
	P(A_REQ_SENT) P(A_MRA_REQ_RCVD) P(A_REP_RCVD) P(A_MRA_REP_SENT) P(A_ESTABLISHED) P(A_LAP_SENT) \
	P(A_MRA_LAP_RCVD) P(A_DREQ_SENT) P(A_DREQ_RCVD) P(A_TIMEWAIT) \
	P(P_REQ_RCVD) P(P_MRA_REQ_SENT) P(P_REP_SENT) P(P_MRA_REP_RCVD) P(P_ESTABLISHED) P(P_LAP_RCVD) \
	P(P_MRA_LAP_SENT) P(P_DREQ_SENT) P(P_DREQ_RCVD) P(P_TIMEWAIT) \
	P(S_ASKED) P(S_ASKING)
#define PLACE_ENUM(n) n,
enum place { PLACES(PLACE_ENUM) PLACE_KINDS };
#define PLACE_NAME(n) #n,
static const char *const place_names[] = { PLACES(PLACE_NAME) };

#define HAPPENINGS(H) \
	H(REQ) H(REQ_SAME_QP) H(MRA_REQ) H(MRA_REP) H(MRA_OTHER) H(REJ) H(REJ_STALE) H(REJ_TIMEOUT) H(REP) H(REP_USED) \
	H(RTU) H(DREQ) H(DREQ_QPN) H(DREP) H(LAP) H(APR) H(SIDR_REQ) H(SIDR_REP) H(TIMER) H(LAST_TIMER) \
	H(ACCEPT) H(READY) H(DELAY) H(REJECT) H(DATA) H(DISCONNECT) H(DISCONNECTED) H(LOAD) H(ANSWER_PATH) \
	H(SIDR_ANSWER) H(ABORT)
#define HAPPENING_ENUM(n) H_##n,
enum happening { HAPPENINGS(HAPPENING_ENUM) HAPPENING_KINDS };
static const char *const happening_names[] = { HAPPENINGS(PLACE_NAME) };

struct rule {
	uint32_t places;
	enum happening h;
	const char *sends;              /* messages; REJ/reason/about, SIDR_REP/status, APR/status */
	const char *tells;              /* events */
	enum place next;                /* PLACE_KINDS: the same */
};

#define B(p) (UINT32_C(1) << (p))
#define SAME PLACE_KINDS
#define REQ_STATES (B(A_REQ_SENT) | B(A_MRA_REQ_RCVD))
#define REP_STATES (B(A_REP_RCVD) | B(A_MRA_REP_SENT))
#define ASKED (B(P_REQ_RCVD) | B(P_MRA_REQ_SENT))
#define REPLIED (B(P_REP_SENT) | B(P_MRA_REP_RCVD))
#define A_UP (B(A_ESTABLISHED) | B(A_LAP_SENT) | B(A_MRA_LAP_RCVD))
#define P_UP (B(P_ESTABLISHED) | B(P_LAP_RCVD) | B(P_MRA_LAP_SENT))
#define UP (A_UP | P_UP)
#define DREQ_SENT (B(A_DREQ_SENT) | B(P_DREQ_SENT))
#define DREQ_RCVD (B(A_DREQ_RCVD) | B(P_DREQ_RCVD))
#define TIMEWAIT (B(A_TIMEWAIT) | B(P_TIMEWAIT))

/* "next" of a rule over both roles is that of the active one; the passive twin is meant where we began passive. */
static const struct rule rules[] = {
	/* active side */
	{ REQ_STATES, H_TIMER, "REQ", "", SAME },
	{ REQ_STATES, H_LAST_TIMER, "REJ/4/0", "UNANSWERED RELEASED", NONE },
	{ REQ_STATES, H_MRA_REQ, "", "MRA", A_MRA_REQ_RCVD },
	{ REQ_STATES, H_REP, "", "REP", A_REP_RCVD },
	{ REQ_STATES, H_REP_USED, "REJ/10/1", "REJECTED RELEASED", NONE },
	{ REQ_STATES, H_REJ_STALE, "", "REJECTED", A_TIMEWAIT },
	{ REQ_STATES, H_REJ, "", "REJECTED RELEASED", NONE },
	{ REQ_STATES, H_ABORT, "REJ/4/0", "RELEASED", NONE },
	{ REP_STATES, H_READY, "RTU", "", A_ESTABLISHED },      /* ours: also after an MRA */
	{ B(A_REP_RCVD), H_DELAY, "MRA/1", "", A_MRA_REP_SENT },
	{ REP_STATES, H_REJECT, "REJ/28/1", "", A_TIMEWAIT },
	{ B(A_MRA_REP_SENT), H_REP, "MRA/1", "", SAME },
	{ B(A_MRA_REP_SENT), H_REP_USED, "MRA/1", "", SAME },   /* by its IDs another try of the same REP */
	{ A_UP, H_REP_USED, "RTU", "", SAME },
	{ REP_STATES, H_REJ, "", "REJECTED", A_TIMEWAIT },
	{ REP_STATES, H_REJ_STALE, "", "REJECTED", A_TIMEWAIT },
	{ REP_STATES, H_REJ_TIMEOUT, "", "REJECTED", A_TIMEWAIT },
	{ REP_STATES, H_ABORT, "REJ/28/1", "", A_TIMEWAIT },
	{ A_UP, H_REP, "RTU", "", SAME },
	/* passive side */
	{ B(NONE), H_REQ, "", "REQ", P_REQ_RCVD },
	{ B(NONE), H_REQ_SAME_QP, "", "REQ", P_REQ_RCVD },      /* no connection has that QP */
	{ B(DEAF), H_REQ, "REJ/8/0", "", SAME },
	{ B(DEAF), H_REQ_SAME_QP, "REJ/8/0", "", SAME },
	{ B(P_MRA_REQ_SENT), H_REQ, "MRA/0", "", SAME },
	{ B(P_TIMEWAIT), H_REQ, "REJ/10/0", "", SAME },
	{ ASKED | REPLIED, H_REQ_SAME_QP, "REJ/10/0", "", SAME },
	{ REP_STATES | DREQ_SENT | DREQ_RCVD | TIMEWAIT, H_REQ_SAME_QP, "REJ/10/0", "", SAME },
	{ UP, H_REQ_SAME_QP, "REJ/10/0 DREQ", "STALE", A_DREQ_SENT },
	{ ASKED, H_ACCEPT, "REP", "", P_REP_SENT },
	{ B(P_REQ_RCVD), H_DELAY, "MRA/0", "", P_MRA_REQ_SENT },
	{ ASKED, H_REJECT, "REJ/28/0", "RELEASED", NONE },
	{ ASKED, H_ABORT, "REJ/28/0", "RELEASED", NONE },
	{ REPLIED, H_TIMER, "REP", "", SAME },
	{ REPLIED, H_LAST_TIMER, "REJ/28/2", "UNANSWERED RELEASED", NONE },
	{ REPLIED, H_MRA_REP, "", "MRA", P_MRA_REP_RCVD },
	{ REPLIED, H_RTU, "", "ESTABLISHED", P_ESTABLISHED },
	{ REPLIED, H_DATA, "", "ESTABLISHED", P_ESTABLISHED },
	{ REPLIED, H_REJ, "", "REJECTED RELEASED", NONE },
	{ REPLIED, H_REJ_TIMEOUT, "", "REJECTED RELEASED", NONE },
	{ REPLIED, H_REJ_STALE, "", "REJECTED", P_TIMEWAIT },
	{ REPLIED, H_ABORT, "REJ/28/2", "RELEASED", NONE },
	/* both sides, teardown */
	{ UP, H_DISCONNECT, "DREQ", "", A_DREQ_SENT },
	{ UP, H_ABORT, "DREQ", "", A_DREQ_SENT },
	{ DREQ_SENT, H_ABORT, "", "", SAME },
	{ DREQ_SENT, H_DREP, "", "DISCONNECTED", A_TIMEWAIT },
	{ DREQ_SENT, H_TIMER, "DREQ", "", SAME },
	{ DREQ_SENT, H_LAST_TIMER, "", "DREQ_UNANSWERED", A_TIMEWAIT },
	{ REPLIED | UP | DREQ_SENT, H_DREQ, "", "DISCONNECT", A_DREQ_RCVD },
	{ DREQ_RCVD, H_DISCONNECTED, "DREP", "", A_TIMEWAIT },
	{ DREQ_RCVD, H_ABORT, "DREP", "", A_TIMEWAIT },
	{ DREQ_RCVD, H_DREP, "", "DISCONNECTED", A_TIMEWAIT },
	{ TIMEWAIT, H_DREQ, "DREP", "", SAME },
	{ TIMEWAIT, H_DREQ_QPN, "DREP", "", SAME },
	{ TIMEWAIT, H_ABORT, "", "", SAME },
	{ B(NONE) | B(DEAF), H_DREQ, "DREP", "", SAME },
	{ B(NONE) | B(DEAF), H_DREQ_QPN, "DREP", "", SAME },
	{ A_UP | B(P_ESTABLISHED) | DREQ_SENT, H_REJ, "", "REJECTED", A_TIMEWAIT },
	{ A_UP | B(P_ESTABLISHED) | DREQ_SENT, H_REJ_STALE, "", "REJECTED", A_TIMEWAIT },
	{ A_UP | B(P_ESTABLISHED) | DREQ_SENT, H_REJ_TIMEOUT, "", "REJECTED", A_TIMEWAIT },
	{ TIMEWAIT, H_TIMER, "", "RELEASED", NONE },
	{ TIMEWAIT, H_LAST_TIMER, "", "RELEASED", NONE },
	/* alternate paths */
	{ B(A_ESTABLISHED), H_LOAD, "LAP", "", A_LAP_SENT },
	{ B(P_ESTABLISHED), H_LAP, "", "LAP", P_LAP_RCVD },
	{ B(P_LAP_RCVD), H_DELAY, "MRA/2", "", P_MRA_LAP_SENT },
	{ B(P_MRA_LAP_SENT), H_LAP, "MRA/2", "", SAME },
	{ B(P_LAP_RCVD) | B(P_MRA_LAP_SENT), H_ANSWER_PATH, "APR/0", "", P_ESTABLISHED },
	{ B(A_LAP_SENT) | B(A_MRA_LAP_RCVD), H_MRA_OTHER, "", "MRA", A_MRA_LAP_RCVD },
	{ B(A_LAP_SENT) | B(A_MRA_LAP_RCVD), H_APR, "", "APR", A_ESTABLISHED },
	{ B(A_LAP_SENT) | B(A_MRA_LAP_RCVD), H_TIMER, "LAP", "", SAME },
	{ B(A_LAP_SENT) | B(A_MRA_LAP_RCVD), H_LAST_TIMER, "", "LAP_UNANSWERED", A_ESTABLISHED },
	/* resolution */
	{ B(DEAF), H_SIDR_REQ, "SIDR_REP/1", "", SAME },
	{ B(NONE), H_SIDR_REQ, "", "SIDR_REQ", S_ASKED },
	{ ~(B(NONE) | B(DEAF) | B(S_ASKED)) & (B(PLACE_KINDS) - 1), H_SIDR_REQ, "", "SIDR_REQ", SAME },
	{ B(S_ASKED), H_SIDR_ANSWER, "SIDR_REP/0", "RELEASED", NONE },
	{ B(S_ASKED), H_ABORT, "SIDR_REP/2", "RELEASED", NONE },
	{ B(S_ASKING), H_SIDR_REP, "", "SIDR_REP RELEASED", NONE },
	{ B(S_ASKING), H_TIMER, "SIDR_REQ", "", SAME },
	{ B(S_ASKING), H_LAST_TIMER, "", "SIDR_UNANSWERED RELEASED", NONE },
	{ B(S_ASKING), H_ABORT, "", "RELEASED", NONE },
	/* ours: no wait for the consumer is endless, and a peer that gave up its REQ ends what waits for the consumer */
	{ REP_STATES, H_TIMER, "REJ/28/1", "LATE", A_TIMEWAIT },
	{ REP_STATES, H_LAST_TIMER, "REJ/28/1", "LATE", A_TIMEWAIT },
	{ ASKED, H_TIMER, "REJ/28/0", "LATE RELEASED", NONE },
	{ ASKED, H_LAST_TIMER, "REJ/28/0", "LATE RELEASED", NONE },
	{ DREQ_RCVD, H_TIMER, "DREP", "LATE", A_TIMEWAIT },
	{ DREQ_RCVD, H_LAST_TIMER, "DREP", "LATE", A_TIMEWAIT },
	{ B(P_LAP_RCVD) | B(P_MRA_LAP_SENT), H_TIMER, "APR/3", "LATE", P_ESTABLISHED },
	{ B(P_LAP_RCVD) | B(P_MRA_LAP_SENT), H_LAST_TIMER, "APR/3", "LATE", P_ESTABLISHED },
	{ B(S_ASKED), H_TIMER, "SIDR_REP/2", "LATE RELEASED", NONE },
	{ B(S_ASKED), H_LAST_TIMER, "SIDR_REP/2", "LATE RELEASED", NONE },
	{ ASKED, H_REJ, "", "REJECTED RELEASED", NONE },
	{ ASKED, H_REJ_TIMEOUT, "", "REJECTED RELEASED", NONE },
	{ ASKED, H_REJ_STALE, "", "REJECTED", P_TIMEWAIT },
	/* a REQ of our peer's is no duplicate to an active side that does not know the peer yet */
	{ REQ_STATES | B(S_ASKED) | B(S_ASKING), H_REQ, "", "REQ", SAME },
	{ REQ_STATES | B(S_ASKED) | B(S_ASKING), H_REQ_SAME_QP, "", "REQ", SAME },
	{ B(A_TIMEWAIT), H_REQ, "REJ/10/0", "", SAME },
};

struct run {
	struct cm *c;
	struct monotime now;
	uint32_t id;
	char sends[256], tells[256];
};

static void
message(struct dgram *d, uint16_t id)
{
	memset(d, 0, sizeof(*d));
	d->bytes = DGRAM_BYTES;
	d->addr.lid = PEER_LID;
	d->addr.qpn = 1;
	dgram_head_encode(d->mad, &(struct dgram_head){
		.base_version = 1, .mgmt_class = CLASS_CM, .class_version = 2, .method = METHOD_SEND, .attr_id = id,
		.tid = 0x5555,
	});
	wire_put32(d->mad + 24, PEER_ID);
	wire_put32(d->mad + 28, OUR_ID);
}

static void
request(struct dgram *d, uint32_t id, uint32_t qpn)
{
	struct cm_req q = {
		.local_comm_id = id, .local_ca_guid = PEER_GUID, .local_qpn = qpn, .service_id = SERVICE,
		.local_cm_timeout = 12, .max_cm_retries = 2, .primary = { .ack_timeout = 10 },
	};

	message(d, CM_REQ_ID);
	cm_req_encode(d->mad + 24, &q);
}

static void
reply(struct dgram *d, uint32_t id, uint32_t qpn)
{
	struct cm_rep r = { .local_comm_id = id, .remote_comm_id = OUR_ID, .local_ca_guid = PEER_GUID, .local_qpn = qpn };

	message(d, CM_REP_ID);
	cm_rep_encode(d->mad + 24, &r);
}

static void
mra(struct dgram *d, unsigned about)
{
	message(d, CM_MRA_ID);
	d->mad[24 + 8] = (uint8_t)(about << 6);
	d->mad[24 + 9] = 5 << 3;
}

static void
reject(struct dgram *d, uint16_t reason)
{
	message(d, CM_REJ_ID);
	wire_put16(d->mad + 24 + 10, reason);
	if (reason == 4) {              /* the peer does not know our ID */
		wire_put32(d->mad + 28, 0);
		d->mad[24 + 9] = 8 << 1;
		wire_put64(d->mad + 24 + 12, PEER_GUID);
	}
}

static void
word_add(char *list, size_t n, const char *word)
{
	snprintf(list + strlen(list), n - strlen(list), "%s%s", *list ? " " : "", word);
}

/* What was sent and told since the last call. */
static void
pull(struct run *r)
{
	struct cm_event e;
	struct dgram d;
	char word[64];

	r->sends[0] = r->tells[0] = '\0';
	while (cm_next_send(r->c, &d)) {
		const uint8_t *m = d.mad + 24;
		uint16_t id = dgram_attr_id(d.mad);
		const char *name = cm_attr_find(id)->name;

		assert_int_equal(d.addr.lid, PEER_LID);
		snprintf(word, sizeof(word), "%s", name);
		if (id == CM_REJ_ID)
			snprintf(word, sizeof(word), "REJ/%u/%u", wire_get16(m + 10), m[8] >> 6);
		else if (id == CM_MRA_ID)
			snprintf(word, sizeof(word), "MRA/%u", m[8] >> 6);
		else if (id == CM_SIDR_REP_ID)
			snprintf(word, sizeof(word), "SIDR_REP/%u", m[4]);
		else if (id == CM_APR_ID)
			snprintf(word, sizeof(word), "APR/%u", m[9]);
		word_add(r->sends, sizeof(r->sends), word);
	}
	while (cm_next_event(r->c, &e))
		word_add(r->tells, sizeof(r->tells), cm_event_text(e.kind));
}

static void
receive(struct run *r, const struct dgram *d)
{
	assert_true(cm_receive(r->c, d, r->now));
}

static void
receive_plain(struct run *r, uint16_t id)
{
	struct dgram d;

	message(&d, id);
	if (id == CM_DREQ_ID)
		wire_put32(d.mad + 24 + 8, OUR_QPN << 8);
	receive(r, &d);
}

/* Waits for the timer once. */
static void
wait_timer(struct run *r)
{
	struct monotime at;

	if (!cm_deadline(r->c, &at))
		return;
	assert_true(at.us > r->now.us);
	r->now = at;
	cm_tick(r->c, at);
}

static void
connect_out(struct run *r)
{
	struct cm_ask a = {
		.addr = { .lid = PEER_LID, .qpn = 1 }, .packet_life = 8,
		.req = { .service_id = SERVICE, .local_qpn = OUR_QPN, .remote_cm_timeout = 12, .max_cm_retries = 2,
			 .primary = { .ack_timeout = 10 } },
	};

	assert_int_equal(cm_connect(r->c, &a, r->now, &r->id), 0);
	assert_int_equal(r->id, OUR_ID);
}

static int
act(struct run *r, enum happening h)
{
	struct cm_rep rep = { .local_qpn = OUR_QPN };
	struct cm_lap lap = { .local_lid = 1 };
	struct cm_sidr_rep sidr = { .status = 0 };

	switch ((int)h) {
	case H_ACCEPT:
		return cm_accept(r->c, OUR_ID, &rep, r->now);
	case H_READY:
		return cm_ready(r->c, OUR_ID, r->now);
	case H_DELAY:
		return cm_delay(r->c, OUR_ID, 10, r->now);
	case H_REJECT:
		return cm_reject(r->c, OUR_ID, 28, NULL, 0, r->now);
	case H_DATA:
		return cm_data(r->c, OUR_ID, r->now);
	case H_DISCONNECT:
		return cm_disconnect(r->c, OUR_ID, r->now);
	case H_DISCONNECTED:
		return cm_disconnected(r->c, OUR_ID, r->now);
	case H_LOAD:
		return cm_load_path(r->c, OUR_ID, &lap, r->now);
	case H_ANSWER_PATH:
		return cm_answer_path(r->c, OUR_ID, 0, r->now);
	case H_SIDR_ANSWER:
		return cm_sidr_answer(r->c, OUR_ID, &sidr, r->now);
	default:
		return cm_abort(r->c, OUR_ID, r->now);
	}
}

static void
last_timer(struct run *r)
{
	for (int i = 0; i < 2; i++)
		wait_timer(r);          /* both resends */
	pull(r);
	wait_timer(r);
}

static void
happen(struct run *r, enum happening h)
{
	struct dgram d;

	if (h == H_TIMER) {
		wait_timer(r);
		return;
	}
	switch ((int)h) {
	case H_REQ: request(&d, PEER_ID, PEER_QPN); break;
	case H_REQ_SAME_QP: request(&d, PEER_ID + 1, PEER_QPN); break;
	case H_MRA_REQ: mra(&d, 0); break;
	case H_MRA_REP: mra(&d, 1); break;
	case H_MRA_OTHER: mra(&d, 2); break;
	case H_REJ: reject(&d, 28); break;
	case H_REJ_STALE: reject(&d, 10); break;
	case H_REJ_TIMEOUT: reject(&d, 4); break;
	case H_REP: reply(&d, PEER_ID, PEER_QPN); break;
	case H_REP_USED: reply(&d, PEER_ID, OLD_QPN); break;
	case H_RTU: message(&d, CM_RTU_ID); break;
	case H_DREQ: message(&d, CM_DREQ_ID); wire_put32(d.mad + 32, OUR_QPN << 8); break;
	case H_DREQ_QPN: message(&d, CM_DREQ_ID); wire_put32(d.mad + 32, (OUR_QPN + 1) << 8); break;
	case H_DREP: message(&d, CM_DREP_ID); break;
	case H_LAP: message(&d, CM_LAP_ID); break;
	case H_APR: message(&d, CM_APR_ID); break;
	case H_SIDR_REQ: message(&d, CM_SIDR_REQ_ID); wire_put64(d.mad + 32, SERVICE); break;
	case H_SIDR_REP: message(&d, CM_SIDR_REP_ID); wire_put32(d.mad + 24, OUR_ID); d.mad[28] = 0; break;
	default: return;
	}
	receive(r, &d);
}

/* ---- the way to each place ---- */

static void
go_active(struct run *r, enum place p)
{
	connect_out(r);
	if (p == A_REQ_SENT)
		return;
	if (p == A_MRA_REQ_RCVD) {
		happen(r, H_MRA_REQ);
		return;
	}
	happen(r, H_REP);
	if (p == A_REP_RCVD)
		return;
	if (p == A_MRA_REP_SENT) {
		assert_int_equal(act(r, H_DELAY), 0);
		return;
	}
	assert_int_equal(act(r, H_READY), 0);
	if (p == A_LAP_SENT || p == A_MRA_LAP_RCVD)
		assert_int_equal(act(r, H_LOAD), 0);
	if (p == A_MRA_LAP_RCVD)
		happen(r, H_MRA_OTHER);
}

static void
go_passive(struct run *r, enum place p)
{
	happen(r, H_REQ);
	if (p == P_REQ_RCVD)
		return;
	if (p == P_MRA_REQ_SENT) {
		assert_int_equal(act(r, H_DELAY), 0);
		return;
	}
	assert_int_equal(act(r, H_ACCEPT), 0);
	if (p == P_REP_SENT)
		return;
	if (p == P_MRA_REP_RCVD) {
		happen(r, H_MRA_REP);
		return;
	}
	happen(r, H_RTU);
	if (p == P_LAP_RCVD || p == P_MRA_LAP_SENT)
		happen(r, H_LAP);
	if (p == P_MRA_LAP_SENT)
		assert_int_equal(act(r, H_DELAY), 0);
}

static void
place_enter(struct run *r, enum place p)
{
	struct cm_sidr_ask a = { .addr = { .lid = PEER_LID, .qpn = 1 }, .service_id = SERVICE, .cm_timeout = 12, .retries = 2 };

	if (p == NONE || p == DEAF)
		return;
	if (p == S_ASKED)
		happen(r, H_SIDR_REQ);
	else if (p == S_ASKING)
		assert_int_equal(cm_sidr_ask(r->c, &a, r->now, &r->id), 0);
	else if (p >= P_REQ_RCVD)
		go_passive(r, p);
	else
		go_active(r, p);
	if (p == A_DREQ_SENT || p == P_DREQ_SENT)
		assert_int_equal(act(r, H_DISCONNECT), 0);
	if (p == A_DREQ_RCVD || p == P_DREQ_RCVD || p == A_TIMEWAIT || p == P_TIMEWAIT)
		receive_plain(r, CM_DREQ_ID);
	if (p == A_TIMEWAIT || p == P_TIMEWAIT)
		assert_int_equal(act(r, H_DISCONNECTED), 0);
}

static enum cm_state
state_of(enum place p)
{
	static const enum cm_state s[] = {
		[NONE] = CM_STATE_IDLE, [DEAF] = CM_STATE_IDLE, [A_REQ_SENT] = CM_STATE_REQ_SENT,
		[A_MRA_REQ_RCVD] = CM_STATE_MRA_REQ_RCVD, [A_REP_RCVD] = CM_STATE_REP_RCVD,
		[A_MRA_REP_SENT] = CM_STATE_MRA_REP_SENT, [A_ESTABLISHED] = CM_STATE_ESTABLISHED,
		[A_LAP_SENT] = CM_STATE_ESTABLISHED, [A_MRA_LAP_RCVD] = CM_STATE_ESTABLISHED,
		[A_DREQ_SENT] = CM_STATE_DREQ_SENT, [A_DREQ_RCVD] = CM_STATE_DREQ_RCVD, [A_TIMEWAIT] = CM_STATE_TIMEWAIT,
		[P_REQ_RCVD] = CM_STATE_REQ_RCVD, [P_MRA_REQ_SENT] = CM_STATE_MRA_REQ_SENT,
		[P_REP_SENT] = CM_STATE_REP_SENT, [P_MRA_REP_RCVD] = CM_STATE_MRA_REP_RCVD,
		[P_ESTABLISHED] = CM_STATE_ESTABLISHED, [P_LAP_RCVD] = CM_STATE_ESTABLISHED,
		[P_MRA_LAP_SENT] = CM_STATE_ESTABLISHED, [P_DREQ_SENT] = CM_STATE_DREQ_SENT,
		[P_DREQ_RCVD] = CM_STATE_DREQ_RCVD, [P_TIMEWAIT] = CM_STATE_TIMEWAIT,
		[S_ASKED] = CM_STATE_SIDR_REQ_RCVD, [S_ASKING] = CM_STATE_SIDR_REQ_SENT,
	};

	return s[p];
}

static enum cm_lap_state
lap_of(enum place p)
{
	return p == A_LAP_SENT ? CM_LAP_STATE_SENT : p == A_MRA_LAP_RCVD ? CM_LAP_STATE_MRA_RCVD :
	       p == P_LAP_RCVD ? CM_LAP_STATE_RCVD : p == P_MRA_LAP_SENT ? CM_LAP_STATE_MRA_SENT : CM_LAP_STATE_NONE;
}

static const struct rule *
rule_find(enum place p, enum happening h)
{
	const struct rule *found = NULL;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].places & B(p) && rules[i].h == h) {
			if (found)
				fail_msg("two rules for %s in %s", happening_names[h], place_names[p]);
			found = &rules[i];
		}
	return found;
}

static void
place_begin(struct run *r, enum place p, enum happening h)
{
	struct cm_conf f = cm_conf_default();
	struct dgram d;

	f.ca_guid = OUR_GUID;
	f.id_start = OUR_ID;
	*r = (struct run){ .c = cm_new(&f), .now = { 1000 } };
	if (p != DEAF)
		assert_int_equal(cm_listen(r->c, SERVICE, UINT64_MAX, 5), 0);
	if (h == H_REP_USED && p > DEAF) {     /* another connection has OLD_QPN; ours is still the first ID */
		place_enter(r, p);
		request(&d, OLD_ID, OLD_QPN);
		receive(r, &d);
	} else {
		place_enter(r, p);
	}
	pull(r);
	if (state_of(p) != cm_state(r->c, OUR_ID) && p != NONE && p != DEAF)
		fail_msg("%s was not reached: %s", place_names[p], cm_state_text(cm_state(r->c, OUR_ID)));
}

static unsigned wrongs;

/* All that is wrong is said, not the first only. */
static void __attribute__((format(printf, 1, 2)))
wrong(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_message("# %s\n", text);
	wrongs++;
}

static void
pair(enum place p, enum happening h)
{
	const struct rule *rule = rule_find(p, h);
	enum place next = rule && rule->next != SAME ? rule->next : p;
	struct run r;
	int wish = 0;

	place_begin(&r, p, h);
	if (h >= H_ACCEPT)
		wish = act(&r, h);
	else if (h == H_LAST_TIMER && rule && rule_find(p, H_TIMER) && *rule_find(p, H_TIMER)->sends &&
		 rule_find(p, H_TIMER)->next == SAME)
		last_timer(&r);
	else if (h == H_TIMER || h == H_LAST_TIMER)
		happen(&r, H_TIMER);
	else
		happen(&r, h);
	pull(&r);
	if (strcmp(r.sends, rule ? rule->sends : "") || strcmp(r.tells, rule ? rule->tells : ""))
		wrong("%s in %s: sent \"%s\", told \"%s\"; not \"%s\", \"%s\"", happening_names[h], place_names[p],
			 r.sends, r.tells, rule ? rule->sends : "", rule ? rule->tells : "");
	if (cm_state(r.c, OUR_ID) != state_of(next) || cm_lap_state(r.c, OUR_ID) != lap_of(next))
		wrong("%s in %s: leads to %s, not %s", happening_names[h], place_names[p],
			 cm_state_text(cm_state(r.c, OUR_ID)), place_names[next]);
	if (h >= H_ACCEPT && wish != (rule ? 0 : p <= DEAF ? -ENOENT : -EINVAL))
		wrong("%s in %s: %d", happening_names[h], place_names[p], wish);
	cm_free(r.c);
}

static void
all_pairs(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PLACE_KINDS; p++)
		for (unsigned h = 0; h < HAPPENING_KINDS; h++)
			pair((enum place)p, (enum happening)h);
	assert_int_equal(wrongs, 0);
}

/* From every place, with every event, and then silence of peer and consumer: all is released, or established. */
static void
nothing_hangs(void **state)
{
	(void)state;
	for (unsigned p = 0; p < PLACE_KINDS; p++)
		for (unsigned h = 0; h < HAPPENING_KINDS; h++) {
			struct run r;
			struct monotime at;

			place_begin(&r, (enum place)p, (enum happening)h);
			if (h >= H_ACCEPT)
				act(&r, (enum happening)h);
			else
				happen(&r, (enum happening)h);
			while (cm_deadline(r.c, &at)) {
				assert_true(at.us < INT64_C(1000000) * 1000);
				wait_timer(&r);
				pull(&r);
			}
			assert_true(cm_stats(r.c)->open <= 1);
			assert_true(!cm_stats(r.c)->open || cm_state(r.c, OUR_ID) == CM_STATE_ESTABLISHED);
			cm_free(r.c);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pairs),
		cmocka_unit_test(nothing_hangs),
	};

	return cmocka_run_group_tests_name("cm_states", tests, NULL, NULL);
}
