/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_release.c - releasing and resuming without leading, and the keys document.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sweep/release.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct sweep *w;
static struct election e;

static int
sweep_release_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	w = xcalloc(1, sizeof(*w));
	w->net = &b.net;
	w->election = &e;
	memset(&e, 0, sizeof(e));
	election_init(&e, &b.net);
	e.ha.state = b.role = HA_STANDBY;
	return 0;
}

static int
sweep_release_teardown(void **state)
{
	(void)state;
	free(w);
	served_clear(&b);
	return 0;
}

/* A standby is released at once, and writes nothing. */
static void
a_standby_needs_no_sweep(void **state)
{
	(void)state;
	assert_false(release_without_sweep(w));         /* nobody asked */
	release_ask(w);
	assert_true(b.net.schedule.want);
	assert_true(release_without_sweep(w));
	assert_int_equal(w->release.state, RELEASE_DONE);
	assert_int_equal(e.ha.state, HA_NOTACTIVE);
	assert_false(b.net.schedule.want);
	assert_int_equal(txn_pending(b.net.txn), 0);
	assert_non_null(strstr(b.said, "released: this manager is not active"));
	release_ask(w);                                 /* it is done */
	assert_int_equal(w->release.state, RELEASE_DONE);
}

static void
a_master_sweeps_first(void **state)
{
	(void)state;
	b.role = HA_MASTER;
	release_ask(w);
	assert_string_equal(b.said, "keys: releasing: every port gets M_Key 0");
	assert_false(release_without_sweep(w));
	assert_int_equal(w->release.state, RELEASE_ASKED);
	assert_string_equal(b.net.schedule.why, "release");
}

static void
resuming_looks_who_leads(void **state)
{
	(void)state;
	release_resume(w);
	assert_int_equal(b.lines, 0);                   /* nothing was released */
	release_ask(w);
	release_without_sweep(w);
	release_resume(w);
	assert_int_equal(w->release.state, RELEASE_NONE);
	assert_int_not_equal(e.ha.state, HA_NOTACTIVE);
	assert_true(b.net.schedule.want);
	assert_string_equal(b.net.schedule.why, "resume");
}

static void
the_document_says_what_ports_hold(void **state)
{
	json_t *o = release_keys_json(w);

	(void)state;
	assert_string_equal(json_string_value(json_object_get(o, "m_key")), "none");
	assert_string_equal(json_string_value(json_object_get(o, "released")), "no");
	assert_int_equal(json_integer_value(json_object_get(o, "unprotected")), b.s->nendports);
	json_decref(o);
	b.conf->m_key = 0x55;
	w->release.state = RELEASE_ASKED;
	o = release_keys_json(w);
	assert_string_equal(json_string_value(json_object_get(o, "m_key")), "one for all");
	assert_string_equal(json_string_value(json_object_get(o, "released")), "under way");
	json_decref(o);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sweep_release_setup, sweep_release_teardown)
	const struct CMUnitTest tests[] = {
		T(a_standby_needs_no_sweep),
		T(a_master_sweeps_first),
		T(resuming_looks_who_leads),
		T(the_document_says_what_ports_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
