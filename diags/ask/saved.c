/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saved.c - reads a saved fabric: a JSON document of Heddle, or a topology file.
 * Room: diags/ask.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "diags/ask/saved.h"
#include "diags/core/status.h"
#include "fabric/snapshot/capture_json.h"
#include "fabric/snapshot/snapshot_json.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "libmad/attr/codes.h"
#include "util/jsonscan.h"

#define DOCUMENT_WHY_BYTES 200
_Static_assert(DOCUMENT_WHY_BYTES >= SNAPSHOT_WHY_BYTES &&
	DOCUMENT_WHY_BYTES >= CAPTURE_WHY_BYTES &&
	DOCUMENT_WHY_BYTES >= JSONSCAN_WHY_BYTES, "room for each kind of sentence");

static int
read_topo(struct diag *d, const char *path, struct saved *saved)
{
	struct topo_error e;
	struct topo t;
	int r;

	if (topo_read_file(path, &t, &e))
		return diag_fail(d, EXIT_USAGE, "config", "%s", e.text);
	r = topo_to_snapshot(&t, FAB_NONE, PORT_STATE_ACTIVE, &saved->s);
	topo_clear(&t);
	saved->drawn = true;
	return r ? diag_fail(d, EXIT_USAGE, "config", "%s has no nodes", path) : 0;
}

/* A document of a tool has the snapshot as its member "snapshot"; a bare snapshot is the whole
 * document. */
static json_t *
read_snapshot(const struct jsonscan *j, char *why)
{
	static const char *const members[] = { "format", "from", "nodes", "troubles" };
	const struct jsonscan_member *m = jsonscan_find(j, "snapshot");
	json_t *o, *v;

	if (m)
		return jsonscan_value(j, m, why);
	o = json_object();
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		m = jsonscan_find(j, members[i]);
		if (!m)
			continue;
		v = jsonscan_value(j, m, why);
		if (!v) {
			json_decref(o);
			return NULL;
		}
		json_object_set_new(o, members[i], v);
	}
	return o;
}

struct answers {
	struct capture *c;
	const struct snapshot *s;
	char *why;
};

static int
take_answers(void *arg, size_t i, const json_t *entry)
{
	struct answers *a = arg;

	return capture_entry_from_json(a->c, a->s, i, entry, a->why);
}

/* Reads the snapshot, and with answers a second copy of it, because tool and replay each own
 * one. */
static int
read_document(const struct jsonscan *j, struct saved *saved, char why[static DOCUMENT_WHY_BYTES])
{
	const struct jsonscan_member *m = jsonscan_find(j, "answers");
	struct answers a = { .why = why };
	json_t *o = read_snapshot(j, why);
	int r = o ? snapshot_from_json(o, &saved->s, why) : -EINVAL;

	if (r || !m || !m->array) {
		json_decref(o);
		return r;
	}
	r = snapshot_from_json(o, &saved->twin, why);
	json_decref(o);
	saved->c = a.c = capture_new();
	a.s = saved->s;
	if (!r)
		r = jsonscan_each(j, m, take_answers, &a, why);
	if (!r) {
		capture_fill(saved->c, saved->s);
		return 0;
	}
	snapshot_free(saved->s);
	snapshot_free(saved->twin);
	capture_free(saved->c);
	*saved = (struct saved){ .s = NULL };
	return r;
}

static int
read_json(struct diag *d, const char *path, FILE *in, struct saved *saved)
{
	char why[DOCUMENT_WHY_BYTES];
	struct jsonscan j;
	int r = jsonscan_open(&j, in, why);

	if (!r)
		r = read_document(&j, saved, why);
	jsonscan_clear(&j);
	return r ? diag_fail(d, EXIT_USAGE, "config", "%s: %s", path, why) : 0;
}

int
diag_saved_read(struct diag *d, const char *path, struct saved *saved)
{
	FILE *in = fopen(path, "r");
	int ch, r;

	*saved = (struct saved){ .s = NULL };
	if (!in)
		return diag_fail(d, EXIT_USAGE, "config", "cannot read %s: %s", path,
			strerror(errno));
	if (fseeko(in, 0, SEEK_SET)) {          /* the file is read more than once */
		fclose(in);
		return diag_fail(d, EXIT_USAGE, "config",
			"cannot read %s: a file is wanted, not a pipe", path);
	}
	do
		ch = getc(in);
	while (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r');
	r = ch == '{' ? read_json(d, path, in, saved) : read_topo(d, path, saved);
	fclose(in);
	return r;
}
