/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * save.c - documents that hold a fabric, written and read.
 * Room: diags.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "diags/common/diag_int.h"
#include "diags/common/save.h"
#include "fabric/snapshot_json.h"
#include "fabric/topo.h"

#define STATE_ACTIVE 4

int
diag_save(struct diag *d, const struct diag_fabric *f, struct capture *c, const char *path)
{
	json_t *o = json_object();
	int r;

	json_object_set_new(o, "schema", json_string("heddle.snapshot"));
	json_object_set_new(o, "schema_version", json_string("1.1"));
	json_object_set_new(o, "snapshot", snapshot_to_json(f->s));
	json_object_set_new(o, "answers", c ? capture_to_json(c, f->s) : json_null());
	r = json_dump_file(o, path, JSON_COMPACT);
	json_decref(o);
	return r ? diag_fail(d, EXIT_USAGE, "io", "cannot write %s", path) : 0;
}

static int
read_topo(struct diag *d, const char *path, struct saved *saved)
{
	struct topo_error e;
	struct topo t;
	int r;

	if (topo_read_file(path, &t, &e))
		return diag_fail(d, EXIT_USAGE, "config", "%s", e.text);
	r = snapshot_from_topo(&t, FAB_NONE, STATE_ACTIVE, &saved->s);
	topo_clear(&t);
	saved->drawn = true;
	return r ? diag_fail(d, EXIT_USAGE, "config", "%s has no nodes", path) : 0;
}

/* A document of a tool has the snapshot under "snapshot"; a bare one is read too. */
static int
read_document(const json_t *o, struct saved *saved, char why[static SNAPSHOT_WHY_BYTES])
{
	const json_t *snapshot = json_object_get(o, "snapshot"), *answers = json_object_get(o, "answers");
	int r;

	if (!snapshot)
		snapshot = o;
	r = snapshot_from_json(snapshot, &saved->s, why);
	if (r || !json_is_array(answers))
		return r;
	r = capture_from_json(answers, saved->s, &saved->c, why);
	if (!r)
		r = snapshot_from_json(snapshot, &saved->twin, why);
	if (!r) {
		capture_fill(saved->c, saved->s);
		return 0;
	}
	snapshot_free(saved->s);
	capture_free(saved->c);
	*saved = (struct saved){ .s = NULL };
	return r;
}

static int
read_json(struct diag *d, const char *path, struct saved *saved)
{
	char why[SNAPSHOT_WHY_BYTES];
	json_error_t e;
	json_t *o = json_load_file(path, JSON_REJECT_DUPLICATES, &e);
	int r;

	if (!o)
		return diag_fail(d, EXIT_USAGE, "config", "%s:%d: %s", path, e.line, e.text);
	r = read_document(o, saved, why);
	json_decref(o);
	return r ? diag_fail(d, EXIT_USAGE, "config", "%s: %s", path, why) : 0;
}

int
diag_read_saved(struct diag *d, const char *path, struct saved *saved)
{
	FILE *in = fopen(path, "r");
	int ch;

	*saved = (struct saved){ .s = NULL };
	if (!in)
		return diag_fail(d, EXIT_USAGE, "config", "cannot read %s: %s", path, strerror(errno));
	do
		ch = getc(in);
	while (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r');
	fclose(in);
	return ch == '{' ? read_json(d, path, saved) : read_topo(d, path, saved);
}
