/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_views.c - what the daemon asks of a manager, before and after its first sweep.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"

enum { SECOND = 1000000, M_KEY = 0x1234 };

static struct world w;
static struct world_manager *s;

static int
views_setup(void **state)
{
	(void)state;
	world_init(&w, "fattree:k=4,levels=2", 1);
	s = world_manager_start(&w, NULL, NULL);
	return 0;
}

static int
views_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return 0;
}

static void
bring_up(void)
{
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 3 * SECOND);
}

static const json_t *
member(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!v)
		fail_msg("no member \"%s\"", key);
	return v;
}

static void
before_the_first_sweep_nothing_is_known(void **state)
{
	uint64_t guid, key;
	json_t *out;
	char line[200];

	(void)state;
	assert_int_equal(manager_outcome(s->m), OUTCOME_RUNNING);
	assert_int_equal(manager_exit_status(s->m), 255);
	assert_int_equal(manager_sweeps(s->m), 0);
	assert_false(manager_port_key(s->m, "1", &guid, &key));
	assert_int_equal(manager_trace(s->m, "1", "2", &out), -EAGAIN);
	json_decref(out);
	assert_int_equal(manager_paths(s->m, 1, &out), -EAGAIN);
	json_decref(out);
	manager_line(s->m, line, sizeof(line));
	assert_non_null(strstr(line, "first sweep"));
	assert_true(manager_healthy(s->m, w.now));
}

static void
the_outcome_is_an_exit_status(void **state)
{
	static const struct { enum sweep_outcome outcome; int status; } rows[] = {
		{ OUTCOME_UP, 0 }, { OUTCOME_PARTIAL, 3 }, { OUTCOME_REFUSED, 1 },
		{ OUTCOME_STANDBY, 1 }, { OUTCOME_NO_FABRIC, 255 },
	};
	char line[200], small[10];

	(void)state;
	bring_up();
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(manager_sweeps(s->m) > 0);
	manager_line(s->m, line, sizeof(line));
	assert_non_null(strstr(line, "6 switches"));
	manager_line(s->m, small, sizeof(small));       /* it is cut */
	assert_int_equal(strlen(small), sizeof(small) - 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s->m->sweep.last.outcome = rows[i].outcome;
		assert_int_equal(manager_exit_status(s->m), rows[i].status);
	}
}

/* The daemon stores LIDs when they have changed, and only then. */
static void
lids_are_taken_once(void **state)
{
	const struct lid_id *rows;
	uint32_t n;

	(void)state;
	assert_false(manager_take_lids(s->m, &rows, &n));
	bring_up();
	assert_int_equal(s->store.n, s->m->net.served.s->nendports);
	for (uint32_t i = 1; i < s->store.n; i++)
		assert_true(s->store.rows[i - 1].port_guid < s->store.rows[i].port_guid);
	assert_false(manager_take_lids(s->m, &rows, &n));
	s->m->sweep.lids.changed = true;
	assert_true(manager_take_lids(s->m, &rows, &n));
	assert_int_equal(n, s->store.n);
	assert_false(manager_take_lids(s->m, &rows, &n));
}

/* By LID, GUID or description; each port has the key that the subnet gives it. */
static void
the_key_of_a_port_is_found_by_its_names(void **state)
{
	uint64_t guid, key;
	char name[32];

	(void)state;
	s->conf->m_key = M_KEY;
	bring_up();
	snprintf(name, sizeof(name), "%u", s->m->net.served.plan->sm_lid);
	assert_true(manager_port_key(s->m, name, &guid, &key));
	assert_int_equal(guid, s->m->net.port.port_guid);
	assert_int_equal(key, M_KEY);
	guid = key = 0;
	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)s->m->net.port.port_guid);
	assert_true(manager_port_key(s->m, name, &guid, &key));
	assert_int_equal(guid, s->m->net.port.port_guid);
	assert_int_equal(key, M_KEY);
	assert_false(manager_port_key(s->m, "no such node", &guid, &key));
}

/* A request that is older than all its tries may take means that the loop does not turn. */
static void
an_old_request_is_unhealthy(void **state)
{
	int64_t budget_us = (int64_t)s->conf->transaction_timeout_ms * 1000;
	struct monotime later = monotime_add_us(w.now, 1000 * (int64_t)SECOND);
	struct dgram d;
	int timeout_ms;

	(void)state;
	manager_tick(s->m, w.now);
	assert_true(manager_next_send(s->m, &d, &timeout_ms, w.now));
	assert_true(manager_healthy(s->m, w.now));
	assert_true(manager_healthy(s->m, monotime_add_us(w.now, budget_us)));
	assert_false(manager_healthy(s->m, later));
}

