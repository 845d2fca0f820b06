/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * target.h - the back end that conformance cases run on.
 * Room: verbs/conform/kit.
 *
 * Cases run on any back end of verbs/backend.  A target says which, and lets tests replace the
 * world, the way devices are opened and the provider's name; ibhcatest fills it from its options.
 * kit.h is what cases are written with, verbs/conform/conform.h runs them.
 */
#ifndef HEDDLE_VERBS_CONFORM_KIT_TARGET_H
#define HEDDLE_VERBS_CONFORM_KIT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#define CONFORM_WORDS_MAX 400           /* the longest outcome, with its NUL */

struct verbs_dev;
struct verbs_world;

struct conform_target {
	const char *backend;            /* "soft", "verbs" */
	struct verbs_world *(*world_new)(void *arg, uint64_t seed);     /* NULL: not available */
	/* opens a device; NULL: the open operation of the world does */
	int (*open)(void *arg, struct verbs_world *world, const char *name, struct verbs_dev **dev);
	/* returns the provider's name; NULL: it is the device's name up to its first digit */
	const char *(*provider)(const struct verbs_dev *dev);
	void *arg;
	/* a new world for each case: no case sees effects of another */
	bool fresh;
};

#endif
