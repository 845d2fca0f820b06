/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * served.c - a struct subnet without a manager.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/topo/snapshot_topo.h"
#include "sim/gen/gen.h"
#include "tests/unit/subnet/served.h"

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	struct served_bed *b = arg;

	(void)level;
	b->lines++;
	snprintf(b->said, sizeof(b->said), "%s: %s", room, line);
}

static void
on_job(void *arg, struct job *j)
{
	struct served_bed *b = arg;
	struct job **at = &b->jobs;

	while (*at)
		at = &(*at)->next;
	j->next = NULL;
	*at = j;
}

/* All ports show what the plan says of them. */
static void
show_plan(struct served_bed *b)
{
	for (uint32_t i = 0; i < b->s->nendports; i++) {
		uint32_t p = b->s->endports[i];
		struct port_info info = served_info(b, p);

		info.lid = b->plan.lids.base[p];
		info.master_sm_lid = b->plan.sm_lid;
		served_set_info(b, p, info);
	}
}

static void
plan_ids(struct served_bed *b)
{
	struct lid_conf c = { 0 };
	struct lid_report report = { 0 };

	b->plan = (struct plan){ .snapshot = b->s, .links = LINK_CONF_DEFAULTS };
	assert_int_equal(plan_lids(b->s, NULL, &c, &b->plan.arena, &b->plan.lids, &report), 0);
	b->plan.sm_lid = b->plan.lids.base[b->s->sm_port];
	b->plan.nlids = report.lids;
	b->plan.fwd = (struct fwd_tables){
		.nswitches = b->s->nswitches, .stride = 192, .top = b->plan.lids.top, .vls = 1,
	};
	b->plan.fwd.port = arena_array(&b->plan.arena, (size_t)b->s->nswitches * 192 + 1, 1);
	memset(b->plan.fwd.port, LFT_DROP_PORT, (size_t)b->s->nswitches * 192);
}

void
served_make(struct served_bed *b, const char *spec)
{
	struct txn_conf c = txn_conf_default();
	struct topo_error e = { "" };
	struct topo t;

	*b = (struct served_bed){ .role = HA_MASTER, .conf = conf_default() };
	if (gen_topology(spec, &t, &e) != 0)
		fail_msg("%s: %s", spec, e.text);
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, PORT_STATE_ACTIVE, &b->s), 0);
	topo_clear(&t);
	plan_ids(b);
	show_plan(b);
	b->log = (struct log){ LOG_TRACE, on_line, b };
	b->net = (struct subnet){
		.conf = b->conf, .log = &b->log, .log_limit = log_limit_new(), .now = { 1000000000 },
		.role = &b->role, .txn = txn_new(&c), .run_job = on_job, .job_arg = b,
		.port = { .ca_name = "ca-0", .port = b->s->ports[b->s->sm_port].num,
			.port_guid = b->s->ports[b->s->sm_port].guid },
		.served = { .s = b->s, .plan = &b->plan },
	};
	schedule_init(&b->net.schedule);
}

void
served_clear(struct served_bed *b)
{
	struct txn_end e;

	served_run_jobs(b);
	txn_cancel_all(b->net.txn);
	while (txn_next_end(b->net.txn, &e))
		;
	txn_free(b->net.txn);
	log_limit_free(b->net.log_limit);
	outbox_free(&b->net.outbox);
	conf_free(b->conf);
	arena_clear(&b->plan.arena);
	snapshot_free(b->s);
}

uint32_t
served_host(const struct served_bed *b, unsigned n)
{
	if (!n)
		return b->s->sm_port;
	for (uint32_t p = 0; p < b->s->nports; p++)
		if (p != b->s->sm_port && b->s->ports[p].peer != FAB_NONE &&
		    !fab_is_switch(&b->s->nodes[b->s->ports[p].node]) && --n == 0)
			return p;
	fail_msg("the topology has too few hosts");
	return FAB_NONE;
}

struct port_info
served_info(const struct served_bed *b, uint32_t port)
{
	return port_info_decode(b->s->ports[port].info);
}

void
served_set_info(struct served_bed *b, uint32_t port, struct port_info info)
{
	port_info_encode(b->s->ports[port].info, &info);
}

void
served_pass(struct served_bed *b, int64_t us)
{
	b->net.now = monotime_add_us(b->net.now, us);
	txn_tick(b->net.txn, b->net.now);
}

unsigned
served_run_jobs(struct served_bed *b)
{
	unsigned n = 0;

	while (b->jobs) {
		struct job *j = b->jobs;

		b->jobs = j->next;
		j->run(j);
		j->drop(j);
		n++;
	}
	return n;
}

bool
served_next(struct served_bed *b, struct dgram *d)
{
	int timeout_ms;

	return txn_next_send(b->net.txn, d, &timeout_ms, b->net.now);
}

void
served_answer(struct served_bed *b, struct dgram *d, uint16_t status)
{
	dgram_smp_respond(d->mad, status);
	assert_true(txn_receive(b->net.txn, d, b->net.now));
}

void
served_answer_image(struct served_bed *b, struct dgram *d, const void *image, size_t bytes)
{
	assert_true(bytes <= DGRAM_SMP_DATA_BYTES);
	memcpy(dgram_smp_data(d->mad), image, bytes);
	served_answer(b, d, STATUS_OK);
}

bool
served_take_end(struct served_bed *b, enum owner owner, struct txn_end *e)
{
	if (!txn_next_end(b->net.txn, e))
		return false;
	assert_int_equal(e->cookie >> OWN_SHIFT, owner);
	e->cookie &= OWN_MASK;
	return true;
}
