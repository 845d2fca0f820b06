/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_apply.c - barriers, retries, and believing nothing that was not confirmed.
 */
#include <config.h>
#include <stdio.h>
#include "tests/unit/test.h"
#include "sm/apply/apply.h"
#include "tests/unit/diff/bed.h"
#include "util/xalloc.h"
#include "fabric/snapshot/qos_walk.h"

#define REQUESTS_MAX 1024

/* A request as the agent got it, and in which phase it was sent. */
struct asked {
	struct txn_req r;
	uint8_t payload[64];
	enum change_phase phase;
	struct change change;
};

static struct bed b;
static struct apply *a;
static struct asked asked[REQUESTS_MAX];
static unsigned nasked;
static char said[256];                  /* the last line of the log */

static void
keep_line(void *arg, enum log_level level, const char *room, const char *line)
{
	(void)arg;
	(void)level;
	assert_string_equal(room, "apply");
	snprintf(said, sizeof(said), "%s", line);
}

static const struct log sink = { LOG_TRACE, keep_line, NULL };

static int
setup(void **state)
{
	struct changes c;

	(void)state;
	bed_make(&b);
	diff_make(b.o, &b.plan, &c);
	a = apply_new(b.o, &b.plan, &c, mkeys_one(5), &sink);
	assert_int_equal(c.total, 0);
	nasked = 0;
	said[0] = 0;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	apply_free(a);
	bed_clear(&b);
	return 0;
}

/* Whom the request is about, from its wire form. */
static struct change
change_of(const struct txn_req *r)
{
	const struct fab_node *n = &b.s->nodes[r->target];

	if (r->attr_id == PORT_INFO_ID)
		return (struct change){ n->first_port + r->modifier, 0 };
	if (r->attr_id == SLVL_TABLE_ID || r->attr_id == VLARB_TABLE_ID)
		return (struct change){ n->first_port + (fab_is_switch(n) ? r->modifier & 0xff : 1),
			r->attr_id == VLARB_TABLE_ID ? CHANGE_QOS_VLARB | r->modifier : r->modifier };
	return (struct change){ n->sw, r->attr_id == LFT_BLOCK_ID ? r->modifier : 0 };
}

/* Takes all that may be sent now. */
static unsigned
take(void)
{
	struct txn_req r;
	unsigned n = 0;

	nasked = 0;
	while (apply_next(a, &r)) {
		struct asked *q = &asked[nasked++];

		assert_in_range(nasked, 1, REQUESTS_MAX);
		q->r = r;
		q->phase = apply_phase(a);
		q->change = change_of(&r);
		if (r.payload)
			memcpy(q->payload, r.payload, 64);
		assert_true(r.mkey == 5);
		n++;
	}
	return n;
}

static void
end(const struct asked *q, enum txn_end_kind kind, uint16_t status, const uint8_t *data)
{
	struct dgram reply = { .bytes = DGRAM_BYTES };
	struct txn_end e = {
		.cookie = q->r.cookie, .target = q->r.target, .kind = kind, .status = status,
		.reply = kind <= TXN_END_STATUS ? &reply : NULL,
	};

	if (data)
		memcpy(reply.mad + 64, data, 64);
	apply_end(a, &e);
}

/* As good hardware does. */
static void
obey(const struct asked *q)
{
	uint8_t answer[64];

	bed_obey(&b, q->phase, &q->change, q->payload, answer);
	end(q, TXN_END_OK, 0, answer);
}

/* Everything up to 'phase' is done as told. */
static void
until(enum change_phase phase)
{
	while (take() && asked[0].phase < phase)
		for (unsigned i = 0; i < nasked; i++)
			obey(&asked[i]);
	assert_int_equal(asked[0].phase, phase);
}

static void
the_rest(void)
{
	while (take())
		for (unsigned i = 0; i < nasked; i++)
			obey(&asked[i]);
	assert_true(apply_done(a));
}

