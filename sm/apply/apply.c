/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * apply.c - the engine that sends changes, phase by phase.
 * Room: sm/apply.  Pure.  In: changes, ends of transactions.  Out: requests, failures.
 *
 * The engine handles order and retries: barriers between phases, further rounds for requests that
 * timed out, Gets after refused Sets, the list of failures.  The row of the kind (sm/diff/kind.h)
 * defines what a Set carries, what its answer proves and what is known by it.  Nothing here depends
 * on a single kind.
 *
 * Invariants: every change ends confirmed or listed as failed.  A phase begins when the one before
 * has ended.  The observed state changes only by answers, or by the lack of one.
 *
 * A phase may have an order among its changes (queue.h).  Then a change is sent when those that it
 * waits for are confirmed; what waits for a change that failed is held back, and counts as failed.
 *
 * A cookie is the index of the change in its phase; bit 32 marks the Get after a refused Set.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/txn/retry.h"
#include "sm/apply/apply.h"
#include "sm/apply/queue.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define READ_BACK (UINT64_C(1) << 32)
#define FAILURES_MAX 4096               /* listed; further ones are only counted in the log */
#define DATA_AT 64                      /* offset of the attribute in a reply */

/* Refused changes: a Get of the same attribute reads the present value. */
struct read_back {
	uint32_t index;                 /* of the change in its phase */
	uint16_t refusal;               /* the status */
};

struct read_backs {
	struct read_back *v;
	uint32_t n, cap, next;
};

struct index_list {
	uint32_t *v;
	uint32_t n, cap;
};

/* Routes to adapter ports that do not share their node's route. */
struct port_paths {
	uint8_t (*path)[DGRAM_PATH_BYTES];
	uint8_t *hops;
	/* by port index: 1 + index of its path; 0: the node's path */
	uint32_t *of;
};

struct failed {
	struct apply_failure *v;
	uint32_t n;
	bool stops;                     /* no phase follows the current one */
};

struct apply {
	struct observed *observed;
	struct diff_view view;
	const struct log *log;
	struct changes changes;
	const struct change_kind *const *kinds;         /* by phase */
	struct mkeys mkeys;
	struct mkeys_last last_key;
	enum change_phase phase;
	unsigned round;
	uint32_t next, open;
	/* indices of changes of this phase: those that this round sends, unless it is the first;
	 * those that timed out in this round */
	struct index_list todo, again;
	struct apply_queue *queue;      /* NULL: this phase has no order */
	struct monotime now;
	struct read_backs read_back;
	uint64_t done, total;
	/* by port index: a kind with bars_link failed there */
	uint64_t *barred;
	uint64_t *fallback;             /* by port index: Sets use their fallback form */
	struct failed failed;
	uint8_t payload[CHANGE_BYTES];
	uint8_t (*sent)[CHANGE_BYTES];  /* by change of this phase, for kinds with keeps_sent */
	struct port_paths paths;
};

static void
index_push(struct index_list *l, uint32_t i)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->v = xreallocarray(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = i;
}

static const struct change_kind *
current_kind(const struct apply *a)
{
	return a->kinds[a->phase];
}

static bool
is_of_switch(const struct apply *a)
{
	return current_kind(a)->subject == CHANGE_OF_SWITCH;
}

static uint32_t
change_node(const struct apply *a, const struct change *c)
{
	return is_of_switch(a) ? a->view.s->switches[c->subject] :
				 a->view.s->ports[c->subject].node;
}

/* The port of a change; port 0 for a change of a switch. */
static uint32_t
change_port(const struct apply *a, const struct change *c)
{
	return is_of_switch(a) ? a->view.s->nodes[change_node(a, c)].first_port : c->subject;
}

/* ---- phases and rounds ---- */

static void
end_phase(struct apply *a)
{
	struct change_list *l = &a->changes.phase[a->phase];

	free(l->v);
	*l = (struct change_list){ NULL, 0, 0 };
	free(a->sent);
	a->sent = NULL;
	apply_queue_free(a->queue);
	a->queue = NULL;
	a->round = 0;
	a->phase++;
}

static void
begin_phase(struct apply *a)
{
	const struct change_order *o = a->changes.ordered;

	if (o && o->phase == a->phase && a->changes.phase[a->phase].n)
		a->queue = apply_queue_new(&o->order);
}

