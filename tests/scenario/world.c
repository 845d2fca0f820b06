/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * world.c - managers and a simulated fabric in one process, under a virtual clock.
 * Room: tests.  The registers of the simulated hardware decide (hw_check), not any manager.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libmad/mad/dgram.h"
#include "sim/gen/gen.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"
#include "util/xalloc.h"

#define LINES_MAX 40

static void
log_emit(void *arg, enum log_level level, const char *room, const char *line)
{
	struct world *w = arg;

	if (w->trace || (level <= LOG_WARN && w->lines++ < LINES_MAX))
		printf("# [%.6f] %s: %s\n", (double)w->now.us / 1e6, room, line);
}

static void
world_prepare(struct world *w)
{
	const char *job = getenv("HEDDLE_TEST_JOB");     /* "3000" or "3000late": every scenario with such jobs */

	memset(w, 0, sizeof(*w));
	w->trace = getenv("HEDDLE_TEST_TRACE") != NULL;
	w->job_us = job ? atoi(job) : 0;
	w->job_late = job && strstr(job, "late");
	w->log = (struct log){ LOG_DETAIL, log_emit, w };
	w->now.us = 1000000;
}

void
world_init_hw(struct world *w, const char *spec, const struct hw_conf *c)
{
	struct topo_error e;

	world_prepare(w);
	printf("# %s, seed %llu\n", spec, (unsigned long long)c->seed);
	if (gen_topology(spec, &w->topo, &e) < 0)
		bug("%s", e.text);
	w->hw = hw_new(&w->topo, c);
}

void
world_init(struct world *w, const char *spec, uint64_t seed)
{
	struct hw_conf c = { .seed = seed };

	world_init_hw(w, spec, &c);
}

void
world_init_text(struct world *w, const char *text)
{
	struct hw_conf c = { .seed = 1 };
	struct topo_error e;
	FILE *f = fmemopen((char *)(uintptr_t)text, strlen(text), "r");

	world_prepare(w);
	if (!f || topo_read(f, "text", &w->topo, &e) < 0)
		bug("%s", e.text);
	fclose(f);
	w->hw = hw_new(&w->topo, &c);
}

/* ---- jobs ---- */

static void
run_job(void *arg, struct job *j)
{
	struct world_manager *s = arg;
	struct monotime from = s->njobs ? s->jobs[s->njobs - 1].at : s->w->now;

	s->jobs = xreallocarray(s->jobs, s->njobs + 1, sizeof(*s->jobs));
	s->jobs[s->njobs++] = (struct world_job){ j, monotime_add_us(from, s->w->job_us) };
	s->jobs_given++;
	if (!s->w->job_late)
		j->run(j);
}

static void
end_jobs(struct world_manager *s)
{
	while (s->njobs && monotime_reached(s->w->now, s->jobs[0].at)) {
		struct job *j = s->jobs[0].j;

		memmove(s->jobs, s->jobs + 1, --s->njobs * sizeof(*s->jobs));
		if (s->w->job_late)
			j->run(j);
		manager_job_done(s->m, j, s->w->now);
	}
}

/* As a daemon that ends: what waits is dropped. */
static void
drop_jobs(struct world_manager *s)
{
	for (unsigned i = 0; i < s->njobs; i++)
		s->jobs[i].j->drop(s->jobs[i].j);
	free(s->jobs);
	s->jobs = NULL;
	s->njobs = 0;
}

struct conf_job {
	struct job job;         /* first */
	struct conf *conf;
};

static void
conf_run(struct job *j)
{
	struct conf_job *c = (struct conf_job *)j;

	conf_free(c->conf);
	c->conf = NULL;
}

static void
conf_drop(struct job *j)
{
	conf_run(j);
	free(j);
}