static const struct apply_failure *
failure(uint32_t n)
{
	uint32_t all;
	const struct apply_failure *v = apply_failures(a, &all);

	assert_int_equal(all, n);
	return v;
}

/* So the last failure is told, in the log and to whom asks. */
static void
told(const char *words)
{
	char line[256], text[APPLY_END_TEXT_BYTES];
	const struct apply_failure *f;
	uint32_t n;

	f = apply_failures(a, &n);
	assert_true(n > 0);
	f += n - 1;
	apply_end_text(f, text);
	assert_string_equal(text, words);
	snprintf(line, sizeof(line), "%s of node 0x%016llx port %u failed: %s", change_phase_text((enum change_phase)f->phase),
		(unsigned long long)b.s->nodes[f->node].guid, f->port, words);
	assert_string_equal(said, line);
}

static const struct asked *
asked_of(uint32_t subject)
{
	for (unsigned i = 0; i < nasked; i++)
		if (asked[i].change.subject == subject)
			return &asked[i];
	fail();
	return NULL;
}

static void
all_is_well(void **state)
{
	enum change_phase last = CHANGE_PKEYS;
	struct changes again;
	uint64_t done, total;

	(void)state;
	while (take()) {
		assert_true(asked[0].phase > last);
		last = asked[0].phase;
		for (unsigned i = 0; i < nasked; i++)
			assert_int_equal(asked[i].phase, last);
		/* In any order, and until the last has ended nothing of the next phase goes out. */
		for (unsigned i = nasked; i--;) {
			struct txn_req r;

			assert_false(apply_next(a, &r));
			obey(&asked[i]);
		}
	}
	assert_true(apply_done(a));
	assert_int_equal(last, CHANGE_ACTIVATE);
	failure(0);
	apply_progress(a, &done, &total);
	assert_int_equal(done, total);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		assert_true(observed_lft_known(b.o, sw));
	bed_obey_all(&b, &(struct changes){ 0 });
	diff_make(b.o, &b.plan, &again);
	assert_int_equal(again.total, 0);
	changes_clear(&again);
}

static void
what_timed_out_is_tried_again(void **state)
{
	uint32_t subject;

	(void)state;
	until(CHANGE_LFT);
	subject = asked[7].change.subject;
	for (unsigned i = 0; i < nasked; i++)
		if (i == 7)
			end(&asked[i], TXN_END_TIMED_OUT, 0, NULL);
		else
			obey(&asked[i]);
	assert_int_equal(take(), 1);                    /* that one only, in the same phase */
	assert_int_equal(asked[0].phase, CHANGE_LFT);
	assert_int_equal(asked[0].change.subject, subject);
	end(&asked[0], TXN_END_SEND_FAILED, 0, NULL);
	assert_int_equal(take(), 1);
	obey(&asked[0]);
	failure(0);
	assert_true(observed_lft_known(b.o, subject));
	the_rest();
	failure(0);
}

static void
what_never_answers_is_named(void **state)
{
	const struct apply_failure *f;
	struct asked lost;

	(void)state;
	until(CHANGE_LFT);
	lost = asked[3];
	for (unsigned i = 0; i < nasked; i++)
		if (i != 3)
			obey(&asked[i]);
	for (unsigned round = 0; round < 3; round++) {
		if (round)
			assert_int_equal(take(), 1);
		end(round ? &asked[0] : &lost, TXN_END_TIMED_OUT, 0, NULL);
	}
	f = failure(1);
	told("not answered (timed out)");
	assert_int_equal(f->phase, CHANGE_LFT);
	assert_int_equal(f->node, b.s->switches[lost.change.subject]);
	assert_int_equal(f->change.block, lost.change.block);
	assert_false(observed_lft_known(b.o, lost.change.subject));
	assert_true(observed_lft_known(b.o, lost.change.subject ? 0 : 1));
	the_rest();                                     /* nobody waits for it */
	failure(1);
}

