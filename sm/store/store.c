/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * store.c - the tables in memory, and the thread that writes them to the disk.
 * Room: store.
 *
 * There are three copies of each table: 'now' is what the caller put last, 'disk' is what the file
 * is known to hold, and the writer's copy.  The writer copies 'now', writes the differences in one
 * transaction and makes the copy 'disk'.  So the queue never holds more than one table of each
 * kind, and a failed write is repeated with the next one.  If the file cannot be opened, 'disk' is
 * unknown; the writer reads the file before it writes.
 */
#include <config.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "sm/store/db.h"
#include "util/xalloc.h"

struct store {
	const struct log *log;
	char path[256];
	pthread_t writer;
	pthread_mutex_t lock;
	pthread_cond_t wake;            /* the writer has something to do */
	pthread_cond_t done;            /* a write ended */
	/* under 'lock' */
	struct table now[TABLES];
	/* generations of 'now': put, on the disk, tried last */
	uint64_t wanted, written, tried;
	/* end the thread; retry what failed; a write is in progress */
	bool stop, retry, busy;
	int err;                        /* of the last attempt; 0: success */
	char why[DB_WHY_BYTES];
	char note[DB_NOTE_BYTES];       /* findings of opening the file, not yet logged */
	bool read;                      /* the file was read, when the store was opened or since */
	uint64_t commits, failures;
	/* used by the writer only; by store_open() before the writer starts */
	struct db *db;
	struct table disk[TABLES];
	/* used by the caller only */
	int err_logged;
};

static void
tables_clear(struct table t[static TABLES])
{
	for (int i = 0; i < TABLES; i++)
		table_clear(&t[i]);
}

static void
tables_copy(struct table to[static TABLES], const struct table from[static TABLES])
{
	for (int i = 0; i < TABLES; i++)
		to[i] = table_copy((enum table_id)i, &from[i]);
}

/* Makes 'from' what the file holds, and empties 'from'. */
static void
disk_set(struct store *s, struct table from[static TABLES])
{
	for (int i = 0; i < TABLES; i++) {
		table_clear(&s->disk[i]);
		s->disk[i] = from[i];
		from[i] = (struct table){ NULL, 0 };
	}
}

/* Opens the file and reads what it holds into 'disk'; what could be read in any case is in f->t. */
static int
connect_file(struct store *s, struct db_found *f)
{
	struct table t[TABLES] = { { NULL, 0 } };
	bool on_disk;
	int err;

	if (!s->path[0]) {
		snprintf(f->why, sizeof(f->why), "the path is too long");
		return -ENAMETOOLONG;
	}
	err = db_open(s->path, &s->db, f, &on_disk);
	if (!err && on_disk)
		tables_copy(t, f->t);
	disk_set(s, t);
	return err;
}

/* One attempt to write 'copy' to the disk.  After a failure, the next attempt opens the file
 * again. */
static int
write_copy(struct store *s, struct table copy[static TABLES], struct db_found *f)
{
	int err = 0;

	*f = (struct db_found){ .read = false };
	if (!s->db)
		err = connect_file(s, f);
	if (!err)
		err = db_write(s->db, s->disk, copy, f->why);
	if (err) {
		db_close(s->db);
		s->db = NULL;
		return err;
	}
	disk_set(s, copy);
	f->read = true;
	return 0;
}

static void
note_result(struct store *s, uint64_t generation, int err, const struct db_found *f)
{
	s->tried = generation;
	s->err = err;
	s->read |= f->read;
	if (f->note[0])
		memcpy(s->note, f->note, sizeof(s->note));
	snprintf(s->why, sizeof(s->why), "%s", err ? f->why : "");
	if (err) {
		s->failures++;
	} else {
		s->written = generation;
		s->commits++;
	}
}

static bool
has_work(const struct store *s)
{
	return s->retry || (s->written != s->wanted && s->tried != s->wanted);
}

