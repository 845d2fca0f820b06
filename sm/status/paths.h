/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * paths.h - io.heddle.Manager.Paths: the paths of some ports to all others.
 * Room: sm/status.  Pure.
 *
 * The paths are those that the SA would return to the port itself.  Computing the paths between all
 * ports takes long, and a client reads them in several calls: so they are cached until the last
 * call, or until the served data changes.
 */
#ifndef HEDDLE_SM_STATUS_PATHS_H
#define HEDDLE_SM_STATUS_PATHS_H

#include "sm/status/view.h"

/* The paths between all ports, and the index that they were computed from. Both are NULL, or
 * 'paths' is NULL, until the first request. */
struct path_cache {
	struct sa_index *sa;            /* borrowed by sa_index_borrow() */
	struct sa_path_export *paths;
	unsigned age;                   /* served.age at that time */
};

/* path_cache_take() moves the cache into a job, with an index borrowed for it if the cache was
 * empty. path_cache_put() moves it back, unless the served data has changed. */
struct path_cache path_cache_take(struct path_cache *c, const struct served *v);
void path_cache_put(struct path_cache *c, const struct served *v, struct path_cache *back);
void path_cache_clear(struct path_cache *c);
/* Clears the cache if the served data has changed. */
void path_cache_check(struct path_cache *c, const struct served *v);
/* Returns the paths of the next sources from LID 'first'; the caller owns the object. Sets '*more'
 * if there are more sources. May be called on any thread. */
json_t *paths_json(const struct served_view *v, struct path_cache *c, uint16_t first, bool *more);

#endif