/* Starts the next round of this phase with the requests that timed out. */
static void
begin_round(struct apply *a)
{
	struct index_list done = a->todo;

	a->todo = a->again;
	a->again = done;
	a->again.n = 0;
	a->round++;
	for (uint32_t i = 0; a->queue && i < a->todo.n; i++)
		apply_queue_again(a->queue, a->todo.v[i]);
}

/* The number of changes that this round sends, in a phase without an order. */
static uint32_t
round_size(const struct apply *a)
{
	return a->round ? a->todo.n : a->changes.phase[a->phase].n;
}

static bool
round_is_sent(const struct apply *a)
{
	return a->queue ? apply_queue_is_empty(a->queue) : a->next == round_size(a);
}

static void drop_held_back(struct apply *a);

/* Later phases are not sent, because a change failed without which they must not be. */
static void
drop_later_phases(struct apply *a)
{
	uint64_t n = 0;

	while (a->phase < CHANGE_PHASE_COUNT) {
		n += a->changes.phase[a->phase].n;
		end_phase(a);
	}
	log_line(a->log, LOG_WARN, "apply", "%llu changes of later phases are not sent",
		(unsigned long long)n);
}

/* Advances while the current phase has nothing to send and no request in flight. */
static void
advance_phase(struct apply *a)
{
	while (a->phase < CHANGE_PHASE_COUNT && !a->open && round_is_sent(a) &&
		a->read_back.next == a->read_back.n) {
		a->read_back.n = a->read_back.next = 0;
		a->next = 0;
		if (a->again.n) {
			begin_round(a);
			continue;
		}
		drop_held_back(a);
		end_phase(a);
		if (a->failed.stops)
			drop_later_phases(a);
		if (a->phase < CHANGE_PHASE_COUNT)
			begin_phase(a);
	}
}

/* ---- life ---- */

static bool
has_own_path(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];

	return !fab_is_switch(n) && p->num > 0 && p->peer != FAB_NONE && p->num != n->entry_port;
}

static void
make_paths(struct port_paths *paths, const struct snapshot *s)
{
	uint32_t n = 0;

	paths->of = xcalloc(s->nports + 1u, sizeof(*paths->of));
	for (uint32_t p = 0; p < s->nports; p++)
		if (has_own_path(s, &s->ports[p]))
			paths->of[p] = ++n;
	paths->path = xcalloc(n + 1u, sizeof(*paths->path));
	paths->hops = xcalloc(n + 1u, 1);
	for (uint32_t p = 0; p < s->nports; p++)
		if (paths->of[p])
			paths->hops[paths->of[p] - 1] =
				snapshot_port_path(s, p, paths->path[paths->of[p] - 1]);
}

/* Whether there are changes of ports; changes of switches use the routes of their nodes. */
static bool
has_port_changes(const struct apply *a)
{
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		if (a->changes.phase[p].n && a->kinds[p]->subject == CHANGE_OF_PORT)
			return true;
	return false;
}

struct apply *
apply_new(struct observed *o, const struct plan *plan, struct changes *c, struct mkeys mkeys,
	const struct log *log)
{
	struct apply *a = xcalloc(1, sizeof(*a));

	a->observed = o;
	a->view = (struct diff_view){ .s = o->s, .observed = o, .plan = plan };
	a->log = log;
	a->mkeys = mkeys;
	a->changes = *c;
	a->kinds = c->kinds ? c->kinds : change_kinds;
	a->total = c->total;
	memset(c, 0, sizeof(*c));
	a->barred = xcalloc(BITS_WORDS(o->s->nports) + 1, sizeof(uint64_t));
	a->fallback = xcalloc(BITS_WORDS(o->s->nports) + 1, sizeof(uint64_t));
	if (a->changes.ordered)
		a->view.order = &a->changes.ordered->order;
	if (has_port_changes(a))
		make_paths(&a->paths, o->s);
	begin_phase(a);
	advance_phase(a);
	return a;
}

void
apply_free(struct apply *a)
{
	if (!a)
		return;
	changes_clear(&a->changes);
	free(a->again.v);
	free(a->todo.v);
	apply_queue_free(a->queue);
	free(a->read_back.v);
	free(a->barred);
	free(a->fallback);
	free(a->failed.v);
	free(a->paths.path);
	free(a->paths.hops);
	free(a->paths.of);
	free(a->sent);
	free(a);
}

/* ---- failures ---- */

