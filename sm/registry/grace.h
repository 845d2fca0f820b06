/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * grace.h - multicast after a takeover: a new master keeps the existing trees until hosts had time
 * to register again.
 * Room: sm/registry.  Pure.
 *
 * A manager that begins to lead knows no members, because hosts registered with the master
 * before.  It reads the multicast tables and plans what they show like registered members
 * (sm/plan/inherited.h).  No MLID in use goes to another group until 'mcast_grace' after the sweep
 * that asked all hosts to register again.  Then trees shrink to the members that did.
 * docs/sa.md: takeover.
 */
#ifndef HEDDLE_SM_REGISTRY_GRACE_H
#define HEDDLE_SM_REGISTRY_GRACE_H

#include "fabric/read/mft_read.h"
#include "sm/plan/inherited.h"
#include "sm/registry/registry.h"

/* Clears what was inherited. */
void grace_reset(struct registry *reg);
void grace_free(struct registry *reg);
/*
 * A reader of the multicast tables of 'fresh' that a new master must know before it plans; the
 * caller frees it.  NULL: nothing has to be read.
 */
struct mft_reader *grace_reader(
	const struct registry *reg, const struct subnet *net, const struct snapshot *fresh);
/*
 * Takes what the reader found (NULL: nothing was read): drops all groups and reserves the MLIDs in
 * use.
 */
void grace_found(struct registry *reg, const struct subnet *net, const struct snapshot *fresh,
	const struct mft_reader *r);
/* 'fresh' is about to be planned. */
void grace_look(struct registry *reg, const struct snapshot *fresh);
/* Hosts were asked to register again: the grace time begins. */
void grace_begin(struct registry *reg, const struct subnet *net);
/* Releases what is inherited when the grace time is over. */
void grace_pump(struct registry *reg, const struct subnet *net);
/* When the grace time ends; false: it is not running. */
bool grace_deadline(const struct registry *reg, const struct subnet *net, struct monotime *at);
/* Members that have not registered; NULL: none. */
struct inherited *grace_inherited(const struct registry *reg);
/*
 * The port with that GUID, its own or an alias, has registered, or may not be a member: ends its
 * inherited membership.
 */
void grace_release(struct registry *reg, const struct snapshot *s, uint16_t mlid, uint64_t guid);

#endif