static struct conf *
load(const char *const *args)
{
	char *argv[32] = { (char *)(uintptr_t)"heddled", (char *)(uintptr_t)"-F", (char *)(uintptr_t)"/dev/null" };
	struct conf_error e = CONF_ERROR_INIT;
	struct conf *conf;
	int argc = 3;

	for (; args && *args; args++)
		argv[argc++] = (char *)(uintptr_t)*args;
	if (conf_load(argc, argv, &conf, &e) < 0)
		bug("%s", e.text);
	conf_error_clear(&e);
	if (!conf->sm_key)              /* as all managers of a subnet make it from one secret */
		conf->sm_key = WORLD_SM_KEY;
	if (!conf->sa_key)
		conf->sa_key = WORLD_SA_KEY;
	return conf;
}

void
world_manager_reload(struct world *w, struct world_manager *s, const char *const *args)
{
	world_manager_take_conf(w, s, load(args));
}

void
world_manager_take_conf(struct world *w, struct world_manager *s, struct conf *conf)
{
	struct conf_job *c = xcalloc(1, sizeof(*c));

	*c = (struct conf_job){ { conf_run, conf_drop, NULL }, s->conf };
	s->conf = conf;
	manager_set_conf(s->m, s->conf, w->now);
	if (w->job_us) {
		run_job(s, &c->job);
	} else {
		c->job.run(&c->job);
		c->job.drop(&c->job);
	}
}

void
world_clear(struct world *w)
{
	for (unsigned i = 0; i < w->nsm; i++) {
		manager_free(w->sm[i].m);
		drop_jobs(&w->sm[i]);
		conf_free(w->sm[i].conf);
		free(w->sm[i].store.rows);
		free(w->sm[i].store.groups);
		free(w->sm[i].store.topology);
		free(w->sm[i].store.tables);
	}
	free(w->kept);
	hw_free(w->hw);
	topo_clear(&w->topo);
}

static uint32_t
first_host(const struct world *w)
{
	for (uint32_t i = 0; i < w->hw->nnodes; i++)
		if (w->hw->nodes[i].type == TOPO_CA)
			return i;
	bug("no host");
}

uint64_t
world_mkey(uint64_t port_guid)
{
	return (port_guid * UINT64_C(0x9e3779b97f4a7c15)) | 2;
}

static uint64_t
world_mkey_of(const struct mkeys *k, uint64_t port_guid)
{
	(void)k;
	return port_guid ? world_mkey(port_guid) : 0;
}

/* The time of day and the process are those of the test. */
static void
process_facts(void *arg, struct process_facts *f)
{
	(void)arg;
	*f = (struct process_facts){ .wall = time(NULL), .pid = (int)getpid() };
}

struct world_manager *
world_manager_start(struct world *w, const char *host, const char *const *args)
{
	return world_manager_start_with(w, host, args, NULL);
}

/* A manager looks at it between phases. */
static struct monotime
world_clock(void *arg)
{
	struct world *w = arg;

	w->now = monotime_add_us(w->now, w->phase_us);
	return w->now;
}

struct world_manager *
world_manager_start_with(struct world *w, const char *host, const char *const *args, const struct world_store *store)
{
	struct world_manager *s = &w->sm[w->nsm];
	struct hw_port_view v;

	if (w->nsm++ == WORLD_MANAGERS_MAX)
		bug("too many managers");
	s->w = w;
	s->conf = load(args);
	if (!host)
		s->node = first_host(w);
	else if (hw_node_find(w->hw, host, &s->node) < 0)
		bug("no host %s", host);
	s->port = 1;
	hw_port_view(w->hw, s->node, s->port, &v);
	struct manager_conf c = {
		.conf = s->conf, .log = &w->log, .clock = world_clock, .clock_arg = w,
		.port = { .ca_name = "world0", .port = s->port, .node_type = 1, .infiniband = true, .port_guid = v.guid },
		.lids = store ? store->rows : NULL, .nlids = store ? store->n : 0,
		.topology = store ? store->topology : NULL,
		.topology_len = store ? store->topology_len : 0,
		.tables = store && store->tables ? xmemdup(store->tables, store->tables_len) : NULL,
		.tables_len = store ? store->tables_len : 0,
		.groups = store ? store->groups : NULL, .ngroups = store ? store->ngroups : 0,
		.mkeys = { .of = world_mkey_of }, .run_job = w->job_us ? run_job : NULL, .job_arg = s,
		.process_facts = process_facts,
	};
	s->m = manager_new(&c);
	hw_set_issm(w->hw, s->node, s->port, true, w->now);
	return s;
}

