/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mkey.c - finds the M_Key with which the heddled of this host protects ports: in its configuration
 * or by asking it.
 * Room: diags/ask. It works only for users who may read the file; a tool needs no other right, and
 * the key is on no command line.
 *
 * Of the file's syntax only this is parsed: comments, and "m_key = NUMBER" or "auto", with or
 * without quotes; the last one wins. With auto, the default, each port has a key of its own, which
 * heddled gives to root, port by port.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ctlclient/client.h"
#include "diags/ask/daemon.h"
#include "diags/ask/mkey.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

#define FILE_BYTES_MAX 262144
#define KEY_WORD "m_key"
#define FILE_DEFAULT HEDDLE_SYSCONFDIR "/heddled.conf"

/* Reports whether 'p' begins a comment that extends to the end of the line. */
static bool
line_comment(const char *p)
{
	return *p == '#' || (p[0] == '/' && p[1] == '/');
}

/* Replaces comments outside of quotes by blanks. */
static void
drop_comments(char *text)
{
	char quote = 0;

	for (char *p = text; *p; p++) {
		if (quote) {
			quote = *p == quote || *p == '\n' ? 0 : quote;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (line_comment(p)) {
			while (*p && *p != '\n')
				*p++ = ' ';
			if (!*p)
				return;
		} else if (p[0] == '/' && p[1] == '*') {
			char *end = strstr(p + 2, "*/");

			end = end ? end + 2 : p + strlen(p);
			for (; p < end; p++)
				*p = *p == '\n' ? '\n' : ' ';
			p--;
		}
	}
}

/* Parses the value of "m_key =": 0 for auto. Returns false if the line is another one or has no
 * number. */
static bool
line_key(char *line, uint64_t *key)
{
	char *end;

	while (isspace((unsigned char)*line))
		line++;
	if (strncmp(line, KEY_WORD, strlen(KEY_WORD)))
		return false;
	for (line += strlen(KEY_WORD); isspace((unsigned char)*line); line++)
		;
	if (*line++ != '=')
		return false;
	while (isspace((unsigned char)*line) || *line == '"' || *line == '\'')
		line++;
	for (end = line + strlen(line); end > line && (isspace((unsigned char)end[-1]) ||
	    end[-1] == '"' || end[-1] == '\''); )
		*--end = '\0';
	*key = 0;
	return !strcmp(line, "auto") || diag_number(line, UINT64_MAX, key);
}

static bool
find_key(char *text, uint64_t *key)
{
	bool found = false;
	char *rest;

	drop_comments(text);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		found |= line_key(line, key);
	return found && *key;
}

/* Checks that the file is a regular one that only root and the caller can have written. Returns 0
 * or a negative errno. */
static int
check_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_uid != 0 && st.st_uid != geteuid()) || st.st_mode & 022)
		return -EPERM;
	return st.st_size > FILE_BYTES_MAX ? -EFBIG : 0;
}

/* Reads the key from the file. Returns 0, -ENODATA if the file sets none, or another negative
 * errno. */
static int
read_key(const char *path, uint64_t *key)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), e;
	char *text;
	ssize_t n, all = 0;

	if (fd < 0)
		return -errno;
	e = check_file(fd);
	text = xcalloc(1, FILE_BYTES_MAX + 1);
	while (!e && all < FILE_BYTES_MAX && (n = read(fd, text + all,
	    (size_t)(FILE_BYTES_MAX - all))) != 0)
		if (n < 0)
			e = errno == EINTR ? 0 : -errno;
		else
			all += n;
	close(fd);
	if (!e && !find_key(text, key))
		e = -ENODATA;
	explicit_bzero(text, FILE_BYTES_MAX);
	free(text);
	return e;
}

int
diag_mkey_auto(struct diag *d, const char *path, bool needed)
{
	const char *file = path && *path ? path : FILE_DEFAULT;
	uint64_t key = 0;
	int e = read_key(file, &key);

	if (!e) {
		diag_settings_mut(d)->mkey = key;
		return 0;
	}
	if (e == -ENODATA || (e == -ENOENT && file != path)) {
		diag_settings_mut(d)->mkey_of_daemon = true;
		return 0;
	}
	if (!needed) {
		diag_warn(d, EXIT_OK, "config", NULL, "m_key=auto: no key from %s: %s", file,
			strerror(-e));
		return 0;
	}
	if (e == -EPERM)
		return diag_fail(d, EXIT_USAGE, "config",
			"M_Key: %s may have been written by others: it is not read", file);
	return diag_fail(d, EXIT_USAGE, "config", "M_Key: cannot read %s: %s", file, strerror(-e));
}

/* Requests the key of a port from the heddled of this host. Returns false with the reason in
 * 'why'. */
static bool
daemon_key(uint64_t port_guid, uint64_t *key, char *why, size_t len)
{
	char guid[24], path[256];
	struct client_answer a;
	const char *text;
	bool ok = false;
	json_t *params;

	diag_daemon_socket(path, sizeof(path));
	snprintf(guid, sizeof(guid), "0x%016llx", (unsigned long long)port_guid);
	params = json_pack("{s:s}", "port", guid);
	client_call(path, "io.heddle.Manager.Key", params, &a);
	json_decref(params);
	text = a.end == CLIENT_OK ? json_string_value(json_object_get(a.params, "m_key")) : NULL;
	if (text)
		ok = diag_number(text, UINT64_MAX, key);
	if (!ok)
		snprintf(why, len, "%s", a.end == CLIENT_OK ? "an answer without a key" : a.why);
	client_answer_clear(&a);
	return ok;
}

int
diag_mkey_for_set(struct diag *d, const struct diag_addr *to)
{
	uint8_t data[64] = { 0 };
	char why[300];
	int e;

	if (!diag_settings(d)->mkey_of_daemon)
		return 0;
	e = diag_get(d, to, NODE_INFO_ID, 0, data);
	if (e)
		return e;
	if (daemon_key(node_info_decode(data).port_guid, &diag_settings_mut(d)->mkey, why,
	    sizeof(why)))
		return 0;
	diag_warn(d, EXIT_PARTIAL, "config", NULL,
		"M_Key: the heddled of this host gives none for port 0x%016llx: %s",
		(unsigned long long)node_info_decode(data).port_guid, why);
	return -EACCES;
}