void
apply_end_text(const struct apply_failure *f, char text[static APPLY_END_TEXT_BYTES])
{
	switch ((enum txn_end_kind)f->end) {
	case TXN_END_OK:
		snprintf(text, APPLY_END_TEXT_BYTES, "answered, but without effect");
		return;
	case TXN_END_STATUS:
		snprintf(text, APPLY_END_TEXT_BYTES, "answered with status 0x%04x", f->status);
		return;
	case TXN_END_TIMED_OUT:
		snprintf(text, APPLY_END_TEXT_BYTES, "not answered (timed out)");
		return;
	case TXN_END_SEND_FAILED:
		snprintf(text, APPLY_END_TEXT_BYTES, "could not be sent");
		return;
	case TXN_END_SKIPPED:
		snprintf(text, APPLY_END_TEXT_BYTES, "not sent, as the node does not answer");
		return;
	case TXN_END_CANCELLED:
		snprintf(text, APPLY_END_TEXT_BYTES, "cancelled");
		return;
	}
}

/* Whether the kind leaves this result out of the reports. */
static bool
is_quiet(const struct apply *a, const struct change *c, const struct txn_end *e)
{
	const struct change_kind *k = current_kind(a);

	return k->is_quiet && (e->kind == TXN_END_STATUS || e->kind == TXN_END_OK) &&
		k->is_quiet(a->view.plan, c);
}

static void
list_failure(struct apply *a, const struct change *c, const struct txn_end *e)
{
	uint32_t node = change_node(a, c);
	struct apply_failure f = {
		.kind = current_kind(a), .phase = (uint8_t)a->phase, .end = (uint8_t)e->kind,
		.status = e->status, .change = *c, .node = node,
		.port = is_of_switch(a) ? 0 : a->view.s->ports[c->subject].num,
	};
	char why[APPLY_END_TEXT_BYTES];

	if ((a->failed.n & (a->failed.n - 1)) == 0)
		a->failed.v = xreallocarray(
			a->failed.v, a->failed.n ? a->failed.n * 2u : 1u, sizeof(f));
	a->failed.v[a->failed.n++] = f;
	apply_end_text(&f, why);
	log_line(a->log, LOG_WARN, "apply", "%s of node 0x%016llx port %u failed: %s", f.kind->name,
		(unsigned long long)a->view.s->nodes[node].guid, f.port, why);
}

/* If an answer showed data, observe() has recorded it, including that the Set had no effect. */
static void
change_failed(struct apply *a, const struct change *c, const struct txn_end *e)
{
	const struct change_kind *k = current_kind(a);

	if (e->kind != TXN_END_OK && k->forget)
		k->forget(a->observed, c);
	if (k->bars_link)
		bits_set(a->barred, change_port(a, c));
	a->failed.stops |= k->stops && fab_is_switch(&a->view.s->nodes[change_node(a, c)]);
	if (a->failed.n < FAILURES_MAX && !is_quiet(a, c, e))
		list_failure(a, c, e);
}

/* The phase ends, and some changes still wait for others, which failed. */
static void
drop_held_back(struct apply *a)
{
	const struct change_list *l = &a->changes.phase[a->phase];
	const struct change_kind *k = current_kind(a);
	uint32_t held = 0;

	for (uint32_t i = 0; a->queue && i < l->n; i++) {
		if (!apply_queue_is_held(a->queue, i))
			continue;
		held++;
		if (k->forget)
			k->forget(a->observed, &l->v[i]);
	}
	if (held)
		log_line(a->log, LOG_WARN, "apply",
			"%s: %u writes were not sent, because they wait for others that failed",
			k->name, held);
}

static bool
link_barred(const struct apply *a, uint32_t p)
{
	uint32_t peer = a->view.s->ports[p].peer;

	return bits_test(a->barred, p) || (peer != FAB_NONE && bits_test(a->barred, peer));
}

/* ---- requests ---- */

static bool
in_fallback(const struct apply *a, const struct change *c)
{
	return current_kind(a)->has_fallback && bits_test(a->fallback, change_port(a, c));
}