static void *
writer_run(void *arg)
{
	struct store *s = arg;
	struct db_found f;
	struct table copy[TABLES] = { { NULL, 0 } };
	uint64_t generation;
	int err;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!has_work(s) && !s->stop)
			pthread_cond_wait(&s->wake, &s->lock);
		if (!has_work(s))
			break;
		generation = s->wanted;
		s->retry = false;
		s->busy = true;
		tables_copy(copy, s->now);
		pthread_mutex_unlock(&s->lock);
		err = write_copy(s, copy, &f);
		tables_clear(copy);
		tables_clear(f.t);
		pthread_mutex_lock(&s->lock);
		s->busy = false;
		note_result(s, generation, err, &f);
		pthread_cond_broadcast(&s->done);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Logs what changed since the last time, from the caller's thread. */
static void
log_changes(struct store *s)
{
	char found[DB_NOTE_BYTES], why[DB_WHY_BYTES];
	bool read;
	int err;

	pthread_mutex_lock(&s->lock);
	err = s->err;
	read = s->read;
	memcpy(found, s->note, sizeof(found));
	memcpy(why, s->why, sizeof(why));
	s->note[0] = '\0';
	pthread_mutex_unlock(&s->lock);
	if (found[0])
		log_line(s->log, LOG_ERROR, "store", "%s: %s", s->path, found);
	if (err && err != s->err_logged && read)
		log_line(s->log, LOG_ERROR, "store",
			"%s cannot be written: %s; what it holds was read, "
			"changes are kept in memory only",
			s->path, why);
	else if (err && err != s->err_logged)
		log_line(s->log, LOG_ERROR, "store", "%s: %s; LIDs are kept in memory only",
			s->path, why);
	else if (!err && s->err_logged)
		log_line(s->log, LOG_NOTE, "store", "%s: works again", s->path);
	s->err_logged = err;
}

struct store *
store_open(const char *dir, const struct log *log)
{
	struct store *s = xcalloc(1, sizeof(*s));
	struct db_found f = { .read = false };

	s->log = log;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->wake, NULL);
	pthread_cond_init(&s->done, NULL);
	if ((size_t)snprintf(s->path, sizeof(s->path), "%s/heddle.db", dir) >= sizeof(s->path))
		s->path[0] = '\0';
	else
		/* may exist; if it cannot be created, opening reports the error */
		mkdir(dir, 0700);
	s->err = connect_file(s, &f);
	snprintf(s->why, sizeof(s->why), "%s", s->err ? f.why : "");
	memcpy(s->note, f.note, sizeof(s->note));
	s->failures = s->err != 0;
	s->read = f.read;
	memcpy(s->now, f.t, sizeof(s->now));
	/* Salvaged rows are not on the disk yet, and rows that were left out still are. */
	for (int i = 0; !s->err && i < TABLES; i++)
		s->wanted |= !table_same((enum table_id)i, &s->now[i], &s->disk[i]) ||
			db_needs_repair(s->db);
	if (pthread_create(&s->writer, NULL, writer_run, s) != 0)
		bug("store: no thread can be made");
	log_changes(s);
	return s;
}

/* A copy of the table as last put: malloc'ed, NULL when empty. */
static void *
table_load(struct store *s, enum table_id id, size_t *n)
{
	struct table t;

	pthread_mutex_lock(&s->lock);
	t = table_copy(id, &s->now[id]);
	pthread_mutex_unlock(&s->lock);
	*n = t.n;
	return t.rows;
}

static void
table_put(struct store *s, enum table_id id, const void *rows, size_t n)
{
	struct table t = table_of_rows(id, rows, n), old = t;

	pthread_mutex_lock(&s->lock);
	if (!table_same(id, &s->now[id], &t)) {
		old = s->now[id];
		s->now[id] = t;
		s->wanted++;
		pthread_cond_signal(&s->wake);
	}
	pthread_mutex_unlock(&s->lock);
	table_clear(&old);
}

