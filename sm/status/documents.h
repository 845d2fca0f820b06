/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * documents.h - long documents: the snapshot, the paths of ports.
 * Room: sm/status.  Pure.
 *
 * A job makes them, on any thread.  The data that was served at the time of the request remains
 * valid and unchanged until the document is made.
 */
#ifndef HEDDLE_SM_STATUS_DOCUMENTS_H
#define HEDDLE_SM_STATUS_DOCUMENTS_H

#include "sm/status/paths.h"

struct document_job;

struct documents {
	struct document_job *jobs;      /* handed out; those that are made wait to be taken */
	struct path_cache paths;
};

enum document_kind { DOCUMENT_SNAPSHOT, DOCUMENT_IMAGES, DOCUMENT_PATHS };

/* Turns an error or a document into bytes, on the job's thread. */
typedef char *document_write_fn(int err, json_t *document, size_t *len);
struct document_request {
	enum document_kind kind;
	uint16_t first;                 /* DOCUMENT_PATHS: the first source */
	document_write_fn *write;
	uint64_t ticket;                /* that it is taken with */
};
/* 0: documents_take() brings it; a negative errno, and '*out' says why. */
int documents_make(struct documents *d, struct subnet *n, const struct sweep *w,
	const struct document_request *r, json_t **out);
/* Paths at once: 0, or -EAGAIN with '*out' saying why. */
int documents_paths(struct documents *d, const struct subnet *n, const struct sweep *w,
	uint16_t first, json_t **out);

struct document {
	uint64_t ticket;                /* that it was asked for with */
	char *bytes;                    /* the caller's */
	size_t len;
};
bool documents_take(struct documents *d, struct document *out);
/* 'j' was run.  True: it was one of ours. */
bool documents_on_job_end(struct documents *d, const struct served *v, const struct job *j);
/* Whether one is being made: then nothing of what is served may change. */
bool documents_are_open(const struct documents *d);
void documents_free(struct documents *d);

#endif
