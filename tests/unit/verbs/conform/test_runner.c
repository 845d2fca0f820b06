/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_runner.c - the whole table on the software adapter; and on adapters with an injected
 * defect, each of which some case must find.
 */
#include <config.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/test.h"
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/conform.h"
#include "verbs/soft/soft.h"

#define CASES_MIN 300

/* ---- an adapter between the cases and the software one: it watches, and lies when it is told
 * to ---- */

enum lie {
	TRUTH, ACCESS_ERROR_IS_SUCCESS, PROTECTION_IS_FLUSH, IMMEDIATE_SWAPPED, WR_ID_WRONG,
	NO_COMPLETION, NO_EVENT, LEAK, EVERY_MODIFY_PASSES, NO_ATOMICS, DATA_FLIPPED,
};

static const struct verbs_ops *real;
static struct verbs_ops watched;
static enum lie lie;
static uint64_t statuses, events;

static int
poll_watched(struct verbs_cq *cq, int n, struct ibv_wc *wc)
{
	int got = lie == NO_COMPLETION ? 0 : real->poll(cq, n, wc);

	for (int i = 0; i < got; i++) {
		statuses |= UINT64_C(1) << wc[i].status;
		if (lie == ACCESS_ERROR_IS_SUCCESS && wc[i].status == IBV_WC_REM_ACCESS_ERR)
			wc[i].status = IBV_WC_SUCCESS;
		if (lie == PROTECTION_IS_FLUSH && wc[i].status == IBV_WC_LOC_PROT_ERR)
			wc[i].status = IBV_WC_WR_FLUSH_ERR;
		if (lie == IMMEDIATE_SWAPPED && wc[i].wc_flags & IBV_WC_WITH_IMM)
			wc[i].imm_data = __builtin_bswap32(wc[i].imm_data);
		if (lie == WR_ID_WRONG)
			wc[i].wr_id++;
	}
	return got;
}

static int
event_watched(struct verbs_dev *dev, struct verbs_event *e)
{
	int ret = lie == NO_EVENT ? -11 : real->get_async_event(dev, e);

	if (!ret)
		events |= UINT64_C(1) << e->type;
	return ret;
}

static int
destroy_qp_watched(struct verbs_qp *qp)
{
	/* Keeps the objects reachable for leak checkers: only the runner is to notice them. */
	static void *volatile left[16];
	static unsigned nleft;

	if (lie != LEAK)
		return real->destroy_qp(qp);
	assert_true(nleft < sizeof(left) / sizeof(*left));
	left[nleft++] = qp;
	return 0;
}

static int
modify_watched(struct verbs_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	int ret = real->modify_qp(qp, attr, mask);

	return lie == EVERY_MODIFY_PASSES ? 0 : ret;
}

/* Flips a bit of the data before it is sent. */
static int
post_watched(struct verbs_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	if (lie == DATA_FLIPPED && wr->num_sge && wr->sg_list->length > 40 &&
		    wr->opcode == IBV_WR_SEND)
		((uint8_t *)(uintptr_t)wr->sg_list->addr)[40] ^= 1;
	return real->post_send(qp, wr, bad);
}

static int
open_watched(struct verbs_world *w, const char *name, struct verbs_dev **dev)
{
	int ret = real->open(w, name, dev);

	if (!ret && lie == NO_ATOMICS)
		(*dev)->caps &= ~VERBS_CAP(ATOMIC);
	return ret;
}

static struct verbs_world *
world_new(void *arg, uint64_t seed)
{
	struct verbs_world *w = soft_world_new(&(struct soft_options){ .seed = seed });

	(void)arg;
	real = w->ops;
	watched = *real;
	watched.poll = poll_watched;
	watched.get_async_event = event_watched;
	watched.destroy_qp = destroy_qp_watched;
	watched.modify_qp = modify_watched;
	watched.post_send = post_watched;
	watched.open = open_watched;
	w->ops = &watched;
	return w;
}

static struct verbs_world *
world_none(void *arg, uint64_t seed)
{
	(void)arg, (void)seed;
	return NULL;
}

static const struct conform_target target = { .backend = "soft", .world_new = world_new,
	.fresh = true };

static int
run_cases(enum lie how, const char *glob, const struct conform_deviation *rows, size_t n,
	struct conform_report *r)
{
	const char *const globs[] = { glob, NULL };
	const struct conform_options o = { .globs = globs, .seed = CONFORM_SEED,
		.limit_s = CONFORM_LIMIT_S, .deviations = rows, .ndeviations = n };

	lie = how;
	return conform_run(&target, &o, r);
}

/* ---- the truth ---- */