size_t
store_load_lids(struct store *s, struct store_lid **out)
{
	size_t n;

	*out = table_load(s, TABLE_LIDS, &n);
	return n;
}

void
store_put_lids(struct store *s, const struct store_lid *rows, size_t n)
{
	table_put(s, TABLE_LIDS, rows, n);
}

size_t
store_load_groups(struct store *s, struct store_group **out)
{
	size_t n;

	*out = table_load(s, TABLE_GROUPS, &n);
	return n;
}

void
store_put_groups(struct store *s, const struct store_group *rows, size_t n)
{
	table_put(s, TABLE_GROUPS, rows, n);
}

/* Whether all parts are there: each of them full but the last. */
static bool
is_complete(const struct store_chunk *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].n != i || (v[i].len == STORE_CHUNK_BYTES) != (i + 1 < n))
			return false;
	return n > 0;
}

char *
store_load_topology(struct store *s, size_t *len)
{
	size_t n;
	struct store_chunk *v = table_load(s, TABLE_TOPOLOGY, &n);
	char *text = NULL;

	*len = 0;
	if (is_complete(v, n)) {
		text = xmalloc(n * STORE_CHUNK_BYTES);
		for (size_t i = 0; i < n; i++) {
			memcpy(text + *len, v[i].bytes, v[i].len);
			*len += v[i].len;
		}
	} else if (n) {
		log_line(s->log, LOG_ERROR, "store",
			"%s: a part of the intended topology is lost; it is learned again",
			s->path);
	}
	free(v);
	return text;
}

void
store_put_topology(struct store *s, const char *text, size_t len)
{
	size_t n = len / STORE_CHUNK_BYTES + 1;
	struct store_chunk *v;

	if (len > STORE_TOPOLOGY_MAX) {
		log_line(s->log, LOG_ERROR, "store",
			"the intended topology is too large to be kept: %zu bytes", len);
		n = len = 0;
	}
	v = xcalloc(n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		size_t at = i * STORE_CHUNK_BYTES;

		v[i].n = (uint32_t)i;
		v[i].len = (uint32_t)(len - at < STORE_CHUNK_BYTES ? len - at : STORE_CHUNK_BYTES);
		memcpy(v[i].bytes, text + at, v[i].len);
	}
	table_put(s, TABLE_TOPOLOGY, v, n);
	free(v);
}

int
store_flush(struct store *s)
{
	uint64_t goal;
	int err;

	pthread_mutex_lock(&s->lock);
	goal = s->wanted;
	if (s->tried == s->wanted && s->written != s->wanted) {
		s->retry = true;
		pthread_cond_signal(&s->wake);
	}
	while (s->written < goal && (s->tried < goal || s->retry || s->busy))
		pthread_cond_wait(&s->done, &s->lock);
	err = s->written < goal ? s->err : 0;
	pthread_mutex_unlock(&s->lock);
	log_changes(s);
	return err;
}

void
store_status(struct store *s, struct store_status *out)
{
	pthread_mutex_lock(&s->lock);
	if (s->err && !s->retry) {
		s->retry = true;
		pthread_cond_signal(&s->wake);
	}
	*out = (struct store_status){
		.ok = s->err == 0,
		.read = s->read,
		.pending = s->written != s->wanted,
		.commits = s->commits,
		.failures = s->failures,
	};
	memcpy(out->path, s->path, sizeof(out->path));
	memcpy(out->why, s->why, sizeof(out->why));
	pthread_mutex_unlock(&s->lock);
	log_changes(s);
}

void
store_close(struct store *s)
{
	if (!s)
		return;
	store_flush(s);
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->writer, NULL);
	db_close(s->db);
	tables_clear(s->now);
	tables_clear(s->disk);
	pthread_cond_destroy(&s->wake);
	pthread_cond_destroy(&s->done);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
