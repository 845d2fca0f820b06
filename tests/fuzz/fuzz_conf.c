/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_conf.c - any bytes as heddled.conf: read or refused with a sentence; what is read can be written and read again.
 */
#include <config.h>
#include <string.h>
#include "sm/conf/file.h"
#include "tests/fuzz/fuzz.h"

/* Reads the bytes over all defaults; NULL when they are refused. */
static struct conf *
read_bytes(const char *bytes, size_t n, struct arena *a)
{
	struct conf_error e = CONF_ERROR_INIT;
	struct conf *c = conf_default();

	if (conf_file_parse("FILE", bytes, n, c, a, &e)) {
		FUZZ_CHECK(e.text && e.text[strlen(e.text) - 1] == '\n');
		conf_free(c);
		c = NULL;
	} else {
		FUZZ_CHECK(!e.text);
	}
	conf_error_clear(&e);
	return c;
}

static char *
dump(const struct conf *c, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	FUZZ_CHECK(f);
	conf_dump(c, f);
	fclose(f);
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct conf *c = read_bytes((const char *)data, size, &a), *again;
	char *first, *second;
	size_t n1, n2;

	if (c) {
		first = dump(c, &n1);
		again = read_bytes(first, n1, &a);
		FUZZ_CHECK(again);
		second = dump(again, &n2);
		FUZZ_CHECK(strcmp(first, second) == 0);
		free(first);
		free(second);
		conf_free(c);
		conf_free(again);
	}
	arena_clear(&a);
	return 0;
}
