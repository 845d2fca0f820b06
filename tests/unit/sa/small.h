/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * small.h - a small fixed fabric for tests of subnet administration, and requests made byte by byte.
 *
 *   one 1 -- 1 alpha 3 -- 3 beta 1 -- 2 two      GUIDs: alpha 0x10, beta 0x20, one 0x100, two 0x200, three 0x300;
 *               2   4 -- 4   2                     ports of hosts: GUID + port number
 *               |            |                     LIDs: alpha 1, beta 2, one 3, three 4 and 5, two 8..11 (LMC 2)
 *               1 -- three - 2
 *
 * Cable alpha 3 - beta 3 is 4X HDR (rate 17) with MTU 2048 (4); alpha 4 - beta 4 is 4X EDR (rate 16), MTU 4096 (5);
 * all others are 4X HDR, MTU 4096; port 0 of both switches is 4X DDR (rate 6), of beta with MTU 1024 (3).
 * From alpha, LIDs 9 and 11 go by the fourth cable, the others by the third; from beta, LID 4 goes by the fourth.
 */
#ifndef HEDDLE_TESTS_UNIT_SA_SMALL_H
#define HEDDLE_TESTS_UNIT_SA_SMALL_H

#include "tests/unit/test.h"
#include "fabric/topo/topo.h"
#include "sm/sa/sa.h"

enum { LID_ALPHA = 1, LID_BETA = 2, LID_ONE = 3, LID_THREE_1 = 4, LID_THREE_2 = 5, LID_TWO = 8 };
#define SMALL_KEY UINT64_C(0x1122334455667788)

struct small {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables fwd;
	struct sm_info sms[2];
	struct sa_view v;
	struct sa_writable w;
	struct sa_index *x;
	struct sa_stats stats;
	struct dgram req;
	struct dgram answer;            /* the last */
	uint8_t *out;                   /* its bytes */
	uint32_t bytes;                 /* 0: silence */
	uint32_t alpha, beta, one, two, three1, three2; /* port indices */
};

int small_setup(void **state);
int small_teardown(void **state);
/* Makes the index anew after the view, images or tables were changed. */
void small_index(struct small *b);
/* To be called after tables were altered under an index: in the daemon there would be a new one. */
void small_forget(struct small *b);
/* Gives 'port' a P_Key table of its own. */
void small_pkeys(struct small *b, uint32_t port, uint16_t first, uint16_t second);

/* Begins a request from LID 'from'. */
void small_ask(struct small *b, uint16_t from, uint8_t method, uint16_t attr);
/* Sets mask bit 'bit' and writes 'bytes' bytes of 'value' at byte 'at' of the record. */
void small_where(struct small *b, unsigned bit, unsigned at, unsigned bytes, uint64_t value);
/* Sends it; nothing is said of what comes back. */
void small_answer(struct small *b);
/* Before an answer is put into b->answer, and after it was ('some': there is one). */
void small_drop(struct small *b);
void small_keep(struct small *b, bool some);
/* Sends it: the status of the answer. */
unsigned small_send(struct small *b);
/* A GetTable that must be answered with status 0 and a right RMPP header: the number of rows. */
unsigned small_rows(struct small *b);
/* Byte 'at' of row 'row' on, big-endian. */
uint64_t small_at(const struct small *b, unsigned row, unsigned at, unsigned bytes);
/* The one row of a Get. */
uint64_t small_got(const struct small *b, unsigned at, unsigned bytes);

#endif
