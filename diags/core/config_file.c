/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * config_file.c - ibdiag.conf: "key=value" lines; '#' in the first column is a comment.
 * Room: diags/core. The file is shared with infiniband-diags. An error in it is reported with file
 * and line.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/context.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "util/xalloc.h"

static int
line_refuse(struct diag *d, const char *path, unsigned line, const char *what)
{
	return diag_fail(d, EXIT_USAGE, "config", "%s:%u: %s", path, line, what);
}

/* Handles one key and its value. infiniband-diags accepts any key that begins with a known name
 * ("m_key_x"); here a key must be exactly one of these. */
static int
pair_take(struct diag *d, const char *path, unsigned line, const char *key, const char *value)
{
	uint64_t v;

	if (!strcmp(key, "CA")) {
		free(d->set.ca);
		d->set.ca = *value ? xstrdup(value) : NULL;
		return 0;
	}
	if (!strcmp(key, "MLX_EPI")) {
		d->set.mlx_epi = !strncmp(value, "TRUE", 4) || !strncmp(value, "true", 4);
		return 0;
	}
	if (!strcmp(key, "m_key") && !strcmp(value, "auto"))
		return d->asking->mkey_auto(d, NULL, false);
	if (!strcmp(key, "nd_format"))
		return 0;               /* a key for a daemon of rdma-core */
	if (!strcmp(key, "Port") || !strcmp(key, "timeout") || !strcmp(key, "m_key") ||
	    !strcmp(key, "sa_key")) {
		if (!diag_number(value, UINT64_MAX, &v))
			return line_refuse(d, path, line, "the value is not a number");
		if (key[0] == 'P' && v > 254)
			return line_refuse(d, path, line, "there is no such port number");
		if (key[0] == 't' && v > INT_MAX)
			return line_refuse(d, path, line, "the timeout is too long");
		if (key[0] == 'P')
			d->set.port = v ? (int)v : -1;
		else if (key[0] == 't')
			d->set.timeout_ms = (int)v;
		else if (key[0] == 'm')
			d->set.mkey = v;
		else
			d->set.sa_key = v;
		return 0;
	}
	return line_refuse(d, path, line,
		"the key is none of CA, Port, timeout, MLX_EPI, m_key, sa_key, nd_format");
}

static void
blanks_trim(char **s)
{
	char *end;

	while (isspace((unsigned char)**s))
		(*s)++;
	end = *s + strlen(*s);
	while (end > *s && isspace((unsigned char)end[-1]))
		*--end = '\0';
}

static int
line_take(struct diag *d, const char *path, unsigned line, char *text)
{
	char *key = text, *value;

	if (text[0] == '#')
		return 0;
	blanks_trim(&key);
	if (!*key)
		return 0;
	value = strchr(key, '=');
	if (!value)
		return line_refuse(d, path, line, "there is no '=' between a key and its value");
	*value++ = '\0';
	blanks_trim(&key);
	blanks_trim(&value);
	return pair_take(d, path, line, key, value);
}

int
diag_config_read(struct diag *d, const char *path, bool named)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	unsigned line = 0;
	int r = 0;

	if (!f && !named)
		return 0;
	if (!f)
		return diag_fail(d, EXIT_USAGE, "config", "cannot read %s: %s", path,
			strerror(errno));
	while (!r && getline(&text, &room, f) >= 0)
		r = line_take(d, path, ++line, text);
	if (!r && ferror(f))
		r = diag_fail(d, EXIT_USAGE, "config", "cannot read %s: %s", path, strerror(errno));
	free(text);
	fclose(f);
	return r;
}
