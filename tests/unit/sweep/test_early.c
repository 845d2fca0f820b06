/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_early.c - stored forwarding tables after a restart: who owns them, from when on and until
 * when they are served, what ends that, and what is stored for the next run.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "sm/diff/diff.h"
#include "sm/sweep/early.h"
#include "sm/sweep/sweep.h"
#include "tests/unit/sweep/swept.h"
#include "util/xalloc.h"

#define SECOND INT64_C(1000000)

static struct swept_bed b;
static char said[32768];                /* all lines of the log but those of states */
static uint8_t *bytes;                  /* what the run before stored */
static size_t len;

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	size_t n = strlen(said);

	(void)arg;
	if (level < LOG_DETAIL)
		snprintf(said + n, sizeof(said) - n, "%s: %s\n", room, line);
}

/* The document that the store gets, as one piece. */
static void
take_document(bool last)
{
	struct sa_stored_doc d;

	free(bytes);
	assert_true(early_store(&b.w, last, &d));
	len = d.head_bytes + d.body_bytes;
	bytes = xcalloc(1, len);
	memcpy(bytes, d.head, d.head_bytes);
	if (d.body_bytes)
		memcpy(bytes + d.head_bytes, d.body, d.body_bytes);
	sa_stored_doc_clear(&d);
}

/* The next run, which gets what is in 'bytes'. */
static void
restart(void)
{
	swept_restart(&b);
	said[0] = '\0';
	b.log.emit = on_line;
	early_begin(&b.w, bytes, len);
	bytes = NULL;
}

/* A fabric that was configured, and what was stored of it. */
static void
configure(const char *spec)
{
	swept_make(&b, spec);
	early_begin(&b.w, NULL, 0);
	swept_sweep(&b);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	take_document(false);
}

static int
sweep_early_setup(void **state)
{
	(void)state;
	configure("fattree:k=4,levels=2");
	return 0;
}

static int
sweep_early_teardown(void **state)
{
	(void)state;
	swept_clear(&b);
	free(bytes);
	bytes = NULL;
	return 0;
}

static bool
has_said(const char *what)
{
	return strstr(said, what) != NULL;
}

static void
assert_not_served(void)
{
	assert_null(b.net.served.early);
	assert_null(b.w.history.stored.early);
}

static void
assert_forgotten(void)
{
	assert_not_served();
	assert_null(b.w.history.stored.before);
}

/* A sweep whose stored tables were refused, or are not there. */
static void
sweep_without(void)
{
	swept_start(&b);
	swept_reach_step(&b, STEP_LOOK);
	assert_forgotten();
	assert_false(b.w.read.expected);
	swept_finish(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_false(has_said("answering from stored"));
}

/* Up to the election that makes this manager master; then it answers. */
static void
reach_served(void)
{
	swept_start(&b);
	swept_reach_step(&b, STEP_SEAL);
	assert_ptr_equal(b.w.job->stored.from, b.w.history.stored.before);
	assert_not_served();
	swept_reach_step(&b, STEP_LOOK);
	assert_non_null(b.net.served.early);
	assert_null(b.w.history.stored.early);
	assert_non_null(b.w.history.stored.before);
	assert_true(
		has_said("sa: answering from stored forwarding tables until the first sweep ends"));
}

static struct hw_node *
some_switch(void)
{
	uint32_t n = 0;

	while (b.topo.nodes[n].type != TOPO_SWITCH)
		n++;
	return &b.hw->nodes[n];
}

static uint32_t
last_host(void)
{
	uint32_t n = b.topo.nnodes - 1;

	while (b.topo.nodes[n].type != TOPO_CA)
		n--;
	return n;
}

static struct hw_port *
own_port(void)
{
	return &b.hw->ports[b.hw->nodes[b.node].first_port + 1];
}

static void
nothing_is_stored(void **state)
{
	(void)state;
	free(bytes);
	bytes = NULL;
	restart();
	sweep_without();
	assert_true(b.lft_gets > 0);
	assert_false(has_said("stored"));
}

/* What is no document is told; an empty one (a run with several VLs stored it) is no mistake. */
static void
what_is_no_document(void **state)
{
	(void)state;
	bytes[0] ^= 0x55;
	restart();
	assert_forgotten();
	assert_true(has_said("store: stored forwarding tables ignored: "));
	sweep_without();
	bytes = xcalloc(1, len = 8);
	restart();
	assert_true(has_said("ignored: 8 bytes are no tables that this program stored"));
	sweep_without();
}

/* They are served from the election to the end of the first sweep, and no longer. */
static void
fitting_tables_are_served(void **state)
{
	char counts[64];
	uint32_t fit, all;

	(void)state;
	restart();
	assert_non_null(b.w.history.stored.before);
	reach_served();
	assert_true(sa_early_fits(b.net.served.early, &fit, &all));
	assert_int_equal(fit, b.w.fresh->nendports);
	snprintf(counts, sizeof(counts), ": %u of %u ports are as they were\n", all, all);
	assert_true(has_said(counts));
	assert_true(b.w.read.expected);
	swept_reach_state(&b, SWEEP_APPLY);
	assert_non_null(b.net.served.early);
	swept_finish(&b);
	assert_forgotten();
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.sets, b.net.served.s->nhosts); /* they are asked to register again */
	assert_non_null(b.net.served.sa);
	/* Later sweeps have no use for them. */
	swept_start(&b);
	swept_reach_step(&b, STEP_SEAL);
	assert_null(b.w.job->stored.from);
	swept_finish(&b);
	assert_forgotten();
}