/* A chain of three blocks, and one that nobody waits for; the second drains before the third. */
static void
begin_ordered(struct order_write w[4], uint32_t preds[2])
{
	struct changes c = { .total = 4, .ordered = xcalloc(1, sizeof(*c.ordered)) };

	for (uint32_t i = 0; i < 4; i++)
		w[i] = (struct order_write){ .sw = i, .block = 1 };
	w[1].pred_first = 0;
	w[1].npreds = 1;
	w[2].pred_first = 1;
	w[2].npreds = 1;
	preds[0] = ORDER_PRED(0, false);
	preds[1] = ORDER_PRED(1, true);
	c.ordered->phase = CHANGE_LFT;
	c.ordered->order = (struct order){ .writes = w, .nwrites = 4, .preds = preds };
	c.phase[CHANGE_LFT].v = xcalloc(4, sizeof(struct change));
	c.phase[CHANGE_LFT].n = c.phase[CHANGE_LFT].cap = 4;
	for (uint32_t i = 0; i < 4; i++)
		c.phase[CHANGE_LFT].v[i] = (struct change){ i, 1 };
	apply_free(a);
	a = apply_new(b.o, &b.plan, &c, mkeys_one(5), &sink);
	apply_set_time(a, (struct monotime){ 1000 });
}

static void
ordered_changes_wait(void **state)
{
	struct order_write w[4];
	uint32_t preds[2];
	struct monotime t;

	(void)state;
	begin_ordered(w, preds);
	assert_int_equal(take(), 2);
	assert_int_equal(asked[0].change.subject, 0);
	assert_int_equal(asked[1].change.subject, 3);
	obey(&asked[0]);
	assert_int_equal(take(), 1);                    /* while the other is under way */
	assert_int_equal(asked[0].change.subject, 1);
	assert_false(apply_deadline(a, &t));
	obey(&asked[0]);
	assert_int_equal(take(), 0);
	assert_true(apply_deadline(a, &t));
	apply_set_time(a, (struct monotime){ t.us - 1 });
	assert_int_equal(take(), 0);
	apply_set_time(a, t);
	assert_int_equal(take(), 1);
	assert_int_equal(asked[0].change.subject, 2);
	assert_false(apply_deadline(a, &t));
}

static void
what_waits_for_a_failure_is_held_back(void **state)
{
	struct order_write w[4];
	struct asked first;
	uint32_t preds[2];

	(void)state;
	begin_ordered(w, preds);
	assert_int_equal(take(), 2);
	first = asked[0];
	obey(&asked[1]);
	for (unsigned round = 0; round < 3; round++) {
		if (round)
			assert_int_equal(take(), 1);
		end(round ? &asked[0] : &first, TXN_END_TIMED_OUT, 0, NULL);
	}
	assert_int_equal(take(), 0);
	assert_true(apply_done(a));
	failure(1);
	assert_string_equal(
		said, "lft: 2 writes were not sent, because they wait for others that failed");
	for (uint32_t sw = 0; sw < 3; sw++)
		assert_false(observed_lft_known(b.o, sw));
	assert_true(observed_lft_known(b.o, 3));
}

/* The end of a retry frees what waits. */
static void
retries_keep_the_order(void **state)
{
	struct order_write w[4];
	uint32_t preds[2];

	(void)state;
	begin_ordered(w, preds);
	assert_int_equal(take(), 2);
	end(&asked[0], TXN_END_TIMED_OUT, 0, NULL);
	assert_int_equal(take(), 0);
	obey(&asked[1]);
	assert_int_equal(take(), 1);
	assert_int_equal(asked[0].change.subject, 0);
	obey(&asked[0]);
	assert_int_equal(take(), 1);
	assert_int_equal(asked[0].change.subject, 1);
	failure(0);
}

/* A mute target is not asked again and again. */
static void
skipped(void **state)
{
	(void)state;
	until(CHANGE_LFT);
	end(&asked[0], TXN_END_SKIPPED, 0, NULL);
	told("not sent, as the node does not answer");
	for (unsigned i = 1; i < nasked; i++)
		obey(&asked[i]);
	failure(1);
	the_rest();
	failure(1);
}