void
world_manager_kill(struct world *w, struct world_manager *s)
{
	manager_free(s->m);
	s->m = NULL;
	hw_set_issm(w->hw, s->node, s->port, false, w->now);
}

/* What a kernel does with an answer or a request for the port's own program. */
static void
receive(struct world *w, struct world_manager *s, const struct hw_packet *p)
{
	struct dgram d = {
		.addr = { .lid = p->slid, .qpn = p->src_qp, .sl = p->sl }, .bytes = DGRAM_BYTES,
	};

	memcpy(d.mad, p->mad, DGRAM_BYTES);
	if (s->m && !w->frozen[s - w->sm])
		manager_receive(s->m, &d, w->now);
}

static void
keep_delivery(struct world *w, const struct hw_delivery *d)
{
	if (!w->keep_deliveries || !d->packet.dst_qp)
		return;
	if (w->nkept == w->cap_kept) {
		w->cap_kept = w->cap_kept ? w->cap_kept * 2 : 16;
		w->kept = xreallocarray(w->kept, w->cap_kept, sizeof(*w->kept));
	}
	w->kept[w->nkept++] = *d;
}

bool
world_take_delivery(struct world *w, struct hw_delivery *d)
{
	if (!w->nkept)
		return false;
	*d = w->kept[--w->nkept];
	return true;
}

void
world_pretend(struct world *w, const char *host, const struct sm_info *si)
{
	w->pretender = world_node(w, host);
	w->pretending = si != NULL;
	if (si)
		w->pretends = *si;
	hw_set_issm(w->hw, w->pretender, 1, w->pretending, w->now);
}

static void
pretend(struct world *w, const struct hw_delivery *d)
{
	struct hw_packet p = d->packet;

	if (!w->pretending || d->node != w->pretender || p.dst_qp || dgram_attr_id(p.mad) != SM_INFO_ID ||
	    dgram_method(p.mad) != METHOD_GET)
		return;
	dgram_smp_respond(p.mad, STATUS_OK);
	sm_info_encode(p.mad + 64, &w->pretends);
	p.dlid = d->packet.slid;
	p.slid = dgram_class(p.mad) == CLASS_SM_DR ? LID_PERMISSIVE : wire_get16(hw_port(w->hw, d->node, 1)->info + PI_LID);
	hw_send(w->hw, d->node, 1, &p, w->now);
}

static void
deliver(struct world *w)
{
	struct hw_delivery d;

	while (hw_next_delivery(w->hw, &d)) {
		keep_delivery(w, &d);
		pretend(w, &d);
		for (unsigned i = 0; i < w->nsm; i++)
			if (w->sm[i].node == d.node && w->sm[i].port == d.port)
				receive(w, &w->sm[i], &d.packet);
	}
}

static bool
is_lanes(const uint8_t *mad)
{
	return dgram_attr_id(mad) == SLVL_TABLE_ID || dgram_attr_id(mad) == VLARB_TABLE_ID;
}

static void
count_a_set(struct world_manager *s, const uint8_t *mad)
{
	s->sets++;
	s->lane_sets += is_lanes(mad);
	s->lft_sets += dgram_attr_id(mad) == LFT_BLOCK_ID;
	s->mft_sets += dgram_attr_id(mad) == MFT_BLOCK_ID;
	s->reregisters += dgram_attr_id(mad) == PORT_INFO_ID && port_info_decode(mad + 64).client_reregister;
	s->clears += dgram_attr_id(mad) == SWITCH_INFO_ID && switch_info_decode(mad + 64).port_state_change;
}

