/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine_int.h - the engine, for its own files.
 * Room: diags/ask.  Only engine*.c include it.
 *
 * engine.c       the loop that sends requests and takes in answers, many at once
 * engine_ask.c   a request becomes a transaction, its end a reply
 * engine_open.c  the port, and how patient the engine is
 * debug.c        what -d shows
 */
#ifndef HEDDLE_DIAGS_ASK_ENGINE_INT_H
#define HEDDLE_DIAGS_ASK_ENGINE_INT_H

#include "diags/ask/engine.h"
#include "diags/core/tool.h"

struct engine_target;

/* The state of the room; core allocates it, zeroed, and the first request opens it. */
struct engine {
	struct io *io; /* NULL: not open */
	struct io_port port;
	struct txn *txn;
	struct engine_target *targets; /* hash */
	uint32_t ntargets;
	bool classes[256];
	uint64_t pending;
	bool debug;         /* -d */
	bool answers;       /* --load named a file that has answers too */
	bool reported_interrupted;
	uint32_t combined;  /* requests that combined.c has sent */
	int64_t since_us;   /* when it was opened */
};

static inline struct engine *
engine_of(const struct diag *d)
{
	return diag_asking_state(d);
}

/* Ends a request of diag_submit(): reports it, calls its callback, frees it. */
void engine_finish(struct diag *d, const struct txn_end *e);
void engine_targets_free(struct engine *e);

/* Reports whether the file of --load has answers. */
bool engine_has_answers(const struct diag *d);

/* ---- for asking.c ---- */

/* Closes the port and frees everything that the engine owns. */
void engine_close(struct diag *d);
json_t *engine_json_mads(const struct diag *d);
json_t *engine_json_local(const struct diag *d);

#endif