/* A status is told only of an answer. */
static void
every_end_has_its_words(void **state)
{
	(void)state;
	until(CHANGE_LFT);
	end(&asked[0], TXN_END_STATUS, 0x000c, NULL);
	told("answered with status 0x000c");
	end(&asked[1], TXN_END_CANCELLED, 0, NULL);
	told("cancelled");
	for (unsigned i = 3; i < nasked; i++)
		obey(&asked[i]);
	end(&asked[2], TXN_END_SEND_FAILED, 0, NULL);
	for (unsigned round = 1; round < 3; round++) {
		assert_int_equal(take(), 1);
		end(&asked[0], TXN_END_SEND_FAILED, 0, NULL);
	}
	failure(3);
	told("could not be sent");
}

/* One end of a cable is not ARMED: neither becomes ACTIVE. */
static void
half_armed_links_stay_down(void **state)
{
	uint32_t active = 0;

	(void)state;
	until(CHANGE_ARM);
	for (unsigned i = 0; i < nasked; i++)
		if (asked[i].change.subject == b.host)
			end(&asked[i], TXN_END_SKIPPED, 0, NULL);
		else
			obey(&asked[i]);
	assert_int_equal(take(), 94);
	for (unsigned i = 0; i < nasked; i++) {
		assert_int_not_equal(asked[i].change.subject, b.host);
		assert_int_not_equal(asked[i].change.subject, b.leaf);
		obey(&asked[i]);
	}
	failure(1);
	assert_true(apply_done(a));
	assert_int_equal(bed_port(&b, b.leaf).state, 3);
	for (uint32_t i = 0; i < b.s->nports; i++)
		active += b.s->ports[i].num && bed_port(&b, i).state == 4;
	assert_int_equal(active, 94);
	assert_true(b.s->ports[b.host].flags & FAB_PORT_UNTOLD);
	assert_false(b.s->ports[b.leaf].flags & FAB_PORT_UNTOLD);
}

/* An end that has become ACTIVE by itself refuses the same-state write: what it shows counts. */
static void
refused_states_are_read_back(void **state)
{
	static const struct { uint8_t shows; unsigned failures; } row[] = { { 4, 0 }, { 3, 1 }, { 2, 1 }, { 5, 1 } };
	struct port_info pi;
	uint8_t w[64];

	for (unsigned k = 0; k < 4; k++) {
		if (k) {
			teardown(state);
			setup(state);
		}
		until(CHANGE_ACTIVATE);
		for (unsigned i = 0; i < nasked; i++)
			if (asked[i].change.subject == b.host)
				end(&asked[i], TXN_END_STATUS, 0x000c, NULL);
			else
				obey(&asked[i]);
		assert_int_equal(take(), 1);
		assert_int_equal(asked[0].r.method, METHOD_GET);
		assert_int_equal(asked[0].r.attr_id, PORT_INFO_ID);
		assert_int_equal(asked[0].r.modifier, 1);
		memcpy(w, b.s->ports[b.host].info, 64);
		pi = port_info_decode(w);
		pi.state = row[k].shows;
		port_info_encode(w, &pi);
		end(&asked[0], TXN_END_OK, 0, w);
		assert_true(apply_done(a));
		failure(row[k].failures);
		if (row[k].failures)
			told("answered with status 0x000c");
		assert_int_equal(bed_port(&b, b.host).state, row[k].shows);
	}
}