/* Fills in target, route, key, attribute and modifier. */
static void
request_head(struct apply *a, const struct change *c, struct txn_req *r)
{
	const struct change_kind *k = current_kind(a);
	const struct snapshot *s = a->view.s;
	uint32_t node = change_node(a, c), own = is_of_switch(a) ? 0 : a->paths.of[c->subject];

	memset(r, 0, sizeof(*r));
	r->target = node;
	r->mgmt_class = CLASS_SM_DR;
	r->mkey = mkeys_to_write(
		&a->mkeys, &a->last_key, s, own ? c->subject : mkeys_node_port(s, node));
	r->path = own ? a->paths.path[own - 1] : s->nodes[node].path;
	r->hop_count = own ? a->paths.hops[own - 1] : s->nodes[node].hop_count;
	r->attr_id = change_attribute(k, c);
	r->modifier = k->modifier ? k->modifier(&a->view, c, in_fallback(a, c)) : 0;
}

static void
make_request(struct apply *a, uint32_t index, struct txn_req *r)
{
	const struct change_kind *k = current_kind(a);
	const struct change_list *l = &a->changes.phase[a->phase];

	request_head(a, &l->v[index], r);
	r->cookie = index;
	r->method = METHOD_SET;
	r->payload = k->payload(k, &a->view, &l->v[index], a->payload);
	r->payload_bytes = CHANGE_BYTES;
	r->payload_borrowed = k->payload_borrowed;
	if (!k->keeps_sent)
		return;
	if (!a->sent)
		a->sent = xcalloc(l->n, sizeof(*a->sent));
	memcpy(a->sent[index], r->payload, sizeof(*a->sent));
}

static bool
next_read_back(struct apply *a, struct txn_req *r)
{
	if (a->read_back.next == a->read_back.n)
		return false;
	request_head(a,
		&a->changes.phase[a->phase].v[a->read_back.v[a->read_back.next].index], r);
	r->cookie = READ_BACK | a->read_back.next++;
	r->method = METHOD_GET;
	a->open++;
	return true;
}

/* The index of the next change of this round; FAB_NONE: none at present. */
static uint32_t
next_index(struct apply *a)
{
	const struct change_list *l = &a->changes.phase[a->phase];

	if (a->queue)
		return apply_queue_next(a->queue, a->now);
	while (a->next < round_size(a)) {
		uint32_t i = a->round ? a->todo.v[a->next] : a->next;

		a->next++;
		if (!current_kind(a)->needs_link || !link_barred(a, change_port(a, &l->v[i])))
			return i;
	}
	return FAB_NONE;
}

bool
apply_next(struct apply *a, struct txn_req *r)
{
	while (a->phase < CHANGE_PHASE_COUNT) {
		enum change_phase phase = a->phase;
		unsigned round = a->round;
		uint32_t i;

		if (next_read_back(a, r))
			return true;
		i = next_index(a);
		if (i != FAB_NONE) {
			make_request(a, i, r);
			a->open++;
			return true;
		}
		advance_phase(a);
		if (a->phase == phase && a->round == round)
			return false;
	}
	return false;
}

void
apply_set_time(struct apply *a, struct monotime now)
{
	a->now = now;
}

bool
apply_deadline(const struct apply *a, struct monotime *at)
{
	return a->queue && apply_queue_deadline(a->queue, at);
}

/* ---- ends ---- */

static void
push_read_back(struct apply *a, uint32_t index, uint16_t refusal)
{
	struct read_backs *b = &a->read_back;

	if (b->n == b->cap) {
		b->cap = b->cap ? b->cap * 2 : 16;
		b->v = xreallocarray(b->v, b->cap, sizeof(*b->v));
	}
	b->v[b->n++] = (struct read_back){ index, refusal };
}

static void
change_confirmed(struct apply *a, uint32_t index)
{
	a->done++;
	if (a->queue)
		apply_queue_confirmed(a->queue, index, a->now);
}

/* The change has ended and is not confirmed, whether it is tried again or not. */
static void
change_ended(struct apply *a, uint32_t index)
{
	if (a->queue)
		apply_queue_ended(a->queue, index);
}

static void
observe_answer(struct apply *a, const struct change *c, const struct change_answer *answer)
{
	const struct change_kind *k = current_kind(a);

	if (k->observe)
		k->observe(a->observed, c, answer);
}

/* End of the Get after a refused Set: its data may show the wanted state. */
static void
on_read_back_end(struct apply *a, struct read_back b, const struct txn_end *e)
{
	const struct change_kind *k = current_kind(a);
	const struct change *c = &a->changes.phase[a->phase].v[b.index];
	struct change_answer answer = { 0 };

	if (e->kind != TXN_END_OK) {
		change_ended(a, b.index);
		change_failed(a, c, e);
		return;
	}
	answer.data = e->reply->mad + DATA_AT;
	answer.effect = k->reached(k, answer.data);
	observe_answer(a, c, &answer);
	if (answer.effect) {
		change_confirmed(a, b.index);
		return;
	}
	change_ended(a, b.index);
	change_failed(a, c, &(struct txn_end){ .kind = TXN_END_STATUS, .status = b.refusal });
}

