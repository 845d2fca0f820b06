/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * documents.c - makes long documents by jobs.
 * Room: sm/status. In: the served data. Out: JSON as in sm/ctl/io.heddle.Manager.varlink, as bytes.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "fabric/snapshot/snapshot_json.h"
#include "sm/status/documents.h"
#include "sm/status/snapshot_doc.h"
#include "util/xalloc.h"

/* Maximum number of documents being made. A job continues even if its client disconnects. */
#define DOCUMENTS_MAX 32

struct document_job {
	struct job job;                 /* must be first: the job is converted to this structure */
	struct document_job *next;      /* of documents.jobs */
	bool made;
	struct served_view v;
	struct document_request request;
	struct path_cache paths;        /* DOCUMENT_PATHS */
	bool more;                      /* the client will request more paths */
	struct document d;
};

static json_t *
make_document(struct document_job *j)
{
	switch (j->request.kind) {
	case DOCUMENT_SNAPSHOT:
		break;
	case DOCUMENT_IMAGES:
		return snapshot_to_json(j->v.s);
	case DOCUMENT_PATHS:
		return paths_json(&j->v, &j->paths, j->request.first, &j->more);
	}
	return snapshot_doc_json(&j->v);
}

static void
document_run(struct job *job)
{
	struct document_job *j = (struct document_job *)job;

	j->d.bytes = j->request.write(0, make_document(j), &j->d.len);
}

static void
document_drop(struct job *job)
{
	struct document_job *j = (struct document_job *)job;

	path_cache_clear(&j->paths);
	free(j->d.bytes);
	free(j);
}

static unsigned
count_open(const struct documents *d)
{
	unsigned n = 0;

	for (const struct document_job *i = d->jobs; i; i = i->next)
		n += !i->made;
	return n;
}

/* Reports whether the data for an answer exists: 0, or -EAGAIN with the reason. */
static int
check_ready(const struct served_view *v, bool paths, json_t **out)
{
	if (paths ? v->s && v->plan && v->sa : v->s != NULL)
		return 0;
	*out = json_pack("{s:s}", "reason",
		paths ? "nothing has been routed by this manager yet" :
			"the first sweep has not ended");
	return -EAGAIN;
}

int
documents_paths(struct documents *d, const struct subnet *n, const struct sweep *w, uint16_t first,
	json_t **out)
{
	struct served_view v = status_served_view(n, w);
	int err = check_ready(&v, true, out);
	struct path_cache c;
	bool more;

	if (err < 0)
		return err;
	c = path_cache_take(&d->paths, &n->served);
	*out = paths_json(&v, &c, first, &more);
	path_cache_clear(&c);
	return 0;
}

int
documents_make(struct documents *d, struct subnet *n, const struct sweep *w,
	const struct document_request *r, json_t **out)
{
	struct document_job job = {
		.job = { .run = document_run, .drop = document_drop }, .v = status_served_view(n, w), .request = *r,
		.d = { .ticket = r->ticket },
	}, *j;
	int err = check_ready(&job.v, r->kind == DOCUMENT_PATHS, out);

	if (err < 0)
		return err;
	if (count_open(d) >= DOCUMENTS_MAX) {
		*out = json_pack("{s:s}", "reason", "too many documents are being made");
		return -EAGAIN;
	}
	if (r->kind == DOCUMENT_PATHS) {
		job.paths = path_cache_take(&d->paths, &n->served);
		job.v.sa = job.paths.sa;
	}
	j = xmemdup(&job, sizeof(job));
	j->next = d->jobs;
	d->jobs = j;
	subnet_hand_out(n, &j->job);
	return 0;
}

bool
documents_on_job_end(struct documents *d, const struct served *v, const struct job *j)
{
	for (struct document_job *i = d->jobs; i; i = i->next)
		if (&i->job == j) {
			i->made = true;
			if (i->more)
				path_cache_put(&d->paths, v, &i->paths);
			return true;
		}
	return false;
}

bool
documents_are_open(const struct documents *d)
{
	return count_open(d) > 0;
}

void
documents_free(struct documents *d)
{
	for (struct document_job *j = d->jobs, *next; j; j = next) {
		next = j->next;
		if (j->made)            /* otherwise the owner of the jobs drops it */
			document_drop(&j->job);
	}
	d->jobs = NULL;
	path_cache_clear(&d->paths);
}

bool
documents_take(struct documents *d, struct document *out)
{
	for (struct document_job **at = &d->jobs; *at; at = &(*at)->next) {
		struct document_job *j = *at;

		if (!j->made)
			continue;
		*out = j->d;
		j->d.bytes = NULL;
		*at = j->next;
		document_drop(&j->job);
		return true;
	}
	return false;
}