static void
count_sent(struct world_manager *s, const struct dgram *d)
{
	s->represses += dgram_method(d->mad) == METHOD_TRAP_REPRESS;
	if (dgram_method(d->mad) & METHOD_RESP || dgram_method(d->mad) == METHOD_TRAP_REPRESS)
		return;
	s->smps++;
	s->own_gets += dgram_class(d->mad) == CLASS_SM_DR && dgram_method(d->mad) == METHOD_GET && dgram_attr_id(d->mad) == PORT_INFO_ID &&
		!d->mad[7];
	s->node_infos += dgram_attr_id(d->mad) == NODE_INFO_ID;
	s->mft_gets += dgram_method(d->mad) == METHOD_GET && dgram_attr_id(d->mad) == MFT_BLOCK_ID;
	s->lane_gets += dgram_method(d->mad) == METHOD_GET && dgram_class(d->mad) == CLASS_SM_DR && is_lanes(d->mad);
	if (dgram_method(d->mad) == METHOD_SET && dgram_class(d->mad) == CLASS_SM_DR)
		count_a_set(s, d->mad);
}

static bool
send_all(struct world *w, struct world_manager *s)
{
	struct dgram d;
	int timeout_ms;
	bool any = false;

	while (manager_next_send(s->m, &d, &timeout_ms, w->now)) {
		struct hw_packet p = {
			.slid = wire_get16(hw_port(w->hw, s->node, s->port)->info + PI_LID), .dlid = d.addr.lid,
			.sl = d.addr.sl, .src_qp = d.addr.qpn, .dst_qp = d.addr.qpn, .pkey = 0xffff,
			.qkey = d.addr.qpn ? QKEY_GSI : 0,
		};
		int err;

		any = true;
		count_sent(s, &d);
		memcpy(p.mad, d.mad, DGRAM_BYTES);
		if (dgram_class(p.mad) == CLASS_SM_DR)
			p.slid = p.dlid = LID_PERMISSIVE;
		err = hw_send(w->hw, s->node, s->port, &p, w->now);
		if (w->look && dgram_method(p.mad) == METHOD_SET)
			w->look(w, w->look_arg);
		if (err < 0)
			manager_send_failed(s->m, &d, -err, w->now);
	}
	return any;
}

static void
keep_tables(struct world_manager *s)
{
	struct sa_stored_doc d;

	if (!manager_take_tables(s->m, false, &d))
		return;
	free(s->store.tables);
	s->store.tables_len = d.head_bytes + d.body_bytes;
	s->store.tables = xcalloc(1, s->store.tables_len);
	memcpy(s->store.tables, d.head, d.head_bytes);
	if (d.body_bytes)
		memcpy(s->store.tables + d.head_bytes, d.body, d.body_bytes);
	sa_stored_doc_clear(&d);
}

/* As the daemon does with its store. */
static void
keep(struct world_manager *s)
{
	const struct mgid_row *groups;
	const struct lid_id *rows;
	const char *text;
	size_t len;
	uint32_t n;

	if (manager_take_topology(s->m, &text, &len)) {
		free(s->store.topology);
		s->store.topology = len ? xmemdup(text, len) : NULL;
		s->store.topology_len = len;
	}
	keep_tables(s);
	if (manager_take_groups(s->m, false, &groups, &n)) {
		free(s->store.groups);
		s->store.groups = n ? xmemdup(groups, n * sizeof(*groups)) : NULL;
		s->store.ngroups = n;
	}
	if (!manager_take_lids(s->m, &rows, &n))
		return;
	free(s->store.rows);
	s->store.rows = n ? xcalloc(n, sizeof(*rows)) : NULL;
	s->store.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!rows[i].lost)
			s->store.rows[s->store.n++] = rows[i];
}

/* Everything that can happen without time passing. */
static void
settle(struct world *w)
{
	bool any;

	do {
		any = false;
		hw_tick(w->hw, w->now);
		if (w->look)
			w->look(w, w->look_arg);
		deliver(w);
		for (unsigned i = 0; i < w->nsm; i++) {
			if (!w->frozen[i])
				end_jobs(&w->sm[i]);
			if (!w->sm[i].m || w->frozen[i])
				continue;
			manager_tick(w->sm[i].m, w->now);
			any |= send_all(w, &w->sm[i]);
			keep(&w->sm[i]);
		}
	} while (any);
}