static void
all_cases_pass(void **state)
{
	struct conform_report r;
	unsigned sum = 0;

	(void)state;
	statuses = events = 0;
	assert_int_equal(run_cases(TRUTH, "*", NULL, 0, &r), 0);
	for (size_t i = 0; i < r.n; i++) {
		if (r.v[i].status == CONFORM_FAIL)
			print_message("# %s: expected \"%s\", got \"%s\"\n", r.v[i].name,
				r.v[i].expected, r.v[i].got);
	}
	for (size_t i = 0; i < CONFORM_STATUSES; i++)
		sum += r.totals[i];
	assert_int_equal(sum, r.n);
	assert_int_equal(r.totals[CONFORM_FAIL], 0);
	assert_int_equal(r.totals[CONFORM_DEVIATION], 0);
	assert_true(r.totals[CONFORM_PASS] >= CASES_MIN);
	assert_int_equal(conform_exit_status(&r), 0);
	assert_string_equal(r.provider, "soft");
	assert_true(r.emulated);
	conform_report_clear(&r);
}

/* Runs after all_cases_pass().  The other statuses are of reliable datagrams and their contexts
 * (LOC_EEC_OP, LOC_RDD_VIOL, REM_INV_RD_REQ, INV_EECN, INV_EEC_STATE), of drivers (RESP_TIMEOUT,
 * GENERAL), or of tag matching: no queue pair of RC, UC or UD can have them. */
static void
every_status_was_provoked(void **state)
{
	static const enum ibv_wc_status wanted[] = {
		IBV_WC_SUCCESS, IBV_WC_LOC_LEN_ERR, IBV_WC_LOC_QP_OP_ERR, IBV_WC_LOC_PROT_ERR,
		IBV_WC_WR_FLUSH_ERR, IBV_WC_MW_BIND_ERR, IBV_WC_BAD_RESP_ERR, IBV_WC_LOC_ACCESS_ERR,
		IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_OP_ERR,
		IBV_WC_RETRY_EXC_ERR, IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_REM_ABORT_ERR,
		IBV_WC_FATAL_ERR,
	};
	unsigned missing = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (!(statuses >> wanted[i] & 1)) {
			print_message("# %s was not provoked\n", verbs_status_name(wanted[i]));
			missing++;
		}
	}
	assert_int_equal(missing, 0);
}

static void
every_event_was_provoked(void **state)
{
	static const enum ibv_event_type wanted[] = {
		IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL, IBV_EVENT_QP_REQ_ERR, IBV_EVENT_QP_ACCESS_ERR,
		IBV_EVENT_COMM_EST, IBV_EVENT_SQ_DRAINED, IBV_EVENT_DEVICE_FATAL,
		IBV_EVENT_PORT_ACTIVE, IBV_EVENT_PORT_ERR, IBV_EVENT_LID_CHANGE,
		IBV_EVENT_PKEY_CHANGE, IBV_EVENT_SM_CHANGE, IBV_EVENT_SRQ_ERR,
		IBV_EVENT_SRQ_LIMIT_REACHED, IBV_EVENT_QP_LAST_WQE_REACHED,
		IBV_EVENT_CLIENT_REREGISTER, IBV_EVENT_GID_CHANGE,
	};
	unsigned missing = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (!(events >> wanted[i] & 1)) {
			print_message("# %s was not provoked\n", verbs_event_name(wanted[i]));
			missing++;
		}
	}
	assert_int_equal(missing, 0);
}

static void
names_are_unique_and_say_their_area(void **state)
{
	struct case_list l;

	(void)state;
	cases_all(&l);
	assert_true(l.n >= CASES_MIN);
	for (size_t i = 0; i < l.n; i++) {
		const char *slash = strchr(l.v[i].name, '/');

		assert_non_null(slash);
		assert_true(slash > l.v[i].name && slash[1]);
		assert_true(l.v[i].expected && *l.v[i].expected);
		assert_true(strlen(l.v[i].expected) < CONFORM_WORDS_MAX);
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(l.v[i].name, l.v[j].name))
				fail_msg("two cases are called %s", l.v[i].name);
		}
	}
	case_list_clear(&l);
}

static void
a_run_can_be_repeated(void **state)
{
	struct conform_report a, b;

	(void)state;
	assert_int_equal(run_cases(TRUTH, "soak/*", NULL, 0, &a), 0);
	assert_int_equal(run_cases(TRUTH, "soak/*", NULL, 0, &b), 0);
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++)
		assert_string_equal(a.v[i].got, b.v[i].got);
	conform_report_clear(&a);
	conform_report_clear(&b);
}

/* ---- lies ---- */

/* All cases that match 'fails' must fail with the defect, and those that match 'holds' must
 * pass. */
static void
assert_lie_found(enum lie how, const char *fails, const char *holds)
{
	struct conform_report r;

	assert_int_equal(run_cases(how, fails, NULL, 0, &r), 0);
	assert_true(r.n > 0);
	for (size_t i = 0; i < r.n; i++) {
		if (r.v[i].status != CONFORM_FAIL)
			fail_msg("lie %d: %s did not fail: \"%s\"", (int)how, r.v[i].name,
				r.v[i].got);
		assert_true(*r.v[i].reason);
	}
	assert_int_equal(conform_exit_status(&r), 1);
	conform_report_clear(&r);
	assert_int_equal(run_cases(how, holds, NULL, 0, &r), 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.totals[CONFORM_PASS], 1);
	conform_report_clear(&r);
}

