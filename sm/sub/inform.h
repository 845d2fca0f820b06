/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inform.h - subscriptions to notices.
 * Room: sm/sub.  Pure.  In: Set(InformInfo) and its requester, notices, ports that have left.
 * Out: the answer or a status; the subscriptions that a notice matches.  docs/sa.md: subscriptions.
 *
 * A subscription belongs to a port and an address to which reports go.  It ends when the host ends
 * it or when the port leaves.  reports.h queues the reports, sm/notify makes and sends them.
 */
#ifndef HEDDLE_SM_SUB_INFORM_H
#define HEDDLE_SM_SUB_INFORM_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"

#define INFORM_MAX 524288u              /* of all ports */
/* per untrusted port: less than an eighth of INFORM_MAX */
#define INFORM_PER_PORT_MAX 64

struct inform_sub {
	uint32_t id;                    /* never reused */
	uint16_t number;                /* number within its port: SubscriberEnum */
	uint64_t port_guid;
	struct dgram_addr addr;         /* destination of reports */
	struct inform_info info;        /* QPN: that of the subscriber */
	bool trusted;
};

struct inform;
struct inform *inform_new(void);
void inform_free(struct inform *t);             /* 't' may be NULL */

struct inform_request {
	struct inform_info want;
	uint64_t port_guid;             /* of the requester */
	struct dgram_addr addr;
	bool trusted;
};
/* Adds or ends a subscription.  STATUS_OK: '*got' is the answer.  Any other status: nothing
 * changed. */
uint16_t inform_set(struct inform *t, const struct inform_request *a, struct inform_info *got);
void inform_drop(struct inform *t, uint32_t id);
/* Ends all subscriptions of those ports, sorted by GUID.  Takes many at once, because thousands
 * of ports may leave together. */
void inform_drop_ports(struct inform *t, const uint64_t *port_guids, uint32_t n);

/* Subscriptions in order of arrival. */
uint32_t inform_count(const struct inform *t);
const struct inform_sub *inform_at(const struct inform *t, uint32_t i);
const struct inform_sub *inform_by_id(const struct inform *t, uint32_t id);
/* Whether the notice matches the subscription.  Only trusted subscribers get security notices. */
bool inform_matches(const struct inform_sub *s, const struct sa_notice *n);

#endif
