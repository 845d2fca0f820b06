/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * untrusted_sm.h - untrusted SMs: not in allowed_sm_guids, or with another SM_Key.
 * Room: sm/ha.  Pure.
 *
 * The subnet is never handed over to an untrusted SM.  Each is listed with the reason until it no
 * longer responds in a round of queries.
 */
#ifndef HEDDLE_SM_HA_UNTRUSTED_SM_H
#define HEDDLE_SM_HA_UNTRUSTED_SM_H

#include <jansson.h>
#include "sm/ha/ha.h"
#include "sm/subnet/subnet.h"

#define UNTRUSTED_SMS_MAX 64

struct untrusted_sm {
	struct sm_info info;
	const char *why;                /* static text */
	bool seen;                      /* it responded to the present round of queries */
};
struct untrusted_sms {
	struct untrusted_sm v[UNTRUSTED_SMS_MAX];
	unsigned n;
};

/* A round of queries begins: removes the SMs that did not respond to the last one. */
void untrusted_sm_begin(struct untrusted_sms *u);
/*
 * An SM has responded: whether it takes part in the election.  An untrusted SM is listed, and
 * logged once.
 */
bool untrusted_sm_admit(struct untrusted_sms *u, const struct subnet *n, const struct ha *h,
	const struct sm_info *si);
/*
 * Before the election, with all 'n' SMInfos in 'v': lists and removes an SM that reports state
 * MASTER without our SM_Key, unless most ports of 's' have it as their master.  Returns the number
 * that remains.
 */
unsigned untrusted_sm_drop_pretenders(struct untrusted_sms *u, const struct subnet *net,
	const struct ha *h, const struct snapshot *s, struct sm_info *v, unsigned n);
json_t *untrusted_sm_json(const struct untrusted_sms *u);

#endif
