/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine_int.h - the engine as its files share it.
 * Room: diags.  Only engine*.c include it.
 *
 * engine.c       the loop that sends questions and takes in answers, many at once
 * engine_ask.c   a question becomes a request, an end becomes an answer
 * engine_open.c  the port, and how patient the engine is
 * debug.c        what -d shows
 */
#ifndef HEDDLE_DIAGS_COMMON_ENGINE_INT_H
#define HEDDLE_DIAGS_COMMON_ENGINE_INT_H

#include "diags/common/diag_int.h"

struct engine_target;

struct engine {
	struct io *io;
	struct io_port port;
	struct txn *txn;
	struct engine_target *targets;  /* hash */
	uint32_t ntargets;
	bool classes[256];
	uint64_t pending;
	bool debug;                     /* -d */
	int64_t since_us;               /* when it was opened */
};

/* An end of one of diag_submit()'s questions: reported, handed to whoever asked, forgotten. */
void engine_finish(struct diag *d, const struct txn_end *e);
void engine_targets_free(struct engine *e);
/* A line on stderr: 'what' was done with 'g', 'us' after the engine was opened. */
void debug_dgram(const char *what, const struct dgram *g, int64_t us);

#endif
