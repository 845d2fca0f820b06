/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * secret.c - the file of the secret: creates it once, and checks it when reading.
 * Room: sm/keys.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sm/keys/keys.h"
#include "util/xalloc.h"

enum { DIGITS = 2 * KEYS_SECRET_BYTES, TEXT_MAX = DIGITS + 16 };

static int
write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

static int
fresh_text(char text[static DIGITS + 2])
{
	uint8_t bytes[KEYS_SECRET_BYTES];
	ssize_t n;

	do
		n = getrandom(bytes, sizeof(bytes), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(bytes))
		return n < 0 ? -errno : -EIO;
	for (unsigned i = 0; i < KEYS_SECRET_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	memcpy(text + DIGITS, "\n", 2);
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}

static int
sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (fd < 0 || fsync(fd) < 0)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Writes a temporary file and links it to the final name, which fails if that exists: no file is
 * ever overwritten. */
static int
make_in(const char *dir, const char *path)
{
	char *tmp = xasprintf("%s/.secret-XXXXXX", dir), text[DIGITS + 2];
	int fd = mkostemp(tmp, O_CLOEXEC), err;

	if (fd < 0) {
		err = -errno;
		free(tmp);
		return err;
	}
	err = fchmod(fd, 0600) < 0 ? -errno : fresh_text(text);
	if (!err)
		err = write_all(fd, text, DIGITS + 1);
	explicit_bzero(text, sizeof(text));
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && link(tmp, path) < 0)
		err = errno == EEXIST ? 1 : -errno;
	unlink(tmp);
	free(tmp);
	return err ? err : sync_dir(dir);
}

int
keys_secret_make(const char *path, char why[static KEYS_WHY_BYTES])
{
	char *copy = xstrdup(path), *dir = dirname(copy);
	struct stat st;
	int err;

	if (lstat(path, &st) == 0) {
		free(copy);
		return 1;
	}
	mkdir(dir, 0755);               /* a failure shows when the file is created */
	err = make_in(dir, path);
	if (err < 0)
		snprintf(
			why, KEYS_WHY_BYTES, "cannot make the secret %s: %s", path, strerror(-err));
	free(copy);
	return err;
}

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Accepts 64 digits, followed by white space only. */
static bool
parse_secret(const char *text, size_t len, struct keys_secret *s)
{
	if (len < DIGITS)
		return false;
	for (unsigned i = 0; i < KEYS_SECRET_BYTES; i++) {
		int high = digit_value(text[2 * i]), low = digit_value(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		s->bytes[i] = (uint8_t)(high << 4 | low);
	}
	for (size_t i = DIGITS; i < len; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return false;
	return true;
}

static int
check_mode(int fd, const char *path, char *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode)) {
		snprintf(why, KEYS_WHY_BYTES, "the secret %s is no regular file", path);
		return -EPERM;
	}
	if (st.st_uid != 0 && st.st_uid != geteuid()) {
		snprintf(why, KEYS_WHY_BYTES, "the secret %s belongs to another user (%u)", path,
			(unsigned)st.st_uid);
		return -EPERM;
	}
	if (!(st.st_mode & 077))
		return 0;
	snprintf(why, KEYS_WHY_BYTES,
		"the secret %s is open to others (mode %04o): make another one, "
		"or, if nobody has read it, chmod 0600 %s",
		path, (unsigned)(st.st_mode & 07777), path);
	return -EPERM;
}

int
keys_secret_read(
	const char *path, bool ours, struct keys_secret *s, char why[static KEYS_WHY_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	char text[TEXT_MAX];
	ssize_t n;

	why[0] = '\0';
	if (fd < 0) {
		err = -errno;
		snprintf(
			why, KEYS_WHY_BYTES, "cannot read the secret %s: %s", path, strerror(-err));
		return err;
	}
	if (ours)
		err = check_mode(fd, path, why);
	n = err ? 0 : read(fd, text, sizeof(text));
	if (n < 0)
		err = -errno;
	close(fd);
	if (!err && (n == (ssize_t)sizeof(text) || !parse_secret(text, (size_t)n, s))) {
		snprintf(why, KEYS_WHY_BYTES, "the secret %s is not %d hexadecimal digits", path,
			DIGITS);
		err = -EBADMSG;
	} else if (err && !why[0]) {
		snprintf(
			why, KEYS_WHY_BYTES, "cannot read the secret %s: %s", path, strerror(-err));
	}
	explicit_bzero(text, sizeof(text));
	if (err)
		explicit_bzero(s, sizeof(*s));
	return err;
}
