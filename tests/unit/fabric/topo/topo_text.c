/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topo_text.c - reading and writing of topologies as texts, for tests.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/fabric/topo/topo_text.h"

/* Through a real file: fmemopen() ends at the first NUL. */
int
topo_text_read(const char *text, size_t bytes, struct topo *t, struct topo_error *e)
{
	FILE *in = tmpfile();
	int rc;

	assert_non_null(in);
	assert_int_equal(fwrite(text, 1, bytes, in), bytes);
	rewind(in);
	rc = topo_read(in, "net", t, e);
	fclose(in);
	return rc;
}

void
topo_text_must_read(const char *text, struct topo *t)
{
	struct topo_error e;

	if (topo_text_read(text, strlen(text), t, &e))
		fail_msg("%s", e.text);
}

char *
topo_text_written(const struct topo *t)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(topo_write(out, t), 0);
	fclose(out);
	return text;
}

/* The text is refused with a sentence that begins like this, and leaves nothing behind. */
void
topo_text_must_refuse(const struct topo_bad *bad)
{
	struct topo_error e;
	struct topo t;

	if (topo_text_read(bad->text, strlen(bad->text), &t, &e) != -EINVAL)
		fail_msg("read: %s", bad->text);
	if (strncmp(e.text, bad->complaint, strlen(bad->complaint)))
		fail_msg("wanted \"%s\", got \"%s\"", bad->complaint, e.text);
	assert_int_equal(t.nnodes, 0);
	assert_null(t.nodes);
}
