/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * documents.c - the documents that are long: the snapshot, the paths of a port.
 * Room: sm/daemon.  In: what is served.  Out: JSON as sm/ctl/io.heddle.Manager.varlink says, as bytes.
 * Made by a job, on any thread: what it reads was served when it was asked for, and stays until it is made (steps.c).
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

struct document_job {
	struct manager_job job;         /* first */
	struct document_job *next;      /* of m->documents */
	bool made;
	struct manager_view v;
	struct sa_index *sa;            /* v.sa, ours; NULL: the snapshot is asked for */
	uint32_t source;
	uint16_t lid;
	manager_write_fn *write;
	struct manager_document d;
};

static void
document_run(struct manager_job *job)
{
	struct document_job *j = (struct document_job *)job;

	j->d.bytes = j->write(0, j->sa ? paths_json(&j->v, j->source, j->lid) : control_snapshot(&j->v), &j->d.len);
}

static void
document_drop(struct manager_job *job)
{
	struct document_job *j = (struct document_job *)job;

	free(j->sa);
	free(j->d.bytes);
	free(j);
}

/* Whose paths are asked for: 0, or as manager_paths(). */
static int
find_source(const struct manager_view *v, const char *from, uint32_t *source, uint16_t *lid, json_t **out)
{
	if (!v->s || !v->plan || !v->sa) {
		*out = json_pack("{s:s}", "reason", "nothing has been routed by this manager yet");
		return -EAGAIN;
	}
	*source = control_find_end(v, from, lid);
	if (*source != FAB_NONE)
		return 0;
	*out = json_pack("{s:s}", "what", from);
	return -ENOENT;
}

int
manager_paths(const struct manager *m, const char *from, json_t **out)
{
	struct manager_view v = control_view(m);
	uint16_t lid = 0;
	uint32_t source;
	int err = find_source(&v, from, &source, &lid, out);

	if (!err)
		*out = paths_json(&v, source, lid);
	return err;
}

int
manager_make_document(struct manager *m, const char *source, manager_write_fn *write, uint64_t ticket, json_t **out)
{
	struct document_job job = {
		.job = { .run = document_run, .drop = document_drop }, .v = control_view(m), .write = write, .d = { .ticket = ticket },
	}, *j;
	int err = source ? find_source(&job.v, source, &job.source, &job.lid, out) : job.v.s ? 0 : -EAGAIN;

	if (err == -EAGAIN && !source)
		*out = json_pack("{s:s}", "reason", "the first sweep has not ended");
	if (err < 0)
		return err;
	if (source)
		job.v.sa = job.sa = sa_index_borrow(m->sa);
	j = xmemdup(&job, sizeof(job));
	j->next = m->documents;
	m->documents = j;
	steps_hand_out(m, &j->job);
	return 0;
}

bool
documents_done(struct manager *m, const struct manager_job *j)
{
	for (struct document_job *i = m->documents; i; i = i->next)
		if (&i->job == j) {
			i->made = true;
			return true;
		}
	return false;
}

bool
documents_open(const struct manager *m)
{
	for (const struct document_job *i = m->documents; i; i = i->next)
		if (!i->made)
			return true;
	return false;
}

void
documents_forget(struct manager *m)
{
	for (struct document_job *j = m->documents, *next; j; j = next) {
		next = j->next;
		if (j->made)            /* else manager_job_done() drops it */
			document_drop(&j->job);
	}
	m->documents = NULL;
}

bool
manager_take_document(struct manager *m, struct manager_document *d)
{
	for (struct document_job **at = &m->documents; *at; at = &(*at)->next) {
		struct document_job *j = *at;

		if (!j->made)
			continue;
		*d = j->d;
		j->d.bytes = NULL;
		*at = j->next;
		document_drop(&j->job);
		return true;
	}
	return false;
}
