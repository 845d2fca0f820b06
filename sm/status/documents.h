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
	/* all jobs: handed out, or ended and waiting for documents_take() */
	struct document_job *jobs;
	struct path_cache paths;
};

enum document_kind { DOCUMENT_SNAPSHOT, DOCUMENT_IMAGES, DOCUMENT_PATHS };

/* Converts a document, or an error, to allocated bytes; called on the job's thread. */
typedef char *document_write_fn(int err, json_t *document, size_t *len);
struct document_request {
	enum document_kind kind;
	uint16_t first;                 /* DOCUMENT_PATHS: lowest LID of the first source */
	document_write_fn *write;
	uint64_t ticket;                /* identifies the request in documents_take() */
};
/* Hands out a job that makes the document. Returns 0, and documents_take() returns the document
 * later, or a negative errno with the reason in '*out', which the caller owns. */
int documents_make(struct documents *d, struct subnet *n, const struct sweep *w,
	const struct document_request *r, json_t **out);
/* Makes a paths document at once. Returns 0 with the document, or -EAGAIN with the reason, in
 * '*out', which the caller owns. */
int documents_paths(struct documents *d, const struct subnet *n, const struct sweep *w,
	uint16_t first, json_t **out);

struct document {
	uint64_t ticket;                /* of the request */
	char *bytes;                    /* owned by the caller */
	size_t len;
};
/* Takes a document that is made; returns false if there is none. */
bool documents_take(struct documents *d, struct document *out);
/* Records that job 'j' has run. Returns true if it was a document job, which this module
 * then owns. */
bool documents_on_job_end(struct documents *d, const struct served *v, const struct job *j);
/* Reports whether a job is still making a document; the served data must not change meanwhile. */
bool documents_are_open(const struct documents *d);
/* Frees the documents that are made; the owner of the jobs drops the others. */
void documents_free(struct documents *d);

#endif