static void
a_lying_adapter_is_found(void **state)
{
	(void)state;
	assert_lie_found(ACCESS_ERROR_IS_SUCCESS, "rights/[wcf]*-with-bad-rkey",
		"rights/send-with-bad-lkey");
	assert_lie_found(PROTECTION_IS_FLUSH, "rights/*-with-bad-lkey",
		"rights/write-past-the-end");
	assert_lie_found(IMMEDIATE_SWAPPED, "*-imm-byte-order", "send-recv/rc-send-63-bytes");
	assert_lie_found(IMMEDIATE_SWAPPED, "send-recv/[ru][cd]-send-imm-1-bytes",
		"write/rc-write-1-bytes");
	assert_lie_found(WR_ID_WRONG, "send-recv/*-16-in-a-row", "qp-state/rc-reset-to-init");
	assert_lie_found(NO_COMPLETION, "send-recv/rc-send-*", "mr/keys");
	assert_lie_found(NO_EVENT, "async/lid-change", "mr/keys");
	assert_lie_found(LEAK, "qp-state/rc-reset-to-init", "mr/keys");
	assert_lie_found(EVERY_MODIFY_PASSES, "qp-state/[ru][cd]-*-without-*", "mr/keys");
	assert_lie_found(DATA_FLIPPED, "send-recv/[ru][cd]-send-63-bytes",
		"write/rc-write-63-bytes");
}

static void
what_is_missing_is_skipped(void **state)
{
	struct conform_report r;

	(void)state;
	assert_int_equal(run_cases(NO_ATOMICS, "atomic/*", NULL, 0, &r), 0);
	assert_true(r.n > 0);
	assert_int_equal(r.totals[CONFORM_SKIP], r.n);
	assert_string_equal(r.v[0].reason, "needs atomic operations");
	assert_string_equal(r.v[0].got, "");
	assert_int_equal(conform_exit_status(&r), 0);
	conform_report_clear(&r);
}

/* ---- deviations, through a run ---- */

static void
deviations_are_told_apart(void **state)
{
	static const struct conform_deviation rows[] = {
		{ "rights/write-with-bad-rkey", "soft", 0, KERNEL_ANY, "sender SUCCESS*", "it lies",
			false },
		{ "mr/keys", "soft", 0, KERNEL_ANY, NULL, "it would hang", false },
	};
	struct conform_report r;

	(void)state;
	assert_int_equal(run_cases(ACCESS_ERROR_IS_SUCCESS, "rights/write-with-bad-rkey", rows, 2,
		&r), 0);
	assert_int_equal(r.v[0].status, CONFORM_DEVIATION);
	assert_string_equal(r.v[0].reason, "it lies");
	assert_int_equal(conform_exit_status(&r), 0);
	conform_report_clear(&r);

	assert_int_equal(run_cases(TRUTH, "rights/write-with-bad-rkey", rows, 2, &r), 0);
	assert_int_equal(r.v[0].status, CONFORM_PASS);
	assert_true(r.v[0].gone);
	assert_int_equal(r.gone, 1);
	conform_report_clear(&r);

	assert_int_equal(run_cases(TRUTH, "mr/keys", rows, 2, &r), 0);
	assert_int_equal(r.v[0].status, CONFORM_DEVIATION);
	assert_string_equal(r.v[0].reason, "not run: it would hang");
	assert_string_equal(r.v[0].got, "");
	conform_report_clear(&r);
}

static void
no_device_is_no_run(void **state)
{
	const struct conform_target none = { .backend = "soft", .world_new = world_none };
	struct conform_options o = { .limit_s = 10, .device = "nobody" };
	struct conform_report r;

	(void)state;
	lie = TRUTH;
	assert_int_not_equal(conform_run(&none, &o, &r), 0);
	assert_int_equal(r.n, 0);
	conform_report_clear(&r);
	assert_int_not_equal(conform_run(&target, &o, &r), 0);
	assert_int_equal(r.n, 0);
	conform_report_clear(&r);
	o.device = NULL;
	o.peer = "nobody";
	assert_int_not_equal(conform_run(&target, &o, &r), 0);
	conform_report_clear(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_cases_pass),
		cmocka_unit_test(every_status_was_provoked),
		cmocka_unit_test(every_event_was_provoked),
		cmocka_unit_test(names_are_unique_and_say_their_area),
		cmocka_unit_test(a_run_can_be_repeated),
		cmocka_unit_test(a_lying_adapter_is_found),
		cmocka_unit_test(what_is_missing_is_skipped),
		cmocka_unit_test(deviations_are_told_apart),
		cmocka_unit_test(no_device_is_no_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
