/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * partitions.h - partitions.conf: who is a member of what, and which multicast groups partitions
 * bring along.
 * Room: conf.  Pure, but for partitions_read().
 * In: text in OpenSM's grammar (docs/partitions.md).  Out: partitions by P_Key, each with its rules
 * in the order of the file; who the rules mean is resolved where the fabric is known
 * (sm/plan/pkey.h).
 */
#ifndef HEDDLE_SM_CONF_PARTITIONS_H
#define HEDDLE_SM_CONF_PARTITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libmad/attr/codes.h"
#include "util/arena.h"

enum part_member { PART_LIMITED = 1, PART_FULL = 2, PART_BOTH = PART_LIMITED | PART_FULL };
enum part_who {
	PART_ALL, PART_ALL_CAS, PART_ALL_SWITCHES, PART_ALL_ROUTERS, PART_SELF, PART_GUIDS,
};

/* "Who is what": a later rule takes the place of an earlier one about the same port. */
struct part_rule {
	uint64_t first, last;           /* PART_GUIDS: port GUIDs first..last */
	uint8_t who;                    /* enum part_who */
	uint8_t member;                 /* enum part_member */
	bool indx0;                     /* those ports have this P_Key at index 0 */
};

/* A multicast group that exists from the start. */
struct part_group {
	uint8_t mgid[16];
	uint32_t qkey, flow_label;
	uint8_t mtu, rate, sl, tclass;  /* mtu, rate: codes */
};

struct partition {
	const char *name;               /* "" for none */
	uint16_t pkey;                  /* 1..0x7fff */
	uint8_t sl;
	bool ipoib;
	const struct part_rule *rules;
	uint32_t nrules;
	const struct part_group *groups;        /* no MGID twice */
	uint32_t ngroups;
};

struct partitions {
	/* where they come from; NULL: no file, everybody is a full member of Default */
	const char *file;
	const struct partition *v;      /* by P_Key, no P_Key twice; Default is always there */
	uint32_t n;
};

struct conf_error;

/* What holds without a file: everybody full in Default, and its IPoIB broadcast group.  Owned by
 * 'a'. */
const struct partitions *partitions_default(struct arena *a);
/*
 * Reads the 'len' bytes of 'text'; 'file' names them in messages.  Default begins with everybody
 * limited and the manager's own port full.  'qos' false: every service level is 0.  0 and '*out',
 * owned by 'a'; or -EINVAL, and 'e' has a line that says file, line, what was expected and what
 * came.  Warnings go to 'e' too.
 */
int partitions_parse(const char *file, const char *text, size_t len, bool qos, struct arena *a,
	const struct partitions **out, struct conf_error *e);
/* The same with the content of 'file'.  -ENOENT without a word when there is none; any other
 * failure has a line in 'e'. */
int partitions_read(const char *file, bool qos, struct arena *a, const struct partitions **out,
	struct conf_error *e);

#endif
