/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * swept.c - a sweep with all its rooms on simulated hardware.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sim/gen/gen.h"
#include "sim/phys/phys.h"
#include "sm/registry/aliases.h"
#include "sm/registry/groups.h"
#include "sm/sweep/state.h"
#include "tests/unit/sweep/swept.h"

enum { TURNS_MAX = 10000 };

static const char *const step_names[] = {
	[STEP_SEAL] = "(seal)", [STEP_LOOK] = "(look)", [STEP_PLAN] = "(plan)",
	[STEP_DIFF] = "(diff)", [STEP_INDEX] = "(index)",
};

static void
add_to_course(struct swept_bed *b, const char *what)
{
	size_t n = strlen(b->course);

	snprintf(b->course + n, sizeof(b->course) - n, "%s%s", n ? " " : "", what);
}

/* Each change of state is a line of the trace. */
static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	struct swept_bed *b = arg;
	const char *to = strncmp(line, "state ", 6) == 0 ? strstr(line, "-> ") : NULL;

	b->lines++;
	if (!to)
		snprintf(b->said, sizeof(b->said), "%s: %s", room, line);
	else if (level == LOG_TRACE && strcmp(room, "sweep") == 0 && strcmp(to + 3, "WORK") != 0)
		add_to_course(b, to + 3);
}

static void
on_job(void *arg, struct job *j)
{
	struct swept_bed *b = arg;
	struct job **at = &b->jobs;

	if (b->w.job && j == &b->w.job->job)
		add_to_course(b, step_names[b->w.job->step]);
	while (*at)
		at = &(*at)->next;
	j->next = NULL;
	*at = j;
}

static void
make_rooms(struct swept_bed *b)
{
	struct hw_port_view v;

	assert_int_equal(hw_port_view(b->hw, b->node, 1, &v), 0);
	b->net = (struct subnet){
		.conf = b->conf, .log = &b->log, .log_limit = log_limit_new(), .now = b->net.now,
		.role = &b->election.ha.state, .run_job = on_job, .job_arg = b,
		.port = { .ca_name = "ca-0", .port = 1, .node_type = 1, .infiniband = true,
			.port_guid = v.guid },
	};
	schedule_init(&b->net.schedule);
	b->w = (struct sweep){ .net = &b->net, .election = &b->election, .watch = &b->watch,
		.registry = &b->registry, .sa_stats = &b->sa_stats };
	sweep_init(&b->w, NULL, 0);
	election_init(&b->election, &b->net);
	observed_tables_init(&b->net.tables);
	registry_begin(&b->registry, &b->net, NULL, 0);
	watch_init(&b->watch);
}

void
swept_make(struct swept_bed *b, const char *spec)
{
	struct hw_conf c = { .seed = 1 };
	struct topo_error e = { "" };

	*b = (struct swept_bed){ .conf = conf_default() };
	if (gen_topology(spec, &b->topo, &e) != 0)
		fail_msg("%s: %s", spec, e.text);
	b->hw = hw_new(&b->topo, &c);
	while (b->topo.nodes[b->node].type != TOPO_CA)
		b->node++;
	b->log = (struct log){ LOG_TRACE, on_line, b };
	b->net.now.us = 1000000;
	make_rooms(b);
	hw_set_issm(b->hw, b->node, 1, true, b->net.now);
	schedule_want(&b->net, "test");
}

static void
clear_rooms(struct swept_bed *b)
{
	struct served *v = &b->net.served;

	sweep_free(&b->w);
	txn_free(b->net.txn);
	registry_free(&b->registry);
	watch_free(&b->watch);
	log_limit_free(b->net.log_limit);
	subnet_retire(&b->net, (struct retired){
		.s = v->s, .p = v->plan, .o = v->observed, .x = v->sa, .q = v->qos });
	observed_tables_clear(&b->net.tables);
	outbox_free(&b->net.outbox);
	while (swept_run_job(b))
		;
}