static void
an_ok_without_effect_is_no_success(void **state)
{
	const struct asked *q;
	struct port_info pi;
	uint8_t w[64];

	(void)state;
	until(CHANGE_LIDS);
	memcpy(w, asked[0].payload, 64);
	pi = port_info_decode(w);
	pi.lid++;                                       /* it took another LID than it was given */
	port_info_encode(w, &pi);
	end(&asked[0], TXN_END_OK, 0, w);
	told("answered, but without effect");
	assert_int_equal(bed_port(&b, asked[0].change.subject).lid, pi.lid);    /* that is what it has now */
	for (unsigned i = 1; i < nasked; i++)
		obey(&asked[i]);
	failure(1);
	until(CHANGE_LFT);
	memcpy(w, asked[0].payload, 64);
	w[5] ^= 1;
	end(&asked[0], TXN_END_OK, 0, w);
	assert_false(observed_lft_known(b.o, asked[0].change.subject));
	for (unsigned i = 1; i < nasked; i++)
		obey(&asked[i]);
	failure(2);
	until(CHANGE_ARM);
	q = asked_of(b.host);
	end(q, TXN_END_OK, 0, b.s->ports[b.host].info); /* still INIT */
	for (unsigned i = 0; i < nasked; i++)
		if (&asked[i] != q)
			obey(&asked[i]);
	assert_int_equal(failure(3)[2].end, TXN_END_OK);
	assert_int_equal(take(), 94);
}

/* The echo of client-reregister is no state of the port. */
static void
the_echo_is_not_believed(void **state)
{
	struct port_info pi;
	uint8_t w[64];

	(void)state;
	until(CHANGE_ARM);
	memcpy(w, asked_of(b.host)->payload, 64);
	pi = port_info_decode(w);
	pi.client_reregister = 1;
	port_info_encode(w, &pi);
	for (unsigned i = 0; i < nasked; i++)
		if (asked[i].change.subject == b.host)
			end(&asked[i], TXN_END_OK, 0, w);
		else
			obey(&asked[i]);
	assert_int_equal(bed_port(&b, b.host).client_reregister, 0);
	until(CHANGE_ACTIVATE);
	assert_int_equal(port_info_decode(asked_of(b.host)->payload).client_reregister, 0);
}

static void
nothing_to_do(void **state)
{
	struct changes none = { 0 };
	struct apply *idle = apply_new(b.o, &b.plan, &none, mkeys_one(0), NULL);
	struct txn_req r;

	(void)state;
	assert_true(apply_done(idle));
	assert_false(apply_next(idle, &r));
	apply_free(idle);
	apply_free(NULL);
}

/* The same fabric with tables of lanes to write. */
static void
with_lanes(bool optimized, bool quiet)
{
	struct changes c;

	apply_free(a);
	bed_clear(&b);
	bed_make(&b);
	bed_lanes(&b, optimized);
	b.plan.qos.quiet = quiet;
	diff_make(b.o, &b.plan, &c);
	a = apply_new(b.o, &b.plan, &c, mkeys_one(5), NULL);
}

/* Tables that are not known to be as planned. */
static unsigned
unknown(void)
{
	struct qos_walk *w = qos_walk_new(b.s);
	uint8_t want[64], have[64];
	struct qos_table t;
	unsigned n = 0;

	while (qos_walk_next(w, &t)) {
		qos_plan_table(&b.plan.qos, b.s, &t, want);
		n += !qos_tables_get(b.o->qos, b.s, &t, have) ||
			memcmp(want, have, t.block ? VLARB_TABLE_BYTES : SLVL_TABLE_BYTES) != 0;
	}
	qos_walk_free(w);
	return n;
}

/* Good hardware says back what it was told, and that is what is known from then on. */
static void
lanes_are_believed(void **state)
{
	(void)state;
	for (unsigned optimized = 0; optimized < 2; optimized++) {
		with_lanes(optimized, false);
		until(CHANGE_QOS);
		assert_true(unknown() > 500);
		do
			for (unsigned i = 0; i < nasked; i++) {
				assert_true(asked[i].r.attr_id == SLVL_TABLE_ID || asked[i].r.attr_id == VLARB_TABLE_ID);
				assert_int_equal(asked[i].r.method, METHOD_SET);
				end(&asked[i], TXN_END_OK, 0, asked[i].payload);
			}
		while (take() && asked[0].phase == CHANGE_QOS);
		assert_int_equal(unknown(), 0);
		for (unsigned i = 0; i < nasked; i++)
			obey(&asked[i]);
		the_rest();
		failure(0);
	}
}

