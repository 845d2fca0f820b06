/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_watch.c - what a new watch knows, what a reset clears, and that its parts share their state.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/watch.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct watch w;

static int
watch_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	watch_init(&w);
	return 0;
}

static int
watch_teardown(void **state)
{
	(void)state;
	watch_free(&w);
	served_clear(&b);
	return 0;
}

static const char *
place(const void *arg, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES])
{
	(void)arg;
	snprintf(buf, ROSTER_PLACE_BYTES, "%llx/%u", (unsigned long long)guid, port);
	return buf;
}

static struct roster_end
end_of(uint32_t port)
{
	const struct fab_port *p = &b.s->ports[port];

	return (struct roster_end){ b.s->nodes[p->node].guid, p->num };
}

/* The link of the n-th host flaps from now on. */
static void
make_flap(unsigned host)
{
	struct flaps_now now = { b.net.now, &b.log, place, NULL };
	uint32_t p = served_host(&b, host);

	assert_true(flaps_changed(w.flaps, end_of(b.s->ports[p].peer), end_of(p), FLAPS_CHANGES + 1,
		&now));
}

static void
end_sweep(void)
{
	missing_swept(w.missing, roster_new(b.s),
		&(struct missing_sweep){ b.s, w.flaps, b.net.now, &b.log });
}

/* The last node of the snapshot, a host, is gone. */
static void
lose_last_host(void)
{
	struct fab_node *host = &b.s->nodes[b.s->nnodes - 1];

	b.s->ports[b.s->ports[host->first_port + host->entry_port].peer].peer = FAB_NONE;
	b.s->nnodes--;
	b.s->nlinks--;
}

static void
put_last_host_back(void)
{
	struct fab_node *host = &b.s->nodes[b.s->nnodes++];
	uint32_t port = host->first_port + host->entry_port;

	b.s->ports[b.s->ports[port].peer].peer = port;
	b.s->nlinks++;
}

static void
nothing_is_known_at_first(void **state)
{
	struct monotime at;

	(void)state;
	assert_int_equal(missing_count(w.missing), 0);
	assert_int_equal(flaps_count(w.flaps), 0);
	assert_false(flaps_deadline(w.flaps, &at));
	assert_null(w.light.why);
	assert_int_equal(w.light.open, 0);
	assert_false(w.light.obeys_other);
}

/* Before a sweep has found our port there is nothing to query it for. */
static void
our_port_is_not_queried_before_a_sweep(void **state)
{
	struct monotime at;

	(void)state;
	assert_false(own_port_deadline(&w.own_port, &at));
	own_port_pump(&w.own_port, &b.net);
	assert_int_equal(txn_pending(b.net.txn), 0);
	own_port_swept(&w.own_port, &b.net, b.s);
	assert_true(own_port_deadline(&w.own_port, &at));
}

/* A flapping link that the counts know is one for probes and for light sweeps, too. */
static void
the_parts_share_the_flapping_links(void **state)
{
	uint32_t leaf = b.s->ports[b.s->ports[served_host(&b, 1)].peer].node;

	(void)state;
	assert_false(probes_trap(w.probes, &b.net, leaf, 1));
	make_flap(1);
	assert_true(probes_trap(w.probes, &b.net, leaf, 2));
	assert_true(flaps_of(w.light.flaps, b.s->nodes[leaf].guid));
	assert_ptr_equal(w.light.probes, w.probes);
}

static void
a_reset_clears_flapping_links(void **state)
{
	uint32_t leaf = b.s->ports[b.s->ports[served_host(&b, 1)].peer].node;

	(void)state;
	make_flap(1);
	assert_int_equal(flaps_count(w.flaps), 1);
	watch_reset(&w);
	assert_int_equal(flaps_count(w.flaps), 0);
	assert_false(probes_trap(w.probes, &b.net, leaf, 1));
}

/* The first sweep after a reset has nothing to be compared with. */
static void
a_reset_clears_missing_nodes(void **state)
{
	(void)state;
	end_sweep();
	lose_last_host();
	end_sweep();
	assert_true(missing_count(w.missing) > 0);
	watch_reset(&w);
	assert_int_equal(missing_count(w.missing), 0);
	put_last_host_back();
	end_sweep();
	lose_last_host();
	watch_reset(&w);
	end_sweep();
	assert_int_equal(missing_count(w.missing), 0);
	put_last_host_back();
}

/* Pending probes are dropped: no port is read for a trap before the reset. */
static void
a_reset_clears_probes(void **state)
{
	uint32_t leaf = b.s->ports[b.s->ports[served_host(&b, 1)].peer].node;
	struct monotime at;

	(void)state;
	make_flap(1);
	assert_true(probes_trap(w.probes, &b.net, leaf, 1));
	assert_true(probes_deadline(w.probes, &b.net, true, &at));
	watch_reset(&w);
	assert_false(probes_deadline(w.probes, &b.net, true, &at));
	served_pass(&b, 60000000);
	probes_pump(w.probes, &b.net, true);
	assert_int_equal(txn_pending(b.net.txn), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, watch_setup, watch_teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_is_known_at_first),
		T(our_port_is_not_queried_before_a_sweep),
		T(the_parts_share_the_flapping_links),
		T(a_reset_clears_flapping_links),
		T(a_reset_clears_missing_nodes),
		T(a_reset_clears_probes),
	};

	return cmocka_run_group_tests_name("sm/watch/watch", tests, NULL, NULL);
}