static void
change_something(unsigned what)
{
	const struct topo_port *tp;
	uint32_t leaf;

	switch (what) {
	case 1:
		assert_int_equal(hw_node_power(b.hw, last_host(), false, b.net.now), 0);
		break;
	case 2:                                 /* a port that obeys another manager */
		wire_put16(b.hw->ports[b.hw->nodes[last_host()].first_port + 1].info +
				ATTR_AT(port_info, master_sm_lid), 0x77);
		break;
	case 3:                                 /* a link between switches: tables change */
		leaf = topo_port(&b.topo, b.node, 1)->peer_node;
		for (uint8_t i = 1;; i++) {
			tp = topo_port(&b.topo, leaf, i);
			if (b.topo.nodes[tp->peer_node].type != TOPO_SWITCH)
				continue;
			assert_int_equal(hw_cable_pull(b.hw, leaf, i, b.net.now), 0);
			break;
		}
		break;
	default:
		break;
	}
	swept_pass(&b, SECOND);
}

/* The job that makes the plan also makes the diff; what happens until it is used changes
 * nothing. */
static void
the_diff_is_made_ahead(void **state)
{
	(void)state;
	for (unsigned what = 0; what < 4; what++) {
		struct change_list ahead[CHANGE_PHASE_COUNT];
		struct changes later;

		restart();
		change_something(what);
		swept_start(&b);
		swept_reach_step(&b, STEP_PLAN);
		assert_true(b.w.read.expected);
		assert_true(swept_run_job(&b));
		assert_true(b.w.job->diffed);
		for (unsigned i = 0; i < CHANGE_PHASE_COUNT; i++) {
			ahead[i] = b.w.job->changes.phase[i];
			if (ahead[i].n)
				ahead[i].v = xmemdup(ahead[i].v, ahead[i].n * sizeof(*ahead[i].v));
			else
				ahead[i].v = NULL;
		}
		swept_reach_state(&b, SWEEP_APPLY);
		assert_null(strstr(b.course, "(diff)"));
		diff_planned(b.w.observed, b.w.plan, NULL, &later);
		assert_true(later.total > 0);
		assert_true(b.w.cur.changes >= later.total);
		assert_int_equal(later.phase[CHANGE_LFT].n > 0, what == 3);
		for (unsigned i = 0; i < CHANGE_PHASE_COUNT; i++) {
			assert_int_equal(ahead[i].n, later.phase[i].n);
			for (uint32_t k = 0; k < ahead[i].n; k++)
				assert_memory_equal(&ahead[i].v[k], &later.phase[i].v[k],
					sizeof(ahead[i].v[k]));
			free(ahead[i].v);
		}
		changes_clear(&later);
		if (what != 3) {                /* its writes wait for times to drain */
			swept_finish(&b);
			assert_int_equal(b.w.last.outcome, OUTCOME_UP);
			swept_sweep(&b);        /* a later sweep waits for nothing */
			assert_non_null(strstr(b.course, "(diff)"));
		}
		swept_clear(&b);
		configure("fattree:k=4,levels=2");
	}
}

/* A switch that does not answer while its table is read: nothing is written by the first plan. */
static void
a_switch_gets_mute_meanwhile(void **state)
{
	uint32_t n = 0;

	(void)state;
	restart();
	reach_served();
	assert_true(b.w.read.expected);
	while (b.topo.nodes[n].type != TOPO_SWITCH || n == topo_port(&b.topo, b.node, 1)->peer_node)
		n++;
	hw_misbehave(b.hw, n, HW_MUTE, 0, 0);
	while (!has_said("sweeping again without them\n")) {
		assert_true(swept_run_job(&b));
		sweep_pump(&b.w);
		if (!has_said("sweeping again"))
			swept_turn(&b);
	}
	assert_int_equal(b.sets, 0);
	assert_forgotten();
	swept_finish(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_PARTIAL);
	assert_forgotten();
}