/* Ends the changes of phase QOS well but for those of one node's attribute; returns how many those were. */
static unsigned
spoil(uint32_t node, uint16_t attr, enum txn_end_kind kind, uint16_t status)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nasked; i++) {
		uint8_t answer[64];

		if (asked[i].r.target != node || asked[i].r.attr_id != attr) {
			end(&asked[i], TXN_END_OK, 0, asked[i].payload);
			continue;
		}
		memset(answer, 0, sizeof(answer));
		end(&asked[i], kind, status, answer);
		n++;
	}
	return n;
}

/* A refused table is named and unknown; one that shows something else is named, and what it shows is known. */
static void
lanes_that_are_refused(void **state)
{
	const struct apply_failure *f;
	uint32_t leaf;
	unsigned n;

	(void)state;
	for (unsigned quiet = 0; quiet < 2; quiet++) {
		with_lanes(false, quiet);
		until(CHANGE_QOS);
		leaf = b.s->ports[b.leaf].node;
		n = spoil(leaf, SLVL_TABLE_ID, TXN_END_STATUS, STATUS_BAD_VALUE);
		assert_int_equal(n, 20);
		assert_int_equal(unknown(), 20);
		the_rest();
		f = failure(quiet ? 0 : 20);
		if (!quiet)
			assert_int_equal(f->node, leaf);
		assert_false(b.s->ports[b.leaf].flags & FAB_PORT_UNTOLD);
		with_lanes(false, quiet);               /* arbitration is not what quiet is about */
		until(CHANGE_QOS);
		assert_int_equal(spoil(leaf, VLARB_TABLE_ID, TXN_END_STATUS, STATUS_BAD_VALUE), 12);
		the_rest();
		failure(12);
		with_lanes(false, quiet);
		until(CHANGE_QOS);
		assert_int_equal(spoil(leaf, SLVL_TABLE_ID, TXN_END_OK, 0), 20);
		assert_int_equal(unknown(), 20);        /* as it shows another one */
		the_rest();
		failure(quiet ? 0 : 20);
		with_lanes(false, quiet);               /* nor silence */
		until(CHANGE_QOS);
		spoil(leaf, SLVL_TABLE_ID, TXN_END_SKIPPED, 0);
		the_rest();
		failure(20);
	}
	with_lanes(true, false);
	until(CHANGE_QOS);
	assert_int_equal(spoil(leaf, SLVL_TABLE_ID, TXN_END_OK, 0), 1);
	assert_int_equal(unknown(), 20);
	the_rest();
	failure(1);
	with_lanes(false, false);
	until(CHANGE_QOS);
	/* a low block of zeros is wrong; high ones are three entries of zeros anyway */
	assert_int_equal(spoil(leaf, VLARB_TABLE_ID, TXN_END_OK, 0), 12);
	assert_int_equal(unknown(), 4);
	the_rest();
	failure(4);
}

/* Forwarding tables need the lanes: if a switch does not take them, nothing follows. */
static void
lanes_come_first_and_stop(void **state)
{
	static struct lane_plan plan = { .nvls = 2, .sls = 3, .nclasses = 1 };
	uint32_t leaf, host;
	uint64_t done, total;

	(void)state;
	for (unsigned sl = 0; sl < 16; sl++)
		plan.vl[0][0][sl] = sl & 1;
	with_lanes(false, false);
	leaf = b.s->ports[b.leaf].node;
	for (unsigned of_host = 0; of_host < 2; of_host++) {
		struct changes c;

		with_lanes(false, false);
		bed_lane_plan(&b, false, &plan);
		diff_make(b.o, &b.plan, &c);
		assert_int_equal(c.phase[CHANGE_QOS].n, 0);
		apply_free(a);
		a = apply_new(b.o, &b.plan, &c, mkeys_one(5), NULL);
		until(CHANGE_LANES);
		host = b.s->ports[b.s->ports[b.leaf].peer].node;
		assert_true(spoil(of_host ? host : leaf, SLVL_TABLE_ID, TXN_END_STATUS,
				    STATUS_BAD_VALUE) > 0);
		if (of_host) {
			the_rest();
			assert_false(apply_stopped(a));
			continue;
		}
		while (take() && asked[0].phase == CHANGE_LANES)
			for (unsigned i = 0; i < nasked; i++)
				end(&asked[i], TXN_END_OK, 0, asked[i].payload);
		assert_true(apply_done(a) && apply_stopped(a));
		assert_int_equal(nasked, 0);
		apply_progress(a, &done, &total);
		assert_true(done > 0 && done < total);
	}
}

