/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * transfer.h - messages from A to B over a pair, correct or with one thing wrong.
 * Room: verbs/conform/kit.
 *
 * Most cases are a row of parameters for transfer_run(): transport, operation, size, and what is
 * wrong (enum breakage in case.h).  The function makes the pair, posts the requests, waits for the
 * completions and reports what happened in words; the runner compares the words with the row's
 * expected outcome.  Cases that need other steps are functions of their own, written with kit.h.
 */
#ifndef HEDDLE_VERBS_CONFORM_KIT_TRANSFER_H
#define HEDDLE_VERBS_CONFORM_KIT_TRANSFER_H

#include "verbs/conform/kit/kit.h"

/* Executes the row's 'transfer'.  Reports "sender STATUS", with "xN" for N equal ones in a row
 * and others after a comma; "receiver STATUS" for operations that consume a receive; differences
 * in opcode, wr_id, length, immediate data or payload; then, if the row asks for them, the
 * states, the events and the outcome of later requests. */
void transfer_run(struct kit *k, const struct conform_case *c);

/* Returns the base transport header within a packet that a hook was given; NULL: there is none. */
const uint8_t *kit_packet_bth(const uint8_t *packet, size_t bytes);

/* Statuses of many completions as words: "SUCCESS x16, WR_FLUSH_ERR". */
struct status_words {
	char text[160];
	int last;                       /* the status that repeats; -1: none yet */
	unsigned run;
};

/* Adds a status; equal ones in a row are counted. */
void status_words_add(struct status_words *s, int status);
/* Ends the text and returns it, owned by 's'; "none" if no status was added. */
const char *status_words_end(struct status_words *s);

#endif
