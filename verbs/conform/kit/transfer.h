/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * transfer.h - messages from A to B over a pair, whole or with one thing wrong: what most cases
 * are rows of.
 * Room: verbs/conform/kit.
 */
#ifndef HEDDLE_VERBS_CONFORM_KIT_TRANSFER_H
#define HEDDLE_VERBS_CONFORM_KIT_TRANSFER_H

#include "verbs/conform/kit/kit.h"

/* Executes the row's 'transfer'.  Reports "sender STATUS", with "xN" for N equal ones in a row
 * and others after a comma; "receiver STATUS" for operations that consume a receive; differences
 * in opcode, wr_id, length, immediate data or payload; then, if the row asks for them, the
 * states, the events and the outcome of later requests. */
void transfer_run(struct kit *k, const struct conform_case *c);

/* The base transport header of a packet as a hook sees it; NULL: there is none. */
const uint8_t *kit_packet_bth(const uint8_t *packet, size_t bytes);

/* Statuses of many completions as words: "SUCCESS x16, WR_FLUSH_ERR". */
struct status_words {
	char text[160];
	int last;                       /* the status that repeats; -1: none yet */
	unsigned run;
};

void status_words_add(struct status_words *s, int status);
/* The text; "none" when no status was added. */
const char *status_words_end(struct status_words *s);

#endif
