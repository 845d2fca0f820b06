/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trace.h - the route from one LID to another, as the forwarding tables define it.
 * Room: diags/tools. Used by ibtracert, and by part.c.
 *
 * A trace is computed from facts (facts.h): it follows the table entries from the source, hop by
 * hop, until it arrives, or until a fact is not known yet. Then it ends as TRACE_WAITING; the
 * caller calls facts_fetch() and traces again from the start. Many traces can share one 'struct
 * facts' and are then advanced together, round by round.
 *
 * The source is not the own port, in general: trace_source() first follows the tables from the own
 * port to the source, and trace_on() continues from there to the destination.
 */
#ifndef HEDDLE_DIAGS_TOOLS_TRACE_H
#define HEDDLE_DIAGS_TOOLS_TRACE_H

#include "diags/tools/facts.h"

#define TRACE_HOPS_MAX 63

enum trace_end {
	TRACE_WAITING,                  /* facts are queued: call facts_fetch() and trace again */
	TRACE_FOUND,
	TRACE_UNANSWERED,               /* 'missing' has no answer */
	TRACE_BROKEN,                   /* the tables do not lead to the destination */
};

struct trace_step {
	const struct place *at;
	/* output port of the step before, input port of this one; the first step: 0 and its own
	 * port */
	uint8_t out, in;
};

struct trace {
	enum trace_end end;
	unsigned nsteps;
	struct trace_step step[TRACE_HOPS_MAX + 2];
	const struct fact *missing;
	const char *code;               /* TRACE_BROKEN: the code of the finding */
	char why[200];                  /* TRACE_BROKEN, TRACE_UNANSWERED: a message */
};

/* Options of a trace. */
struct trace_conf {
	uint16_t mlid;                  /* multicast LID whose tree is followed; 0: unicast */
	bool force;                     /* continue although the destination does not answer */
	bool names;                     /* read the node description of each step */
};

/* Traces from the own port to the port that has 'lid', by the unicast tables; the result is the
 * source of trace_on(). */
void trace_source(struct facts *k, const struct trace_conf *c, uint16_t lid, struct trace *t);
/* Traces from the last step of 'source' to 'lid', by the unicast tables or the MFTs. */
void trace_on(struct facts *k, const struct trace_conf *c, const struct trace *source, uint16_t lid,
	struct trace *t);

#endif
