/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trace.h - the way from one LID to another, as the forwarding tables have it.
 * Room: diags/tools.  Of ibtracert.
 */
#ifndef HEDDLE_DIAGS_TOOLS_TRACE_H
#define HEDDLE_DIAGS_TOOLS_TRACE_H

#include "diags/tools/facts.h"

#define TRACE_HOPS_MAX 63

enum trace_end {
	TRACE_WAITING,                  /* facts are wanted: facts_fetch(), then again */
	TRACE_FOUND,
	TRACE_UNANSWERED,               /* 'missing' was not answered */
	TRACE_BROKEN,                   /* the tables do not lead there */
};

struct trace_step {
	const struct place *at;
	uint8_t out, in; /* left the step before by, entered by; the first step: its own port */
};

struct trace {
	enum trace_end end;
	unsigned nsteps;
	struct trace_step step[TRACE_HOPS_MAX + 2];
	const struct fact *missing;
	const char *code;               /* TRACE_BROKEN: a stable word */
	char why[200];                  /* TRACE_BROKEN, TRACE_UNANSWERED: a sentence */
};

/* What steers a trace. */
struct trace_conf {
	uint16_t mlid;                  /* 0: unicast */
	bool force;                     /* go on when the destination does not answer */
	bool names;                     /* descriptions of the steps are wanted */
};

/* From our own port to the place that has 'lid', by the unicast tables: where a trace starts. */
void trace_source(struct facts *k, const struct trace_conf *c, uint16_t lid, struct trace *t);
/* From the last step of 'source' to 'lid'. */
void trace_on(struct facts *k, const struct trace_conf *c, const struct trace *source, uint16_t lid,
	struct trace *t);

#endif