void
swept_restart(struct swept_bed *b)
{
	clear_rooms(b);
	b->election = (struct election){ 0 };
	b->watch = (struct watch){ 0 };
	b->registry = (struct registry){ 0 };
	make_rooms(b);
	schedule_want(&b->net, "a restart");
}

void
swept_clear(struct swept_bed *b)
{
	clear_rooms(b);
	conf_free(b->conf);
	hw_free(b->hw);
	topo_clear(&b->topo);
}

static void
take_end(struct swept_bed *b, struct txn_end *e)
{
	enum owner owner = (enum owner)(e->cookie >> OWN_SHIFT);

	loss_count_end(&b->w.loss, e);
	e->cookie &= OWN_MASK;
	if (owner == OWN_DISCOVER)
		sweep_on_discover_end(&b->w, e);
	else if (owner == OWN_APPLY)
		sweep_on_apply_end(&b->w, e);
	else if (owner == OWN_LFT)
		sweep_on_lft_end(&b->w, e);
	else if (owner == OWN_PKEYS)
		sweep_on_read_end(&b->w, e);
	else if (owner == OWN_QOS)
		vl_tables_on_end(&b->w.read.vl, e);
	else if (owner == OWN_SMINFO)
		election_on_sminfo_end(&b->election, &b->net, e);
	else if (owner == OWN_LIGHT)
		light_on_end(&b->watch.light, &b->net, e);
	else if (owner == OWN_MFT)
		groups_end(&b->registry, e);
	else if (owner == OWN_GUIDS)
		aliases_end(&b->registry, e);
}

/* The program on the last host. */
static void
answer_as_rival(struct swept_bed *b, const struct hw_delivery *d)
{
	struct hw_packet p = d->packet;

	if (!b->rival.guid || dgram_attr_id(p.mad) != SM_INFO_ID ||
	    dgram_method(p.mad) != METHOD_GET)
		return;
	dgram_smp_respond(p.mad, STATUS_OK);
	sm_info_encode(p.mad + 64, &b->rival);
	hw_send(b->hw, d->node, d->port, &p, b->net.now);
}

static void
receive_all(struct swept_bed *b)
{
	struct hw_delivery d;

	while (hw_next_delivery(b->hw, &d)) {
		struct dgram in = { .addr = { .lid = d.packet.slid }, .bytes = DGRAM_BYTES };

		if (d.node != b->node) {
			answer_as_rival(b, &d);
			continue;
		}
		memcpy(in.mad, d.packet.mad, DGRAM_BYTES);
		txn_receive(b->net.txn, &in, b->net.now);
	}
}

static bool
send_all(struct swept_bed *b)
{
	struct dgram d;
	int timeout_ms;
	bool any = false;

	while (txn_next_send(b->net.txn, &d, &timeout_ms, b->net.now)) {
		struct hw_packet p = { .slid = LID_PERMISSIVE, .dlid = LID_PERMISSIVE };

		any = true;
		assert_int_equal(dgram_class(d.mad), CLASS_SM_DR);
		b->sets += dgram_method(d.mad) == METHOD_SET;
		b->lft_gets += dgram_method(d.mad) == METHOD_GET &&
			dgram_attr_id(d.mad) == LFT_BLOCK_ID;
		memcpy(p.mad, d.mad, DGRAM_BYTES);
		assert_int_equal(hw_send(b->hw, b->node, 1, &p, b->net.now), 0);
		receive_all(b);
	}
	return any;
}

/* Hands in the ends and goes on with the sweep, without sending anything. */
static void
pump(struct swept_bed *b)
{
	struct txn_end e;

	do {
		while (txn_next_end(b->net.txn, &e))
			take_end(b, &e);
		sweep_pump(&b->w);
		registry_pump(&b->registry, &b->net, sweep_for_registry(&b->w));
	} while (txn_ends_waiting(b->net.txn));
}

