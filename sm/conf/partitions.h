/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * partitions.h - partitions.conf: the members of each partition, and the multicast groups that
 * exist from the start.
 * Room: conf.  Pure, except partitions_read().
 * In: text in OpenSM's grammar (docs/partitions.md).  Out: partitions by P_Key, each with its rules
 * in file order.
 *
 * A rule names ports by GUID or by kind ("all switches").  This room only parses: sm/plan/pkey.h
 * applies the rules to the ports of a snapshot.  Default always exists, whether the file names it
 * or not.
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

/* One membership rule.  A later rule replaces an earlier one for the same port. */
struct part_rule {
	uint64_t first, last;           /* PART_GUIDS: port GUIDs first..last */
	uint8_t who;                    /* enum part_who */
	uint8_t member;                 /* enum part_member */
	bool indx0;                     /* those ports have this P_Key at index 0 */
};

/* A multicast group that the manager creates at start. */
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
	const struct part_group *groups;        /* each MGID once */
	uint32_t ngroups;
};

struct partitions {
	/* the file that was read; NULL: no file, and every port is a full member of Default */
	const char *file;
	/* sorted by P_Key, each P_Key once; Default is always present */
	const struct partition *v;
	uint32_t n;
};

struct conf_error;

/* The partitions without a file: every port is a full member of Default, and Default has its
 * IPoIB broadcast group.  Owned by 'a'. */
const struct partitions *partitions_default(struct arena *a);
/*
 * Parses the 'len' bytes of 'text'; 'file' names them in messages.  Default begins with all ports
 * as limited members and the manager's own port as a full member.  If 'qos' is false, every service
 * level is 0.  Returns 0 and '*out', owned by 'a'; or -EINVAL with a line in 'e' that names file,
 * line, what was expected and what was found.  Warnings go to 'e' too.
 */
int partitions_parse(const char *file, const char *text, size_t len, bool qos, struct arena *a,
	const struct partitions **out, struct conf_error *e);
/* Reads and parses 'file'.  Returns -ENOENT without a message when it does not exist; any other
 * failure has a line in 'e'. */
int partitions_read(const char *file, bool qos, struct arena *a, const struct partitions **out,
	struct conf_error *e);

#endif
