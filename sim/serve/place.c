/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * place.c - directories, names and sockets of servers.
 * Room: sim/serve.  place.h has the layout.
 *
 * A directory of another user is never used: it must belong to the user and be writable by nobody
 * else.  A lock on the directory shows that its server runs; without the lock, a new server removes
 * the files that an earlier one left.
 */
#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "sim/serve/place.h"

#define NAME_MAX_CHARS 40
#define BASES 5

/* Stores the i-th base directory to try.  Returns false if the environment does not define it. */
static bool
base_path(unsigned i, char base[PLACE_PATH])
{
	const char *env = i == 0 ? getenv(PLACE_ENV) : i == 1 ? getenv("RUNTIME_DIRECTORY") :
		i == 3 ? getenv("XDG_RUNTIME_DIR") : NULL;
	int n;

	switch (i) {
	case 0:
	case 1:
		if (!env || env[0] != '/')
			return false;
		n = snprintf(base, PLACE_PATH, "%.*s", (int)strcspn(env, ":"), env);
		break;
	case 2:
		n = snprintf(base, PLACE_PATH, "/run/heddle-sim");
		break;
	case 3:
		if (!env || env[0] != '/')
			return false;
		n = snprintf(base, PLACE_PATH, "%s/heddle-sim", env);
		break;
	default:
		n = snprintf(base, PLACE_PATH, "/tmp/heddle-sim-%u", (unsigned)getuid());
		break;
	}
	return n > 0 && n < PLACE_PATH;
}

/* Returns true if the directory belongs to this user and no other user can write to it. */
static bool
dir_is_ours(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
		!(st.st_mode & 022);
}

static bool
name_valid(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > NAME_MAX_CHARS || name[0] == '.')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			return false;
	return true;
}

static int
check_name(const char *name, char *why)
{
	if (name_valid(name))
		return 0;
	snprintf(why, PLACE_WHY,
		"'%.60s' is not a server name; expected up to %d letters, digits, '.', '_', '-'", name,
		NAME_MAX_CHARS);
	return -EINVAL;
}

static int
lock_dir(const char *dir, int *lock)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return errno == EWOULDBLOCK ? -EEXIST : -errno;
	}
	*lock = fd;
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	if (ftw->level > 0)
		(void)!remove(path);
	return 0;
}

/* Empties a directory, which a server that crashed may have left. */
static void
empty_dir(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void
place_remove(const char *dir)
{
	empty_dir(dir);
	rmdir(dir);
}

int
place_make(const char *name, char dir[PLACE_PATH], int *lock, char why[PLACE_WHY])
{
	char base[PLACE_PATH];
	int r = check_name(name, why);

	if (r)
		return r;
	for (unsigned i = 0; i < BASES; i++) {
		if (!base_path(i, base))
			continue;
		if (mkdir(base, 0700) && errno != EEXIST)
			continue;
		if (!dir_is_ours(base) || access(base, W_OK | X_OK))
			continue;
		if ((size_t)snprintf(dir, PLACE_PATH, "%s/%s", base, name) >= PLACE_PATH)
			continue;
		if (mkdir(dir, 0700) && errno != EEXIST)
			continue;
		r = dir_is_ours(dir) ? lock_dir(dir, lock) : -EPERM;
		if (!r)
			empty_dir(dir);
		else if (r == -EEXIST)
			snprintf(why, PLACE_WHY, "a server named '%s' runs already (in %s)", name,
				dir);
		else
			snprintf(why, PLACE_WHY, "cannot use %s: %s", dir, strerror(-r));
		return r;
	}
	snprintf(why, PLACE_WHY,
		"no directory for sockets: $RUNTIME_DIRECTORY, /run/heddle-sim, $XDG_RUNTIME_DIR and "
		"/tmp/heddle-sim-%u cannot be used",
		(unsigned)getuid());
	return -EACCES;
}

int
place_find(const char *name, char dir[PLACE_PATH], char why[PLACE_WHY])
{
	char base[PLACE_PATH];
	int r = check_name(name, why);

	if (r)
		return r;
	for (unsigned i = 0; i < BASES; i++) {
		int fd;

		if (!base_path(i, base) || (size_t)snprintf(dir, PLACE_PATH, "%s/%s", base,
		    name) >= PLACE_PATH)
			continue;
		fd = place_connect(dir, "ctl");
		if (fd >= 0) {
			close(fd);
			return 0;
		}
	}
	snprintf(why, PLACE_WHY, "no server named '%s' runs", name);
	return -ENOENT;
}

int
place_make_node(const char *dir, uint64_t guid)
{
	static const char *const below[] = { "", "/state", "/run", "/osm-cache", "/osm-tmp" };
	char path[PLACE_PATH + 64];

	snprintf(path, sizeof(path), "%s/nodes", dir);
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		snprintf(path, sizeof(path), "%s/nodes/%016" PRIx64 "%s", dir, guid, below[i]);
		if (mkdir(path, 0700) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Makes a socket, and stores in '*a' its address in 'dir', to bind or to connect to. */
static int
socket_open(const char *dir, const char *socket_name, int type, struct sockaddr_un *a)
{
	int fd;

	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((size_t)snprintf(a->sun_path, sizeof(a->sun_path), "%s/%s", dir, socket_name) >=
	    sizeof(a->sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static int
socket_give_up(int fd)
{
	int e = errno;

	close(fd);
	return -e;
}

int
place_listen(const char *dir, const char *socket_name, int type, int backlog)
{
	struct sockaddr_un a;
	int fd = socket_open(dir, socket_name, type | SOCK_NONBLOCK, &a);

	if (fd >= 0 && (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, backlog)))
		return socket_give_up(fd);
	return fd;
}

int
place_accept(int fd, sd_event *event, sd_event_source **source, sd_event_io_handler_t on, void *arg)
{
	int conn = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (conn >= 0 && sd_event_add_io(event, source, conn, EPOLLIN, on, arg) < 0) {
		close(conn);
		return -1;
	}
	return conn;
}

int
place_connect(const char *dir, const char *socket_name)
{
	struct sockaddr_un a;
	int fd = socket_open(dir, socket_name, SOCK_STREAM, &a);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return socket_give_up(fd);
	return fd;
}
