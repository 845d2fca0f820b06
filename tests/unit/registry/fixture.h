/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fixture.h - a registry without a manager: a small tree that is served, hardware that answers.
 */
#ifndef HEDDLE_TESTS_UNIT_REGISTRY_FIXTURE_H
#define HEDDLE_TESTS_UNIT_REGISTRY_FIXTURE_H

#include "sm/conf/conf.h"
#include "sm/registry/aliases.h"
#include "sm/registry/grace.h"
#include "sm/registry/groups.h"
#include "tests/unit/diff/bed.h"

#define FIXTURE_HOSTS 8

struct fixture {
	struct bed bed;                 /* fattree:k=4,levels=3; its plan is served */
	uint32_t host[FIXTURE_HOSTS];   /* port indices, the SM's first */
	struct conf *conf;
	enum ha_state role;
	struct log log;
	char said[512];                 /* the last line of the log */
	struct subnet net;
	struct registry reg;
	struct sa_stats stats;
	unsigned sets;                  /* that the hardware got */
	uint16_t status;                /* of its answers to Sets */
};

/* Everything as after the first sweep of a master; nobody has registered. */
void fixture_make(struct fixture *f);
void fixture_clear(struct fixture *f);
uint64_t fixture_guid(const struct fixture *f, unsigned host);
uint16_t fixture_lid(const struct fixture *f, unsigned host);
/* The switch that a host is cabled to, by its ordinal. */
uint32_t fixture_leaf(const struct fixture *f, unsigned host);
/* Gives the plan multicast trees and tables, as a sweep does. */
void fixture_plan(struct fixture *f, struct plan *plan);
/*
 * Pumps the registry; answers its Sets until none is left.  'answer' false: they stay unanswered.
 */
void fixture_run(struct fixture *f, struct registry_sweep sweep, bool answer);
/* The next answer of the SA that was sent: its status; -1: none. */
int fixture_answer(struct fixture *f);
/* Host 'h' joins as a full member, with the answer held; '*mlid' is that of the group. */
void fixture_join(struct fixture *f, unsigned h, const uint8_t mgid[static 16], uint16_t *mlid);
/* The same for a GUID of host 'h', for example an alias. */
void fixture_join_as(struct fixture *f, unsigned h, uint64_t guid, const uint8_t mgid[static 16],
	uint16_t *mlid);
/* A host subscribes to all generic notices. */
void fixture_subscribe(struct fixture *f, unsigned host);

#endif
