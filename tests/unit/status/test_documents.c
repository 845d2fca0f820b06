/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_documents.c - long documents: when they can be asked for, who gets which, how many at a
 * time.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "sm/status/documents.h"
#include "tests/unit/status/routed.h"

enum { MANY = 1000 };

static struct routed_bed b;
static struct documents d;
static struct sweep *w;

static int
status_documents_setup(void **state)
{
	(void)state;
	routed_make(&b);
	d = (struct documents){ .jobs = NULL };
	w = calloc(1, sizeof(*w));
	w->net = &b.on.net;
	return 0;
}

static int
status_documents_teardown(void **state)
{
	(void)state;
	documents_free(&d);
	free(w);
	routed_clear(&b);
	return 0;
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

static int
document_make(enum document_kind kind, uint16_t first, uint64_t ticket, json_t **out)
{
	struct document_request r = { kind, first, write_text, ticket };

	*out = NULL;
	return documents_make(&d, &b.on.net, w, &r, out);
}

/* Asks for a document that can be had. */
static void
ask(enum document_kind kind, uint16_t first, uint64_t ticket)
{
	json_t *out;

	assert_int_equal(document_make(kind, first, ticket, &out), 0);
	assert_null(out);
}

/* Asks for one that cannot. */
static void
expect_refusal(enum document_kind kind, const char *reason)
{
	json_t *out;

	assert_int_equal(document_make(kind, 1, 1, &out), -EAGAIN);
	assert_string_equal(routed_text(out, "reason"), reason);
	json_decref(out);
	assert_null(b.on.jobs);
}

/* Runs the oldest job and hands it in. */
static void
run_job(void)
{
	struct job *j = b.on.jobs;

	assert_non_null(j);
	b.on.jobs = j->next;
	j->run(j);
	assert_true(documents_on_job_end(&d, &b.on.net.served, j));
}

/* The document of that ticket, parsed. */
static json_t *
document_take(uint64_t ticket)
{
	struct document got;
	json_t *o;

	assert_true(documents_take(&d, &got));
	assert_int_equal(got.ticket, ticket);
	assert_int_equal(strlen(got.bytes), got.len);
	o = json_loads(got.bytes, 0, NULL);
	assert_non_null(o);
	free(got.bytes);
	return o;
}

static void
a_document_is_made_by_a_job(void **state)
{
	struct document got;
	json_t *direct;

	(void)state;
	assert_false(documents_are_open(&d));
	ask(DOCUMENT_SNAPSHOT, 0, 42);
	assert_true(documents_are_open(&d));
	assert_false(documents_take(&d, &got));
	run_job();
	assert_false(documents_are_open(&d));
	direct = document_take(42);
	assert_true(json_is_object(direct));
	json_decref(direct);
	assert_false(documents_take(&d, &got));
}

/* The kind decides, and the first source of paths. */
static void
each_kind_is_a_document_of_its_own(void **state)
{
	json_t *o[3], *paths;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		ask((enum document_kind)i, 1, i);
		run_job();
		o[i] = document_take(i);
	}
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = i + 1; k < 3; k++)
			assert_false(json_equal(o[i], o[k]));
	assert_int_equal(documents_paths(&d, &b.on.net, w, 1, &paths), 0);
	assert_true(json_equal(paths, o[DOCUMENT_PATHS]));
	json_decref(paths);
	for (unsigned i = 0; i < 3; i++)
		json_decref(o[i]);
}

/* Several at a time: each is taken once, with its ticket. */
static void
documents_keep_their_tickets(void **state)
{
	unsigned seen = 0;
	struct document got;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		ask(DOCUMENT_IMAGES, 0, 10 + i);
	for (unsigned i = 0; i < 3; i++)
		run_job();
	while (documents_take(&d, &got)) {
		assert_in_range(got.ticket, 10, 12);
		assert_false(seen >> (got.ticket - 10) & 1);
		seen |= 1u << (got.ticket - 10);
		free(got.bytes);
	}
	assert_int_equal(seen, 7);
	assert_true(documents_are_open(&d));
	run_job();
	run_job();
	assert_false(documents_are_open(&d));
}

