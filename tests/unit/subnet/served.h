/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * served.h - a struct subnet without a manager, for the tests of the rooms below sm/manager.
 *
 * It serves the snapshot of a generated topology as a master does after its first sweep: LIDs are planned and shown by all
 * ports, which are ACTIVE.  Forwarding tables are empty.  Tests take requests from txn, answer them as an agent would, and hand the
 * ends to the room under test.  Jobs wait until served_run_jobs() runs them.
 */
#ifndef HEDDLE_TESTS_UNIT_SUBNET_SERVED_H
#define HEDDLE_TESTS_UNIT_SUBNET_SERVED_H

#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/subnet/subnet.h"

struct served_bed {
	struct snapshot *s;             /* net.served.s; the SM's port is of the first host */
	struct plan plan;               /* net.served.plan */
	struct conf *conf;
	enum ha_state role;
	struct log log;
	char said[512];                 /* the last line of the log: "room: text" */
	unsigned lines;                 /* of the log, so far */
	struct job *jobs;               /* handed out, not run; the oldest first */
	struct subnet net;
};

void served_make(struct served_bed *b, const char *spec);
void served_clear(struct served_bed *b);
/* The linked end port of the n-th host; 0 is the SM's. */
uint32_t served_host(const struct served_bed *b, unsigned n);
struct port_info served_info(const struct served_bed *b, uint32_t port);
void served_set_info(struct served_bed *b, uint32_t port, struct port_info info);
void served_pass(struct served_bed *b, int64_t us);
/* Runs the jobs in their order and drops them.  Their number. */
unsigned served_run_jobs(struct served_bed *b);
/* The next request that txn sends now. */
bool served_next(struct served_bed *b, struct dgram *d);
/* Answers a request with its own data, which the test may have changed. */
void served_answer(struct served_bed *b, struct dgram *d, uint16_t status);
/* Answers a Get of PortInfo, SwitchInfo or NodeDescription with 'image'. */
void served_answer_image(struct served_bed *b, struct dgram *d, const void *image, size_t bytes);
/* The next end of a transaction, which must be of that owner; its cookie is the owner's own. */
bool served_take_end(struct served_bed *b, enum owner owner, struct txn_end *e);

#endif