static struct monotime
next_event(const struct world *w, struct monotime limit)
{
	struct monotime t, best = limit;

	if (hw_deadline(w->hw, &t))
		best = monotime_min(best, t);
	for (unsigned i = 0; i < w->nsm; i++)
		if (w->sm[i].m && !w->frozen[i] && manager_deadline(w->sm[i].m, &t))
			best = monotime_min(best, t);
	for (unsigned i = 0; i < w->nsm; i++)
		if (w->sm[i].njobs && !w->frozen[i])
			best = monotime_min(best, w->sm[i].jobs[0].at);
	return best.us > w->now.us ? best : monotime_add_us(w->now, 1);
}

void
world_run(struct world *w, int64_t us)
{
	struct monotime end = monotime_add_us(w->now, us);

	settle(w);
	while (w->now.us < end.us) {
		w->now = monotime_min(next_event(w, end), end);
		settle(w);
	}
}

bool
world_run_sweeps(struct world *w, struct world_manager *s, unsigned n, int64_t limit_us)
{
	struct monotime end = monotime_add_us(w->now, limit_us);
	unsigned want = manager_sweeps(s->m) + n;

	settle(w);
	while (manager_sweeps(s->m) < want && w->now.us < end.us) {
		w->now = next_event(w, end);
		settle(w);
	}
	return manager_sweeps(s->m) >= want;
}

bool
world_is_right(struct world *w)
{
	struct hw_verdict v;
	bool right;

	hw_check(w->hw, true, &v);
	right = v.linked && v.active == v.linked && !v.no_lid && !v.duplicate_lids && !v.lost;
	if (!right)
		printf("# not right at %.3f s: %u linked, %u active, %u armed, %u init, %u without LID, %u duplicate LIDs, "
			"%llu of %llu walks lost\n", (double)w->now.us / 1e6, v.linked, v.active, v.armed, v.init, v.no_lid,
			v.duplicate_lids, (unsigned long long)v.lost, (unsigned long long)v.walks);
	return right;
}

uint32_t
world_node(const struct world *w, const char *name)
{
	uint32_t n;

	if (hw_node_find(w->hw, name, &n) < 0)
		bug("no node %s", name);
	return n;
}

uint16_t
world_lid(const struct world *w, const char *node, uint8_t port)
{
	return wire_get16(hw_port(w->hw, world_node(w, node), port)->info + PI_LID);
}

static uint64_t
mix(uint64_t sum, const void *data, size_t len)
{
	const uint8_t *b = data;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ b[i]) * UINT64_C(0x100000001b3);
	return sum;
}

uint64_t
world_tables(const struct world *w)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (uint32_t i = 0; i < w->hw->nports; i++)
		sum = mix(sum, w->hw->ports[i].info + PI_LID, 2);
	for (uint32_t i = 0; i < w->hw->nnodes; i++) {
		const struct hw_node *n = &w->hw->nodes[i];

		if (n->type != TOPO_SWITCH || !n->powered)
			continue;
		sum = mix(sum, &n->lft_top, sizeof(n->lft_top));
		sum = mix(sum, n->lft, n->lft_len <= n->lft_top ? n->lft_len : n->lft_top + 1u);
	}
	return sum;
}

void
world_inject(struct world *w, struct world_manager *s, const uint8_t mad[256], uint16_t lid)
{
	struct dgram d = { .addr = { .lid = lid }, .bytes = DGRAM_BYTES };

	memcpy(d.mad, mad, DGRAM_BYTES);
	manager_receive(s->m, &d, w->now);
}

void
world_sm_info_set(struct world *w, struct world_manager *s, const char *from, uint32_t modifier)
{
	struct sm_info si = { .guid = hw_port(w->hw, world_node(w, from), 1)->guid, .sm_key = s->conf->sm_key, .state = HA_MASTER };
	uint64_t guid = hw_port(w->hw, s->node, s->port)->guid;
	uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SM_LID, 1, METHOD_SET };

	wire_put64(mad + 8, 0x4711);
	wire_put16(mad + 16, SM_INFO_ID);
	wire_put32(mad + 20, modifier);
	wire_put64(mad + 24, s->conf->m_key == CONF_MKEY_AUTO ? world_mkey(guid) : s->conf->m_key);
	sm_info_encode(mad + 64, &si);
	world_inject(w, s, mad, world_lid(w, from, 1));
}
