/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * file.c - reads and replaces a file of bytes with a checksum.
 * Room: sm/store.  In: bytes.  Out: the file, and lines in the log.
 *
 * A header of 24 bytes, numbers in network byte order: a mark, the number of bytes that follow, their
 * checksum.  The checksum finds damage, not forgery: who may write the directory may write anything.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libmad/wire/wire.h"
#include "sm/store/file.h"
#include "util/xalloc.h"

#define MARK UINT64_C(0x48454444464c4501)       /* "HEDDFLE", version 1 */
enum { HEAD_WORDS = 3 };

struct store_file {
	const struct log *log;
	char path[256], fresh[264];     /* "": the path is too long */
	pthread_t writer;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* under 'lock' */
	struct store_file_text next;
	bool waits, stop;
	int err;                        /* of the last attempt */
	/* used by the caller only */
	bool running;
	int err_logged;
};

/* ---- the checksum ---- */

struct sum {
	uint64_t h;
	uint8_t rest[8];                /* bytes that do not fill a word yet */
	unsigned nrest;
};

static void
sum_word(struct sum *s, const uint8_t *w)
{
	uint64_t v = wire_get64(w);

	s->h = (s->h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	s->h ^= s->h >> 29;
}

static void
sum_add(struct sum *s, const uint8_t *p, size_t n)
{
	for (; n && s->nrest; n--, p++) {
		s->rest[s->nrest++] = *p;
		if (s->nrest == sizeof(s->rest)) {
			sum_word(s, s->rest);
			s->nrest = 0;
		}
	}
	for (; n >= sizeof(s->rest); n -= sizeof(s->rest), p += sizeof(s->rest))
		sum_word(s, p);
	if (n) {
		memcpy(s->rest, p, n);
		s->nrest = (unsigned)n;
	}
}

static uint64_t
sum_end(struct sum *s)
{
	memset(s->rest + s->nrest, 0, sizeof(s->rest) - s->nrest);
	if (s->nrest)
		sum_word(s, s->rest);
	return s->h;
}

/* ---- writing ---- */

static int
write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t some = write(fd, p, n);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some < 0 ? -errno : -EIO;
		p += some;
		n -= (size_t)some;
	}
	return 0;
}

static int
write_text(int fd, const struct store_file_text *t)
{
	struct sum s = { .h = 0 };
	uint8_t head[HEAD_WORDS][8];
	int err;

	sum_add(&s, t->part[0], t->bytes[0]);
	sum_add(&s, t->part[1], t->bytes[1]);
	wire_put64(head[0], MARK);
	wire_put64(head[1], t->bytes[0] + t->bytes[1]);
	wire_put64(head[2], sum_end(&s));
	err = write_all(fd, head[0], sizeof(head));
	for (int i = 0; i < 2 && !err; i++)
		err = write_all(fd, t->part[i], t->bytes[i]);
	if (!err && fsync(fd) < 0)
		err = -errno;
	return err;
}

static int
replace(const struct store_file *f, const struct store_file_text *t)
{
	int fd, err;

	if (!f->path[0])
		return -ENAMETOOLONG;
	if (t->bytes[0] > STORE_FILE_MAX || t->bytes[1] > STORE_FILE_MAX - t->bytes[0])
		return -EFBIG;
	fd = open(f->fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	err = write_text(fd, t);
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && rename(f->fresh, f->path) < 0)
		err = -errno;
	if (err)
		unlink(f->fresh);
	return err;
}

static void *
writer_run(void *arg)
{
	struct store_file *f = arg;
	struct store_file_text t;
	int err;

	pthread_mutex_lock(&f->lock);
	for (;;) {
		while (!f->waits && !f->stop)
			pthread_cond_wait(&f->wake, &f->lock);
		if (!f->waits)
			break;
		t = f->next;
		f->waits = false;
		pthread_mutex_unlock(&f->lock);
		err = replace(f, &t);
		t.release(t.arg);
		pthread_mutex_lock(&f->lock);
		f->err = err;
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

static void
log_error(struct store_file *f)
{
	int err;

	pthread_mutex_lock(&f->lock);
	err = f->err;
	pthread_mutex_unlock(&f->lock);
	if (err && err != f->err_logged)
		log_line(f->log, LOG_WARN, "store", "%s cannot be written: %s", f->path,
			strerror(-err));
	f->err_logged = err;
}

/* ---- reading ---- */

/* 'n' bytes, or fewer where the file ends. */
static size_t
read_all(int fd, uint8_t *p, size_t n)
{
	size_t all = 0;

	while (all < n) {
		ssize_t some = read(fd, p + all, n - all);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			break;
		all += (size_t)some;
	}
	return all;
}

/* The bytes after the header; NULL: it is damaged. */
static uint8_t *
read_text(int fd, size_t *len)
{
	uint8_t head[HEAD_WORDS][8], *bytes, more;
	struct sum s = { .h = 0 };
	uint64_t n;

	if (read_all(fd, head[0], sizeof(head)) < sizeof(head) || wire_get64(head[0]) != MARK)
		return NULL;
	n = wire_get64(head[1]);
	if (n > STORE_FILE_MAX)
		return NULL;
	bytes = xmalloc(n + 1);
	if (read_all(fd, bytes, n) == n && read_all(fd, &more, 1) == 0) {
		sum_add(&s, bytes, n);
		*len = n;
		if (sum_end(&s) == wire_get64(head[2]))
			return bytes;
	}
	free(bytes);
	return NULL;
}

uint8_t *
store_file_load(struct store_file *f, size_t *len)
{
	int fd = f->path[0] ? open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	uint8_t *bytes = NULL;
	struct stat st;

	*len = 0;
	if (fd < 0) {
		if (f->path[0] && errno != ENOENT)
			log_line(f->log, LOG_WARN, "store", "%s cannot be read: %s", f->path,
				strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		bytes = read_text(fd, len);
	if (!bytes)
		log_line(f->log, LOG_WARN, "store", "%s is damaged: ignored", f->path);
	close(fd);
	return bytes;
}

struct store_file *
store_file_open(const char *dir, const char *name, const struct log *log)
{
	struct store_file *f = xcalloc(1, sizeof(*f));

	f->log = log;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->wake, NULL);
	if ((size_t)snprintf(f->path, sizeof(f->path), "%s/%s", dir, name) >= sizeof(f->path))
		f->path[0] = '\0';
	snprintf(f->fresh, sizeof(f->fresh), "%s.new", f->path);
	return f;
}

void
store_file_put(struct store_file *f, const struct store_file_text *t)
{
	struct store_file_text old = { .release = NULL };

	log_error(f);
	if (!f->running && pthread_create(&f->writer, NULL, writer_run, f) != 0)
		bug("store: no thread can be made");
	f->running = true;
	pthread_mutex_lock(&f->lock);
	if (f->waits)
		old = f->next;
	f->next = *t;
	f->waits = true;
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
	if (old.release)
		old.release(old.arg);
}

void
store_file_close(struct store_file *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
	if (f->running)
		pthread_join(f->writer, NULL);
	log_error(f);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