/* Lets time pass until the next try is due; false: no request is under way. */
static bool
wait_for_try(struct swept_bed *b)
{
	struct monotime at;

	if (!txn_deadline(b->net.txn, &at))
		return false;
	swept_pass(b, monotime_sub_us(at, b->net.now));
	return true;
}

void
swept_pass(struct swept_bed *b, int64_t us)
{
	b->net.now = monotime_add_us(b->net.now, us > 0 ? us : 0);
	hw_tick(b->hw, b->net.now);
	receive_all(b);
	txn_tick(b->net.txn, b->net.now);
}

void
swept_turn(struct swept_bed *b)
{
	unsigned turns = 0;

	pump(b);
	while (!sweep_is_idle(&b->w) && !sweep_works(&b->w)) {
		if (++turns > TURNS_MAX)
			fail_msg("state %s does not end", sweep_state_text(b->w.state));
		if (!send_all(b) && !txn_ends_waiting(b->net.txn) && !wait_for_try(b))
			break;
		pump(b);
	}
}

bool
swept_run_job(struct swept_bed *b)
{
	struct job *j = b->jobs;

	if (!j)
		return false;
	b->jobs = j->next;
	j->run(j);
	if (!sweep_take_job(&b->w, j))
		j->drop(j);
	return true;
}

void
swept_start(struct swept_bed *b)
{
	assert_true(sweep_is_idle(&b->w));
	b->course[0] = '\0';
	b->sets = b->lft_gets = 0;
	sweep_start(&b->w, b->net.schedule.want ? b->net.schedule.why : "test");
}

void
swept_reach_step(struct swept_bed *b, enum sweep_step step)
{
	for (;;) {
		swept_turn(b);
		if (!b->w.job)
			fail_msg("the sweep ended before step %s", step_names[step]);
		if (b->w.job->step == step)
			return;
		while (sweep_works(&b->w))
			assert_true(swept_run_job(b));
	}
}

void
swept_reach_state(struct swept_bed *b, enum sweep_state state)
{
	for (unsigned turns = 0; b->w.state != state; turns++) {
		if (turns > TURNS_MAX || sweep_is_idle(&b->w))
			fail_msg("the sweep was not in state %s", sweep_state_text(state));
		if (sweep_works(&b->w))
			assert_true(swept_run_job(b));
		else if (!send_all(b) && !txn_ends_waiting(b->net.txn))
			wait_for_try(b);
		pump(b);
	}
}

void
swept_finish(struct swept_bed *b)
{
	do {
		swept_turn(b);
	} while (swept_run_job(b) || !sweep_is_idle(&b->w));
	pump(b);
	while (send_all(b))
		pump(b);
}

void
swept_sweep(struct swept_bed *b)
{
	swept_start(b);
	swept_finish(b);
}

void
swept_set_rival(struct swept_bed *b, const struct sm_info *si)
{
	uint32_t node = b->topo.nnodes - 1;
	struct hw_port_view v;

	while (b->topo.nodes[node].type != TOPO_CA)
		node--;
	assert_int_equal(hw_port_view(b->hw, node, 1, &v), 0);
	b->rival = si ? *si : (struct sm_info){ 0 };
	if (si)
		b->rival.guid = v.guid;
	hw_set_issm(b->hw, node, 1, si != NULL, b->net.now);
}

void
swept_subscribe(struct swept_bed *b, uint32_t port)
{
	const struct served *v = &b->net.served;
	struct inform_request a = {
		.want = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = 1, .type = 0xffff,
			.trap_number = 0xffff, .producer_type = 0xffffff, .qpn = 1 },
		.port_guid = v->s->ports[port].guid,
		.addr = { .lid = v->plan->lids.base[port], .qpn = 1 },
	};
	struct inform_info got;

	assert_int_equal(inform_set(b->registry.inform, &a, &got), STATUS_OK);
}
