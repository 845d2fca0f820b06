/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * save.c - writes documents that hold a fabric.
 * Room: diags/fabric.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/save.h"
#include "fabric/snapshot/capture_json.h"
#include "fabric/snapshot/snapshot_json.h"

static int
json_put(const char *text, size_t n, void *arg)
{
	return fwrite(text, 1, n, arg) == n ? 0 : -1;
}

void
fab_json_snapshot(struct diag *d, const struct diag_fabric *f)
{
	FILE *out = diag_out_member(d, "snapshot");

	if (out)
		snapshot_put_json(f->s, json_put, out);
	else
		json_object_set_new(diag_doc(d), "snapshot", snapshot_to_json(f->s));
}

static int
put_answers(void *arg, size_t i, json_t *entry)
{
	int r = i && putc(',', arg) == EOF ? -1 : json_dump_callback(entry, json_put, arg,
		JSON_COMPACT);

	json_decref(entry);
	return r;
}

/* Writes member by member and never holds the document, which has hundreds of megabytes for a large
 * fabric. */
static bool
write_document(FILE *out, const struct diag_fabric *f, struct capture *c)
{
	fputs("{\"schema\":\"heddle.snapshot\",\"schema_version\":\"1.1\",\"snapshot\":", out);
	if (snapshot_put_json(f->s, json_put, out))
		return false;
	fputs(c ? ",\"answers\":[" : ",\"answers\":null", out);
	if (c && capture_each_json(c, f->s, put_answers, out))
		return false;
	fputs(c ? "]}\n" : "}\n", out);
	return !ferror(out);
}

int
diag_save(struct diag *d, const struct diag_fabric *f, struct capture *c, const char *path)
{
	FILE *out = fopen(path, "w");
	bool good;

	if (!out)
		return diag_fail(d, EXIT_USAGE, "io", "cannot write %s: %s", path, strerror(errno));
	good = write_document(out, f, c);
	if (fclose(out) || !good)
		return diag_fail(d, EXIT_USAGE, "io", "cannot write %s: %s", path, strerror(errno));
	return 0;
}

int
diag_fabric_save(struct diag *d, const struct diag_fabric *f, const char *path)
{
	return diag_save(d, f, NULL, path);
}
