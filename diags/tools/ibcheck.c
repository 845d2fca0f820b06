/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibcheck.c - runs the checks of diags/check on a fabric and reports one verdict.
 * Room: diags/tools. A check is a file of diags/check; check.h there lists them.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/engine.h"
#include "diags/check/check.h"
#include "diags/core/out.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/fabric/suppress.h"

enum {
	OPT_ONLY = DIAG_LONG, OPT_SKIP, OPT_LIST, OPT_GOLDEN, OPT_SUPPRESS, OPT_INTERVAL,
	OPT_THRESHOLDS, OPT_SM_GUIDS, OPT_ALL, OPT_SUMMARY,
};

#define INTERVAL_MAX_S 86400
#define SHOWN_OF_A_CODE 10

static const struct check *const checks[NCHECKS] = CHECKS;
struct ibcheck {
	bool off[NCHECKS];
	bool list;
	struct check_options o;
};

static void
state_init(void *state)
{
	*(struct ibcheck *)state = (struct ibcheck){ .o = { .interval_us = 5000000,
		.most = SHOWN_OF_A_CODE } };
}

/* Parses a list of checks such as "links,speeds". */
static int
read_names(struct diag *d, const char *value, bool named[static NCHECKS])
{
	char word[24];
	size_t n;

	for (; *value; value += n + (value[n] == ',')) {
		unsigned i = 0;

		n = strcspn(value, ",");
		snprintf(word, sizeof(word), "%.*s", (int)(n < 23 ? n : 23), value);
		while (i < NCHECKS && strcmp(checks[i]->name, word))
			i++;
		if (i == NCHECKS)
			return diag_fail(d, EXIT_USAGE, "usage",
				"there is no check \"%s\" (--list names them)", word);
		named[i] = true;
	}
	return 0;
}

static int
set_names(struct diag *d, const char *value, bool only)
{
	struct ibcheck *want = diag_state(d);
	bool named[NCHECKS] = { false };
	int r = read_names(d, value, named);

	for (unsigned i = 0; i < NCHECKS && !r; i++)
		want->off[i] |= named[i] != only;
	return r;
}

static int
set_interval(struct diag *d, const char *value)
{
	struct ibcheck *want = diag_state(d);
	char *end;
	double s = strtod(value, &end);

	if (end == value || *end || !(s >= 0.1) || s > INTERVAL_MAX_S)
		return diag_fail(d, EXIT_USAGE, "usage", "--interval needs seconds, 0.1 to %d",
			INTERVAL_MAX_S);
	want->o.interval_us = (int64_t)(s * 1e6);
	return 0;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibcheck *want = diag_state(d);

	switch (id) {
	case OPT_ONLY: return set_names(d, value, true);
	case OPT_SKIP: return set_names(d, value, false);
	case OPT_LIST: want->list = true; return 0;
	case OPT_GOLDEN: want->o.golden = value; return 0;
	case OPT_SUPPRESS: want->o.suppress = value; return 0;
	case OPT_INTERVAL: return set_interval(d, value);
	case OPT_THRESHOLDS: want->o.thresholds = value; return 0;
	case OPT_SM_GUIDS: want->o.sm_guids = value; return 0;
	case OPT_ALL: want->o.most = 0; return 0;
	case OPT_SUMMARY: want->o.summary = true; return 0;
	}
	return -ENOENT;
}

static int
checks_list(struct diag *d)
{
	for (unsigned i = 0; i < NCHECKS; i++) {
		diag_text(d, "%-10s %s\n", checks[i]->name, checks[i]->about);
		diag_row(d, "checks", json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:n}", "check",
			checks[i]->name, "about", checks[i]->about,
			"status", "not_asked", "errors", 0, "warnings", 0, "infos", 0, "suppressed",
			0, "looked_at"));
	}
	return EXIT_OK;
}

static bool
check_begins(struct check_run *c, unsigned i)
{
	const struct ibcheck *want = diag_state(c->d);

	c->at = i;
	if (want->off[i]) {
		c->result[i].end = CHECK_NOT_ASKED;
		return false;
	}
	if (checks[i]->flags & CHECK_REGISTERS && c->f.drawn) {
		check_skipped(c, "a topology file does not tell");
		return false;
	}
	if (checks[i]->flags & CHECK_ASKS && !diag_can_ask(c->d)) {
		check_skipped(c, "the file has no answers (ibnetdiscover --capture)");
		return false;
	}
	return true;
}

static void
run_checks(struct check_run *c)
{
	for (unsigned i = 0; i < NCHECKS; i++)
		if (check_begins(c, i) && checks[i]->begin)
			checks[i]->begin(c);
	for (unsigned i = 0; i < NCHECKS; i++)
		if (check_begins(c, i))
			checks[i]->run(c);
}

/* Reads all files that options name, before any request is sent. */
static int
read_files(struct check_run *c)
{
	const struct ibcheck *want = diag_state(c->d);
	int r = check_counters_conf(c);

	if (!r && want->o.suppress)
		r = suppress_read(c->d, want->o.suppress, &c->suppress);
	if (!r && want->o.golden)
		r = diag_fabric_load(c->d, want->o.golden, &c->golden);
	return r;
}

static int
ibcheck_run(struct diag *d, int argc, char **argv)
{
	struct ibcheck *want = diag_state(d);
	struct check_run c = { .d = d, .checks = checks, .opt = &want->o };
	unsigned wants = 0;
	int r;

	(void)argv;
	if (argc)
		return diag_usage(d, "there are no operands");
	if (want->list)
		return checks_list(d);
	diag_catch_signals();
	for (unsigned i = 0; i < NCHECKS; i++)
		wants |= want->off[i] ? 0 : checks[i]->wants;
	r = read_files(&c);
	if (!r)
		r = diag_fabric(d, wants, &c.f);
	if (!r) {
		r = diag_selection(d, &c.f, &c.selection);
		levels_make(c.f.s, &c.levels);
	}
	if (!r) {
		run_checks(&c);
		check_report(&c, checks);
	}
	check_counters_free(c.counters);
	check_run_clear(&c);
	return r;
}

static const struct diag_option options[] = {
	{ OPT_ONLY, "only", "<checks>", "run only these checks, for example 'links,speeds'" },
	{ OPT_SKIP, "skip", "<checks>", "run all checks except these" },
	{ OPT_LIST, "list", NULL, "list the checks and exit" },
	{ OPT_GOLDEN, "golden", "<file>", "expected topology, in the format of ibnetdiscover" },
	{ OPT_SUPPRESS, "suppress", "<file>",
		"known findings to suppress: ids, codes, or codes with a pattern" },
	{ OPT_INTERVAL, "interval", "<seconds>",
		"time between the two samples of the counters (default 5)" },
	{ OPT_THRESHOLDS, "threshold-file", "<file>",
		"errors allowed per hour, as lines Counter=value" },
	{ OPT_SM_GUIDS, "sm-guids", "<guids>", "port GUIDs where subnet managers may run" },
	{ OPT_ALL, "all", NULL, "show all findings, not only ten of each code" },
	{ OPT_SUMMARY, "summary", NULL, "show only the table of checks" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"\t\t\t\t\t# is the fabric well?",
	"--skip counters --golden fabric.topo\t# without waiting, against the plan",
	"--only links,speeds --select 'nodepat:leaf-1-*'",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibcheck", .operands = "", .about = "checks the health of the whole fabric",
	.examples = examples, .masked = "DGKL", .options = options,
	.flags = DIAG_FABRIC, .rows = "finding", .option = option, .run = ibcheck_run,
	.state_bytes = sizeof(struct ibcheck), .init = state_init,
};