/* A switch that does not take all its tables at once gets them one by one; silence is no
 * refusal. */
static void
wide_sets_that_are_refused(void **state)
{
	static struct lane_plan plan = { .nvls = 2, .sls = 3, .nclasses = 1 };
	static const struct {
		enum txn_end_kind kind;
		uint16_t status;
		bool singly;
	} row[] = { { TXN_END_STATUS, STATUS_BAD_VALUE, true }, { TXN_END_OK, 0, true },
		{ TXN_END_SKIPPED, 0, false } };

	(void)state;
	for (unsigned sl = 0; sl < 16; sl++)
		plan.vl[0][0][sl] = 1;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint64_t done, total, before;
		struct changes c;
		unsigned singly = 0;
		uint32_t leaf;

		with_lanes(true, false);
		bed_lane_plan(&b, true, &plan);
		leaf = b.s->ports[b.leaf].node;
		diff_make(b.o, &b.plan, &c);
		apply_free(a);
		a = apply_new(b.o, &b.plan, &c, mkeys_one(5), NULL);
		apply_progress(a, &done, &before);
		until(CHANGE_LANES_WIDE);
		assert_int_equal(spoil(leaf, SLVL_TABLE_ID, row[i].kind, row[i].status), 1);
		while (take() && asked[0].phase == CHANGE_LANES)
			for (unsigned k = 0; k < nasked; k++) {
				singly += asked[k].r.target == leaf &&
					asked[k].r.attr_id == SLVL_TABLE_ID;
				end(&asked[k], TXN_END_OK, 0, asked[k].payload);
			}
		assert_int_equal(singly, row[i].singly ? 20 : 0);
		assert_true(apply_stopped(a) == !row[i].singly);
		if (!row[i].singly)
			continue;
		assert_int_equal(unknown(), 0);
		for (unsigned k = 0; k < nasked; k++)
			obey(&asked[k]);
		the_rest();
		failure(0);
		apply_progress(a, &done, &total);
		assert_true(done == total && total == before + 20);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_is_well, setup, teardown),
		cmocka_unit_test_setup_teardown(lanes_come_first_and_stop, setup, teardown),
		cmocka_unit_test_setup_teardown(wide_sets_that_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(what_timed_out_is_tried_again, setup, teardown),
		cmocka_unit_test_setup_teardown(what_never_answers_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(skipped, setup, teardown),
		cmocka_unit_test_setup_teardown(ordered_changes_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_waits_for_a_failure_is_held_back, setup, teardown),
		cmocka_unit_test_setup_teardown(retries_keep_the_order, setup, teardown),
		cmocka_unit_test_setup_teardown(every_end_has_its_words, setup, teardown),
		cmocka_unit_test_setup_teardown(half_armed_links_stay_down, setup, teardown),
		cmocka_unit_test_setup_teardown(refused_states_are_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(an_ok_without_effect_is_no_success, setup, teardown),
		cmocka_unit_test_setup_teardown(the_echo_is_not_believed, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_to_do, setup, teardown),
		cmocka_unit_test_setup_teardown(lanes_are_believed, setup, teardown),
		cmocka_unit_test_setup_teardown(lanes_that_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("apply", tests, NULL, NULL);
}
