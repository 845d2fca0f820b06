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

/*
 * The paths between all ports, and the index that they are of; both NULL, or 'paths' NULL as long
 * as nobody asked.
 */
struct path_cache {
	struct sa_index *sa;            /* borrowed, as sa_index_borrow() has it */
	struct sa_path_export *paths;
	unsigned age;                   /* served.age that it is of */
};

/*
 * For a job: takes the cache, or a copy of the index.  path_cache_put() gives it back unless
 * something else is served by now.
 */
struct path_cache path_cache_take(struct path_cache *c, const struct served *v);
void path_cache_put(struct path_cache *c, const struct served *v, struct path_cache *back);
void path_cache_clear(struct path_cache *c);
/* Something else may be served by now: then nothing is cached. */
void path_cache_check(struct path_cache *c, const struct served *v);
/* On any thread.  '*more': there are sources left. */
json_t *paths_json(const struct served_view *v, struct path_cache *c, uint16_t first, bool *more);

#endif