/* A host that is away: what is left is served, and the log says that something differs. */
static void
a_part_fits(void **state)
{
	(void)state;
	restart();
	assert_int_equal(hw_node_power(b.hw, last_host(), false, b.net.now), 0);
	reach_served();
	assert_true(has_said("ports are as they were, not all else is\n"));
	swept_finish(&b);
	assert_forgotten();
}

static void
tables_of_another_fabric(void **state)
{
	uint8_t *other;
	size_t other_len;

	(void)state;
	swept_clear(&b);
	configure("torus:3x3,hosts=1");
	other = bytes;
	other_len = len;
	bytes = NULL;
	swept_clear(&b);
	configure("fattree:k=4,levels=3");
	free(bytes);
	bytes = other;
	len = other_len;
	restart();
	assert_non_null(b.w.history.stored.before);
	sweep_without();
	assert_true(has_said("sa: stored forwarding tables are not used, they are of another "
		"fabric: "));
}

/* Our own port obeyed another master since: it may have written any table. */
static void
another_master_since(void **state)
{
	(void)state;
	restart();
	wire_put16(own_port()->info + ATTR_AT(port_info, master_sm_lid), 0x77);
	sweep_without();
	assert_true(has_said("fabric: another manager has configured our port\n"));
	assert_true(b.lft_gets > 0);
}

/* A standby serves nothing, and keeps what was stored for the time when it leads. */
static void
a_standby_serves_nothing(void **state)
{
	struct sm_info si = { .state = HA_MASTER, .priority = 15, .act_count = 1 };

	(void)state;
	restart();
	swept_set_rival(&b, &si);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_STANDBY);
	assert_null(b.net.served.early);
	assert_non_null(b.w.history.stored.before);
	assert_false(has_said("answering from stored"));
}

/* Nothing is connected yet: that does not show another fabric. */
static void
an_unplugged_cable(void **state)
{
	const struct topo_port *tp = topo_port(&b.topo, b.node, 1);

	(void)state;
	restart();
	assert_int_equal(hw_cable_pull(b.hw, b.node, 1, b.net.now), 0);
	swept_pass(&b, SECOND);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_NO_FABRIC);
	assert_null(b.net.served.early);
	assert_non_null(b.w.history.stored.before);
	assert_false(has_said("another fabric"));
	assert_int_equal(
		hw_cable_plug(b.hw, b.node, 1, tp->peer_node, tp->peer_port, b.net.now), 0);
	swept_pass(&b, SECOND);
	reach_served();
	swept_finish(&b);
	assert_forgotten();
}

