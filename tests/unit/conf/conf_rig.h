/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * conf_rig.h - a configuration file that a test writes, and command lines that read it.
 */
#ifndef HEDDLE_TESTS_UNIT_CONF_CONF_RIG_H
#define HEDDLE_TESTS_UNIT_CONF_CONF_RIG_H

#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"

static char path[] = "/tmp/heddle-conf-XXXXXX";
static struct conf_error err;
static struct conf *conf;

static inline int
rig_setup(void **state)
{
	int fd;

	(void)state;
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static inline int
rig_teardown(void **state)
{
	(void)state;
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	return unlink(path);
}

static inline void
conf_write(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline int
load(const char *const *args)
{
	const char *argv[16] = { "heddled", "-F", path };
	int argc = 3;

	while (*args)
		argv[argc++] = *args++;
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	return conf_load(argc, (char **)argv, &conf, &err);
}
#define LOAD(...) load((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

/* 'text' with every PATH replaced by the file's name. */
static inline const char *
with_path(const char *text)
{
	static char buf[4096];
	size_t n = 0;

	while (*text) {
		if (strncmp(text, "PATH", 4) == 0) {
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s", path);
			text += 4;
		} else {
			buf[n++] = *text++;
		}
	}
	buf[n] = '\0';
	return buf;
}

static inline char *
dump(const struct conf *c)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	conf_dump(c, f);
	fclose(f);
	return text;
}

static inline unsigned
count_lines(const char *text, const char *with)
{
	unsigned n = 0;

	for (const char *p = text; p && *p; p = strchr(p, '\n') + 1) {
		const char *hit = strstr(p, with);

		n += hit && hit < strchr(p, '\n');
	}
	return n;
}

/* 'n' keys of OpenSM that do nothing here, then 'last'. */
static inline void
put_warnings(unsigned n, const char *last)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < n; i++)
		fputs("cc_key = 1\n", f);
	fputs(last, f);
	assert_int_equal(fclose(f), 0);
}

#endif