/* Whether other changes take the place of one that the node did not accept; 'index' has ended. */
static bool
is_replaced(struct apply *a, uint32_t index, const struct txn_end *e)
{
	const struct change_kind *k = current_kind(a);
	const struct change *c = &a->changes.phase[a->phase].v[index];
	char why[APPLY_END_TEXT_BYTES];
	struct apply_failure f = { .end = (uint8_t)e->kind, .status = e->status };

	if (!k->instead)
		return false;
	apply_end_text(&f, why);
	log_line(a->log, LOG_DETAIL, "apply", "%s of node 0x%016llx: %s; it is done in another way",
		k->name,
		(unsigned long long)a->view.s->nodes[change_node(a, c)].guid, why);
	if (k->forget)
		k->forget(a->observed, c);
	k->instead(&a->view, c, &a->changes);
	a->total = a->changes.total;
	a->done++;
	return true;
}

static void
on_answer(struct apply *a, uint32_t index, const struct change *c, const struct txn_end *e)
{
	const struct change_kind *k = current_kind(a);
	struct change_answer answer = {
		.data = e->reply->mad + DATA_AT, .modifier = e->modifier,
		.fallback = in_fallback(a, c),
	};

	answer.effect =
		k->took_effect(k, &a->view, c, a->sent ? a->sent[index] : NULL, answer.data);
	observe_answer(a, c, &answer);
	if (answer.effect) {
		change_confirmed(a, index);
		return;
	}
	change_ended(a, index);
	if (!is_replaced(a, index, e))
		change_failed(a, c, e);
}

/* Whether a refused Set may be sent again in its fallback form. */
static bool
falls_back(struct apply *a, const struct change *c, const struct txn_end *e)
{
	const struct change_kind *k = current_kind(a);

	if (a->round + 1 >= RETRY_APPLY_ROUNDS || !k->has_fallback ||
		!k->has_fallback(&a->view, c, e->modifier, e->status))
		return false;
	bits_set(a->fallback, change_port(a, c));
	return true;
}

/* Whether the change is to be sent again in a further round. */
static bool
is_tried_again(struct apply *a, const struct change *c, const struct txn_end *e)
{
	if (e->kind == TXN_END_STATUS)
		return falls_back(a, c, e);
	return (e->kind == TXN_END_TIMED_OUT || e->kind == TXN_END_SEND_FAILED) &&
		a->round + 1 < RETRY_APPLY_ROUNDS;
}

static void
on_set_end(struct apply *a, uint32_t index, const struct txn_end *e)
{
	const struct change *c = &a->changes.phase[a->phase].v[index];

	if (e->kind == TXN_END_OK) {
		on_answer(a, index, c, e);
	} else if (is_tried_again(a, c, e)) {
		change_ended(a, index);
		index_push(&a->again, index);
	} else if (e->kind == TXN_END_STATUS && current_kind(a)->reached) {
		push_read_back(a, index, e->status);
	} else {
		change_ended(a, index);
		if (e->kind != TXN_END_STATUS || !is_replaced(a, index, e))
			change_failed(a, c, e);
	}
}

void
apply_end(struct apply *a, const struct txn_end *e)
{
	uint32_t i = (uint32_t)e->cookie;

	if (!a->open)
		bug("apply: an end without a request");
	a->open--;
	if (e->cookie & READ_BACK)
		on_read_back_end(a, a->read_back.v[i], e);
	else
		on_set_end(a, i, e);
	advance_phase(a);
}

/* ---- what the caller sees ---- */

bool
apply_done(const struct apply *a)
{
	return a->phase == CHANGE_PHASE_COUNT;
}

bool
apply_stopped(const struct apply *a)
{
	return a->failed.stops;
}

enum change_phase
apply_phase(const struct apply *a)
{
	return a->phase;
}

void
apply_progress(const struct apply *a, uint64_t *done, uint64_t *total)
{
	*done = a->done;
	*total = a->total;
}

const struct apply_failure *
apply_failures(const struct apply *a, uint32_t *n)
{
	*n = a->failed.n;
	return a->failed.v;
}