/* A switch whose LinearFDBTop is another one has none of these tables; then they are read first. */
static void
another_top_of_a_switch(void **state)
{
	struct hw_node *sw = some_switch();
	struct switch_info si = switch_info_decode(sw->switch_info);

	(void)state;
	restart();
	si.lft_top = --sw->lft_top;
	switch_info_encode(sw->switch_info, &si);
	swept_start(&b);
	swept_reach_state(&b, SWEEP_READ_LFTS);
	assert_non_null(b.net.served.early);
	assert_false(b.w.read.expected);
	swept_finish(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_true(b.sets > 0);
	assert_forgotten();
	assert_false(has_said("sweeping again"));
}

/* A table that may be another one in its switch is not stored. */
static void
a_doubtful_table(void **state)
{
	struct change one = { 1, 0 };

	(void)state;
	change_kinds[CHANGE_LFT]->forget(b.net.served.observed, &one);
	b.w.history.stored.changed = true;
	take_document(true);
	restart();
	swept_start(&b);
	swept_reach_state(&b, SWEEP_READ_LFTS);
	assert_non_null(b.net.served.early);
	assert_false(b.w.read.expected);
	swept_finish(&b);
	assert_forgotten();
}

/* A table that differs when it is read: the sweep begins again and serves nothing until it ends. */
static void
another_table_when_read(void **state)
{
	struct hw_node *sw = some_switch();
	uint8_t was = sw->lft[1];

	(void)state;
	restart();
	sw->lft[1] = FAB_LFT_DROP;
	reach_served();
	assert_true(b.w.read.expected);
	while (!has_said("sweep: the switches do not have the stored forwarding tables: sweeping "
		"again without them\n")) {
		assert_true(swept_run_job(&b));
		assert_non_null(b.net.served.early);
		sweep_pump(&b.w);
		if (!has_said("sweeping again"))
			swept_turn(&b);
	}
	assert_forgotten();
	assert_int_equal(b.w.state, SWEEP_DISCOVER);
	assert_int_equal(b.sets, 0);
	swept_finish(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_string_equal(b.w.last.why, "a restart");
	assert_int_equal(sw->lft[1], was);
	assert_forgotten();
}

/* It answers no longer, and again when the next sweep has got as far. */
static void
a_sweep_is_given_up(void **state)
{
	(void)state;
	restart();
	reach_served();
	sweep_give_up(&b.w);
	assert_not_served();
	assert_non_null(b.w.history.stored.before);
	while (swept_run_job(&b))
		;
	reach_served();
	swept_finish(&b);
	assert_forgotten();
}

/* A refused plan leaves the ports as they are, so what is served stays right. */
static void
a_refused_plan_ends_nothing(void **state)
{
	struct sa_early *e;

	(void)state;
	restart();
	reach_served();
	b.conf->lmc = 8;
	e = b.net.served.early;
	swept_finish(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_REFUSED);
	assert_ptr_equal(b.net.served.early, e);
	assert_non_null(b.w.history.stored.before);
	b.conf->lmc = 0;
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_forgotten();
}

/* After a refused plan another manager begins to lead; or our own port does not answer. */
static void
other_ends_than_a_plan(void **state)
{
	struct sm_info si = { .state = HA_MASTER, .priority = 15, .act_count = 1 };

	(void)state;
	b.conf->lmc = 8;
	for (unsigned mute = 0; mute < 2; mute++) {
		uint8_t *kept = xmemdup(bytes, len);

		restart();
		swept_sweep(&b);
		assert_non_null(b.net.served.early);
		if (mute)
			hw_misbehave(b.hw, b.node, HW_MUTE, 0, 0);
		else
			swept_set_rival(&b, &si);
		swept_sweep(&b);
		assert_int_equal(b.w.last.outcome, mute ? OUTCOME_NO_FABRIC : OUTCOME_STANDBY);
		assert_null(b.net.served.early);
		swept_set_rival(&b, NULL);
		bytes = kept;
	}
}

/* Nothing is served that was forgotten, and what is not there can end. */
static void
an_end_at_any_time(void **state)
{
	(void)state;
	restart();
	early_forget(&b.w);
	early_end(&b.w);
	early_serve(&b.w);
	assert_forgotten();
	assert_int_equal(said[0], 0);
	sweep_without();
	early_end(&b.w);
	early_forget(&b.w);
	assert_forgotten();
}

/* Once after a change; at once for the first time and the last, otherwise every 30 seconds. */
static void
what_is_stored_when(void **state)
{
	struct sa_stored_doc d;

	(void)state;
	assert_false(early_store(&b.w, false, &d));     /* sweep_early_setup() took it */
	assert_false(early_store(&b.w, true, &d));
	b.w.history.stored.changed = true;
	swept_pass(&b, 30 * SECOND - 1);
	assert_false(early_store(&b.w, false, &d));
	swept_pass(&b, 1);
	take_document(false);
	b.w.history.stored.changed = true;
	assert_false(early_store(&b.w, false, &d));
	b.net.served.unsure = true;
	assert_false(early_store(&b.w, true, &d));
	b.net.served.unsure = false;
	take_document(true);
	assert_false(b.w.history.stored.changed);
	restart();
	b.w.history.stored.changed = true;
	assert_false(early_store(&b.w, true, &d));      /* there is no plan yet */
}

/* A sweep that changes nothing stores nothing; one that does, stores what it has made. */
static void
sweeps_that_change_something(void **state)
{
	(void)state;
	swept_sweep(&b);
	assert_false(b.w.history.stored.changed);
	some_switch()->lft[1] = FAB_LFT_DROP;
	b.net.served.unsure = true;
	swept_sweep(&b);
	assert_true(b.sets > 0);
	assert_true(b.w.history.stored.changed);
	take_document(true);
	restart();
	reach_served();
	swept_finish(&b);
	assert_int_equal(b.sets, b.net.served.s->nhosts);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sweep_early_setup, sweep_early_teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_is_stored),
		T(what_is_no_document),
		T(fitting_tables_are_served),
		T(the_diff_is_made_ahead),
		T(a_switch_gets_mute_meanwhile),
		T(a_part_fits),
		T(tables_of_another_fabric),
		T(another_master_since),
		T(a_standby_serves_nothing),
		T(an_unplugged_cable),
		T(another_top_of_a_switch),
		T(a_doubtful_table),
		T(another_table_when_read),
		T(a_sweep_is_given_up),
		T(a_refused_plan_ends_nothing),
		T(other_ends_than_a_plan),
		T(an_end_at_any_time),
		T(what_is_stored_when),
		T(sweeps_that_change_something),
	};

	return cmocka_run_group_tests_name("sm/sweep/early", tests, NULL, NULL);
}
