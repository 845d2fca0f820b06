/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inform.h - who wants to be told of which notices.
 * Room: sm/sub.  Pure.  In: Set(InformInfo) with who asked, notices, ports that went away.
 * Out: the answer or a status; the subscriptions that a notice matches.  docs/sa.md: subscriptions.
 */
#ifndef HEDDLE_SM_SUB_INFORM_H
#define HEDDLE_SM_SUB_INFORM_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"

#define INFORM_MAX 524288u              /* subscriptions of all ports */
/* of one that is not trusted: less than an eighth of them */
#define INFORM_PER_PORT_MAX 64

struct inform_sub {
	uint32_t id;                    /* never used again */
	uint16_t number;                /* among those of its port: SubscriberEnum */
	uint64_t port_guid;
	struct dgram_addr addr;         /* where reports go */
	struct inform_info info;        /* QPN: the subscriber's */
	bool trusted;
};

struct inform;
struct inform *inform_new(void);
void inform_free(struct inform *t);             /* NULL is fine */

struct inform_request {
	struct inform_info want;
	uint64_t port_guid;             /* of who asks */
	struct dgram_addr addr;
	bool trusted;
};
/* Subscribes, or ends a subscription.  STATUS_OK: '*got' is the answer; else nothing happened. */
uint16_t inform_set(struct inform *t, const struct inform_request *a, struct inform_info *got);
void inform_drop(struct inform *t, uint32_t id);
/* All of those ports, sorted by GUID; in one go, as thousands may leave at once. */
void inform_drop_ports(struct inform *t, const uint64_t *port_guids, uint32_t n);

/* In the order they came. */
uint32_t inform_count(const struct inform *t);
const struct inform_sub *inform_at(const struct inform *t, uint32_t i);
const struct inform_sub *inform_by_id(const struct inform *t, uint32_t id);
/* Whether that notice is what the subscription asks for.  Security notices are for the trusted
 * only. */
bool inform_matches(const struct inform_sub *s, const struct sa_notice *n);

#endif
