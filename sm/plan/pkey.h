/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey.h - the default partition: 0xffff for everybody.
 * Room: sm/plan.  Pure.  Partitions proper come with their configuration file.
 */
#ifndef HEDDLE_SM_PLAN_PKEY_H
#define HEDDLE_SM_PLAN_PKEY_H

#include "fabric/snapshot.h"

#define PKEY_DEFAULT_FULL 0xffff
#define PKEY_DEFAULT_LIMITED 0x7fff

/*
 * The wanted block 0 of an end port's P_Key table into 'want' (PKEY_TABLE_BYTES).  The default partition is full at index 0;
 * every other key stays at its index, the limited default key too where the device already has it (never twice).
 * A foreign key found at index 0 moves to the first free index, since queue pairs of the default partition refer to index 0.
 * False: there is nothing to plan (not an end port, the block was not received, PartitionCap 0).
 */
bool plan_pkeys(const struct snapshot *s, uint32_t port, uint8_t want[static PKEY_TABLE_BYTES]);

#endif
