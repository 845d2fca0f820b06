/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * documents.c - the documents that are long: the snapshot, the paths of ports.
 * Room: sm/daemon.  In: what is served.  Out: JSON as sm/ctl/io.heddle.Manager.varlink says, as bytes.
 * Made by a job, on any thread: what it reads was served when it was asked for, and stays until it is made (steps.c).
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "fabric/snapshot/snapshot_json.h"
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

#define DOCUMENTS_MAX 32                /* being made at a time: who asks and goes away leaves the work behind */

struct document_job {
	struct job job;         /* first */
	struct document_job *next;      /* of m->documents */
	bool made;
	struct manager_view v;
	uint16_t first;                 /* 0: the snapshot is asked for */
	bool images;                    /* the snapshot as it was read */
	struct paths_kept paths;        /* else */
	bool more;                      /* paths will be asked for again */
	unsigned serving;
	manager_write_fn *write;
	struct manager_document d;
};

static void
document_run(struct job *job)
{
	struct document_job *j = (struct document_job *)job;

	j->d.bytes = j->write(0, j->first ? paths_json(&j->v, &j->paths, j->first, &j->more)
		: j->images ? snapshot_to_json(j->v.s) : control_snapshot(&j->v), &j->d.len);
}

static void
document_drop(struct job *job)
{
	struct document_job *j = (struct document_job *)job;

	paths_clear(&j->paths);
	free(j->d.bytes);
	free(j);
}

static unsigned
count_open(const struct manager *m)
{
	unsigned n = 0;

	for (const struct document_job *i = m->documents; i; i = i->next)
		n += !i->made;
	return n;
}

/* Whether there is an answer: 0, or as manager_paths(). */
static int
check_ready(const struct manager_view *v, uint16_t first, json_t **out)
{
	if (first ? v->s && v->plan && v->sa : v->s != NULL)
		return 0;
	*out = json_pack("{s:s}", "reason", first ? "nothing has been routed by this manager yet" : "the first sweep has not ended");
	return -EAGAIN;
}

int
manager_paths(struct manager *m, uint16_t first, json_t **out)
{
	struct manager_view v = control_view(m);
	int err = check_ready(&v, first, out);
	struct paths_kept k;
	bool more;

	if (err < 0)
		return err;
	k = paths_take(m);
	*out = paths_json(&v, &k, first, &more);
	paths_clear(&k);
	return 0;
}

static int
make(struct manager *m, uint16_t first, bool images, manager_write_fn *write, uint64_t ticket, json_t **out)
{
	struct document_job job = {
		.job = { .run = document_run, .drop = document_drop }, .v = control_view(m), .write = write, .d = { .ticket = ticket },
		.first = first, .images = images, .serving = m->net.served.age,
	}, *j;
	int err = check_ready(&job.v, first, out);

	if (err < 0)
		return err;
	if (count_open(m) >= DOCUMENTS_MAX) {
		*out = json_pack("{s:s}", "reason", "too many documents are being made");
		return -EAGAIN;
	}
	if (first) {
		job.paths = paths_take(m);
		job.v.sa = job.paths.sa;
	}
	j = xmemdup(&job, sizeof(job));
	j->next = m->documents;
	m->documents = j;
	subnet_hand_out(&m->net, &j->job);
	return 0;
}

int
manager_make_document(struct manager *m, uint16_t first, manager_write_fn *write, uint64_t ticket, json_t **out)
{
	return make(m, first, false, write, ticket, out);
}

int
manager_make_images(struct manager *m, manager_write_fn *write, uint64_t ticket, json_t **out)
{
	return make(m, 0, true, write, ticket, out);
}

bool
documents_done(struct manager *m, const struct job *j)
{
	for (struct document_job *i = m->documents; i; i = i->next)
		if (&i->job == j) {
			i->made = true;
			if (i->more)
				paths_keep(m, &i->paths, i->serving);
			return true;
		}
	return false;
}

bool
documents_open(const struct manager *m)
{
	return count_open(m) > 0;
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
