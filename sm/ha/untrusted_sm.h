/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * untrusted_sm.h - subnet managers that are not trusted: not in allowed_sm_guids, or with another
 * SM_Key.
 * Room: sm/ha.  Pure.
 *
 * Nothing is handed over to them, and they are listed with the reason until a round of questions
 * does not find them any more.
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
	bool seen;                      /* by the present round of questions */
};
struct untrusted_sms {
	struct untrusted_sm v[UNTRUSTED_SMS_MAX];
	unsigned n;
};

/* Managers are about to be asked who they are. */
void untrusted_sm_begin(struct untrusted_sms *u);
/*
 * One has answered: whether it takes part in the election.  One that is not trusted is listed, and
 * logged once.
 */
bool untrusted_sm_admit(struct untrusted_sms *u, const struct subnet *n, const struct ha *h,
	const struct sm_info *si);
/*
 * Before the election, with all 'n' answers in 'v': a manager that says it is master without our
 * SM_Key, and that the subnet of 's' does not obey, is listed and left out.  Returns how many
 * remain.
 */
unsigned untrusted_sm_drop_pretenders(struct untrusted_sms *u, const struct subnet *net,
	const struct ha *h, const struct snapshot *s, struct sm_info *v, unsigned n);
json_t *untrusted_sm_json(const struct untrusted_sms *u);

#endif