static void
an_old_job_is_unhealthy(void **state)
{
	(void)state;
	w.job_us = 3600 * (int64_t)SECOND;
	world_manager_kill(&w, s);
	s = world_manager_start(&w, NULL, NULL);
	while (!manager_works(s->m))
		world_run(&w, 1000);
	assert_true(manager_healthy(s->m, monotime_add_us(w.now, 60 * SECOND)));
	assert_false(manager_healthy(s->m, monotime_add_us(w.now, 600 * SECOND)));
}

/* Only what a sweep has asked counts, and not while it waits for a job. */
static void
a_sweep_awaits_answers(void **state)
{
	struct dgram d;
	int timeout_ms;

	(void)state;
	w.job_us = SECOND;
	world_manager_kill(&w, s);
	s = world_manager_start(&w, NULL, NULL);
	assert_false(manager_awaits_answers(s->m));
	manager_tick(s->m, w.now);
	assert_false(manager_awaits_answers(s->m));
	assert_true(manager_next_send(s->m, &d, &timeout_ms, w.now));
	assert_true(manager_awaits_answers(s->m));
	while (!manager_works(s->m))
		world_run(&w, 1000);
	assert_false(manager_awaits_answers(s->m));
}

static void
set_facts(void *arg, struct process_facts *f)
{
	(void)arg;
	*f = (struct process_facts){ .wall = 1000000000, .pid = 77 };
}

/* The documents name this manager and its process; without facts they are 0. */
static void
documents_have_the_facts_of_the_process(void **state)
{
	json_t *with, *without, *report, *snapshot;

	(void)state;
	bring_up();
	s->m->process_facts = set_facts;
	with = manager_status(s->m, w.now);
	s->m->process_facts = NULL;
	without = manager_status(s->m, w.now);
	assert_false(json_equal(with, without));
	assert_int_equal(json_object_size(with), json_object_size(without));
	report = manager_report(s->m, w.now);
	assert_true(json_is_object(report));
	snapshot = manager_snapshot(s->m);
	assert_true(json_is_object(snapshot));
	assert_int_equal(json_array_size(member(snapshot, "nodes")), s->m->net.served.s->nnodes);
	json_decref(with);
	json_decref(without);
	json_decref(report);
	json_decref(snapshot);
}

static void
routes_are_traced_by_name(void **state)
{
	char lid[16];
	json_t *out;

	(void)state;
	bring_up();
	snprintf(lid, sizeof(lid), "%u", s->m->net.served.plan->sm_lid);
	assert_int_equal(manager_trace(s->m, lid, lid, &out), 0);
	json_decref(out);
	assert_int_equal(manager_trace(s->m, lid, "no such node", &out), -ENOENT);
	json_decref(out);
	assert_int_equal(manager_paths(s->m, 1, &out), 0);
	json_decref(out);
}

static char *
write_text(int err, json_t *document, size_t *len)
{
	char *text = json_dumps(document, JSON_COMPACT);

	assert_int_equal(err, 0);
	json_decref(document);
	*len = strlen(text);
	return text;
}

/* The document that was asked for with that ticket has that member. */
static void
expect_document(uint64_t ticket, const char *key)
{
	struct document d;
	json_t *o;

	assert_true(manager_take_document(s->m, &d));
	assert_int_equal(d.ticket, ticket);
	o = json_loads(d.bytes, 0, NULL);
	member(o, key);
	json_decref(o);
	free(d.bytes);
}

/* A first source asks for paths, none for the snapshot. */
static void
long_documents_are_taken_with_their_ticket(void **state)
{
	struct document d;
	json_t *out = NULL;

	(void)state;
	assert_int_equal(manager_make_document(s->m, 0, write_text, 1, &out), -EAGAIN);
	json_decref(out);
	bring_up();
	assert_int_equal(manager_make_document(s->m, 0, write_text, 2, &out), 0);
	expect_document(2, "nodes");
	assert_int_equal(manager_make_document(s->m, 1, write_text, 3, &out), 0);
	expect_document(3, "sources");
	assert_int_equal(manager_make_images(s->m, write_text, 4, &out), 0);
	expect_document(4, "nodes");
	assert_false(manager_take_document(s->m, &d));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, views_setup, views_teardown)
	const struct CMUnitTest tests[] = {
		T(before_the_first_sweep_nothing_is_known),
		T(the_outcome_is_an_exit_status),
		T(lids_are_taken_once),
		T(the_key_of_a_port_is_found_by_its_names),
		T(an_old_request_is_unhealthy),
		T(an_old_job_is_unhealthy),
		T(a_sweep_awaits_answers),
		T(documents_have_the_facts_of_the_process),
		T(routes_are_traced_by_name),
		T(long_documents_are_taken_with_their_ticket),
	};

	return cmocka_run_group_tests_name("sm/manager/views", tests, NULL, NULL);
}