static void
nothing_can_be_asked_for_too_early(void **state)
{
	const struct plan *plan = b.on.net.served.plan;
	json_t *out;

	(void)state;
	b.on.net.served.plan = NULL;
	expect_refusal(DOCUMENT_PATHS, "nothing has been routed by this manager yet");
	assert_int_equal(documents_paths(&d, &b.on.net, w, 1, &out), -EAGAIN);
	json_decref(out);
	ask(DOCUMENT_SNAPSHOT, 0, 1);                   /* it needs no plan */
	run_job();
	b.on.net.served.s = NULL;
	expect_refusal(DOCUMENT_SNAPSHOT, "the first sweep has not ended");
	expect_refusal(DOCUMENT_IMAGES, "the first sweep has not ended");
	b.on.net.served.s = b.on.s;
	b.on.net.served.plan = plan;
}

/* A client that asks and goes away cannot pile up work. */
static void
only_so_many_are_made_at_a_time(void **state)
{
	unsigned n = 0;
	json_t *out;

	(void)state;
	while (n < MANY && document_make(DOCUMENT_SNAPSHOT, 0, n, &out) == 0)
		n++;
	assert_in_range(n, 2, MANY - 1);
	assert_string_equal(routed_text(out, "reason"), "too many documents are being made");
	json_decref(out);
	run_job();                      /* one that is made does not count, taken or not */
	ask(DOCUMENT_SNAPSHOT, 0, n);
	while (b.on.jobs)
		run_job();
}

static void
other_jobs_are_none_of_ours(void **state)
{
	struct job other = { NULL, NULL, NULL };

	(void)state;
	assert_false(documents_on_job_end(&d, &b.on.net.served, &other));
	ask(DOCUMENT_SNAPSHOT, 0, 1);
	assert_false(documents_on_job_end(&d, &b.on.net.served, &other));
	assert_true(documents_are_open(&d));
	run_job();
}

/* All paths are computed once for a client that reads them in parts; with the last they go. */
static void
paths_are_cached_while_they_are_read(void **state)
{
	const struct sa_path_export *made = NULL;
	unsigned parts = 0;

	(void)state;
	routed_clear(&b);
	routed_make_of(&b, "fattree:k=16,levels=2");
	for (uint16_t first = 1; first; parts++) {
		json_t *o;

		ask(DOCUMENT_PATHS, first, parts);
		run_job();
		o = document_take(parts);
		first = (uint16_t)json_integer_value(json_object_get(o, "next"));
		json_decref(o);
		assert_int_equal(d.paths.paths != NULL, first != 0);
		assert_true(!made || !first || d.paths.paths == made);
		made = d.paths.paths;
	}
	assert_true(parts > 2);
}

/* A document that is under way when the manager ends is dropped by the runner of its job. */
static void
what_is_made_or_not_can_be_freed(void **state)
{
	struct job *j;

	(void)state;
	ask(DOCUMENT_SNAPSHOT, 0, 1);
	ask(DOCUMENT_PATHS, 1, 2);
	run_job();
	j = b.on.jobs;
	b.on.jobs = NULL;
	documents_free(&d);
	assert_false(documents_are_open(&d));
	assert_false(documents_on_job_end(&d, &b.on.net.served, j));
	j->drop(j);
}

int
main(void)
{
#define T(name) \
	cmocka_unit_test_setup_teardown(name, status_documents_setup, status_documents_teardown)
	const struct CMUnitTest tests[] = {
		T(a_document_is_made_by_a_job),
		T(each_kind_is_a_document_of_its_own),
		T(documents_keep_their_tickets),
		T(nothing_can_be_asked_for_too_early),
		T(only_so_many_are_made_at_a_time),
		T(other_jobs_are_none_of_ours),
		T(paths_are_cached_while_they_are_read),
		T(what_is_made_or_not_can_be_freed),
	};

	return cmocka_run_group_tests_name("sm/status/documents", tests, NULL, NULL);
}
