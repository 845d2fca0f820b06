/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check.h - the interface of the checks of ibcheck.
 * Room: diags/check.
 *
 * A check is a row (struct check) and a function that examines the fabric.  The function calls
 * check_find() for each finding, check_looked() for what it has examined, or check_skipped() if it
 * cannot run.  find.c collects the findings; report.c sorts and prints them after all checks have
 * run.  A check prints nothing and does not depend on another check.
 *
 * To add one: one file, its row as an extern below, its name in CHECKS and NCHECKS, a line in
 * diags/Makemodule.am, its codes in man/ibcheck.8.rst.
 */
#ifndef HEDDLE_DIAGS_CHECK_CHECK_H
#define HEDDLE_DIAGS_CHECK_CHECK_H

#include "diags/fabric/fabric.h"
#include "diags/fabric/suppress.h"
#include "diags/fabric/select.h"
#include "fabric/draw/levels.h"

enum check_severity { CHECK_INFO, CHECK_WARNING, CHECK_ERROR };
#define CHECK_SEVERITIES 3

enum check_flags {
	CHECK_REGISTERS = 1, /* needs attributes of devices, which topology files lack */
	CHECK_ASKS = 2,                 /* sends requests: of files, only captures can answer */
};

struct check_run;

struct check {
	const char *name;               /* for --only, --skip */
	const char *about;              /* in the summary and --list */
	unsigned wants;                 /* enum diag_fabric_wants */
	unsigned flags;                 /* enum check_flags */
	/* Called right after the sweep, to begin what takes time; may be NULL. */
	void (*begin)(struct check_run *c);
	void (*run)(struct check_run *c);
};

/* The checks, in the order in which they run and are shown. */
extern const struct check check_answers, check_identity, check_lids, check_sm, check_links,
	check_speeds, check_settings,
	check_routes, check_pkeys, check_multicast, check_firmware, check_golden, check_counters;
#define CHECKS { \
	&check_answers, &check_identity, &check_lids, &check_sm, &check_links, &check_speeds, &check_settings, &check_routes, \
	&check_pkeys, &check_multicast, &check_firmware, &check_golden, &check_counters }
#define NCHECKS 13

/* Options of the command line. */
struct check_options {
	const char *golden;             /* topology to compare with; NULL: none */
	const char *suppress;           /* file; NULL none */
	const char *thresholds;         /* file with events per hour; NULL: built-in values */
	const char *sm_guids;           /* "GUID,GUID" of allowed SMs; NULL: any */
	int64_t interval_us;            /* between the samples of the counters */
	unsigned most;                  /* maximum number of findings shown per code; 0: all */
	bool summary;                   /* no findings, only the table */
};

/* CHECK_NOT_ASKED: excluded by --only or --skip, or without its input. CHECK_SKIPPED: it could not
 * run. CHECK_PARTIAL: some data was missing. */
enum check_end { CHECK_DONE, CHECK_NOT_ASKED, CHECK_SKIPPED, CHECK_PARTIAL };

struct check_result {
	enum check_end end;
	unsigned count[CHECK_SEVERITIES], suppressed;
	char looked[96];                /* "48 links", or why it was skipped */
};

struct check_finding {
	const struct check *check;
	unsigned at;                    /* its place among the checks */
	enum check_severity severity;
	const char *code;
	char *object, *text;
	json_t *detail;
	uint32_t port[2];               /* both ends, FAB_NONE */
	uint64_t id;
};

struct counters_run;
struct check_run {
	struct diag *d;
	const struct check *const *checks; /* all NCHECKS */
	const struct check_options *opt;
	struct diag_fabric f;
	struct diag_fabric golden;      /* with --golden */
	struct selection *selection;
	struct suppress *suppress;
	struct levels levels;
	struct check_result result[NCHECKS];
	unsigned at;                    /* the check that runs */
	struct check_finding *findings;
	size_t nfindings;
	struct counters_run *counters;
};

/* ---- what checks call (find.c) ---- */

/* The subject of a finding: a link (a and b), a port, or a node (its port 0).  The id of the
 * finding is made from 'object', or from the ports if 'object' is NULL. */
struct check_about {
	const struct fab_port *a, *b;
	const char *object;
	json_t *value, *expected;       /* taken; NULL: none */
};
/* Reports a finding of the running check; 'code' must be static text.  The finding may be
 * suppressed, or excluded by --select. */
void check_find(struct check_run *c, enum check_severity s, const char *code,
	const struct check_about *about, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Sets what was examined, for the summary: "48 links". */
void check_looked(struct check_run *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The check could not run, or only in part (exit status 3); the text is the reason. */
void check_skipped(struct check_run *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void check_partial(struct check_run *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "leaf-0-0 port 3"; a node's port 0: "leaf-0-0". */
#define CHECK_NAME_BYTES (DIAG_NAME_BYTES + 16)
const char *check_name(const struct check_run *c, const struct fab_port *p,
	char buf[static CHECK_NAME_BYTES]);
/* Port 0 of a node: names the node as a whole. */
static inline const struct fab_port *
check_node(const struct check_run *c, const struct fab_node *n)
{
	return &c->f.s->ports[n->first_port];
}
/* Whether the check of a port makes sense: its PortInfo is known. */
static inline bool
check_known(const struct fab_port *p)
{
	return p->flags & FAB_PORT_INFO;
}
/* Returns the most frequent of 'n' values, the smallest one of several, and stores its number in
 * '*count' (may be NULL). Sorts 'v'. Returns 0 if n is 0. */
uint64_t check_majority(uint64_t *v, size_t n, size_t *count);
/* Iterates over all links whose ends both have PortInfo, each link once: 'i' is the lower port
 * index. */
#define CHECK_EACH_CABLE(c, i) \
	for (uint32_t i = 0; i < (c)->f.s->nports; i++) \
		if ((c)->f.s->ports[i].peer != FAB_NONE && i < (c)->f.s->ports[i].peer && \
			check_known(&(c)->f.s->ports[i]) && \
			check_known(&(c)->f.s->ports[(c)->f.s->ports[i].peer]))

/* Reads the file of thresholds, before any request is sent. Returns 0 or the exit status of a
 * reported failure. */
int check_counters_conf(struct check_run *c);
void check_counters_free(struct counters_run *r);       /* accepts NULL */

/* ---- output (report.c) ---- */
/* Sorts the findings and prints them with the summary, as text and as a document. */
void check_report(struct check_run *c, const struct check *const *checks);
/* Frees everything that the run owns. */
void check_run_clear(struct check_run *c);

#endif
