/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * transfer.h - messages from A to B over a pair, whole or with one thing broken: what most cases
 * are rows of.
 * Room: verbs/conform/kit.
 */
#ifndef HEDDLE_VERBS_CONFORM_KIT_TRANSFER_H
#define HEDDLE_VERBS_CONFORM_KIT_TRANSFER_H

#include "verbs/conform/kit/kit.h"

/*
 * Does what the row's 'transfer' says.  Words: "sender STATUS", with "xN" behind it for N in a
 * row and others after a comma; "receiver STATUS" for operations that consume a receive;
 * whatever differs in opcode, wr_id, length, immediate or data; then as the row asks: the
 * states, the events, what came after.
 */
void transfer_run(struct kit *k, const struct conform_case *c);

/* Packets of the port of 'e' as a hook sees them: where the base transport header is. */
const uint8_t *packet_bth(const uint8_t *packet, size_t bytes);

/* Statuses of many completions as words: "SUCCESS x16, WR_FLUSH_ERR". */
struct status_words {
	char text[160];
	int last;                       /* the status that repeats, -1: none yet */
	unsigned run;
};

void status_words_add(struct status_words *s, int status);
/* The text; "none" when nothing was added. */
const char *status_words_end(struct status_words *s);

#endif
