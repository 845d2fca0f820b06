/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * jsonscan.h - what stands where in a JSON object too large to hold: its members, then one value,
 * or one element, at a time.
 * Room: util.  A walk over the text; jansson makes the values.
 */
#ifndef HEDDLE_UTIL_JSONSCAN_H
#define HEDDLE_UTIL_JSONSCAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct jsonscan_member {
	char *name;                     /* as it is written between its quotes */
	off_t offset;                   /* of the value's first character */
	unsigned line;                  /* of that, from 1 */
	bool array;
};

struct jsonscan {
	FILE *f;                        /* the caller's; open for as long as this is used */
	struct jsonscan_member *v;      /* in the order of the text */
	size_t n;
};

#define JSONSCAN_WHY_BYTES 200

/*
 * Finds the members of the object that 'f', which can seek, holds and that nothing but blanks
 * follows.  The whole text is checked to be JSON, but for UTF-8, the range of numbers, and names
 * that are twice in one object; at the top such a name is refused.  0, '*s' is to be cleared; or
 * -EINVAL, -EIO with a sentence in 'why', which names the line.
 */
int jsonscan_open(struct jsonscan *s, FILE *f, char why[static JSONSCAN_WHY_BYTES]);
void jsonscan_clear(struct jsonscan *s);
/* NULL: there is none. */
const struct jsonscan_member *jsonscan_find(const struct jsonscan *s, const char *name);
/* The value of a member, the caller's; NULL with a sentence in 'why'. */
json_t *jsonscan_value(const struct jsonscan *s, const struct jsonscan_member *m,
	char why[static JSONSCAN_WHY_BYTES]);
/*
 * Each element of an array of objects in turn, which 'take' borrows; it goes on for as long as that
 * returns 0.  0, what 'take' returned, or -EINVAL with a sentence in 'why' when the member is no
 * such array.
 */
int jsonscan_each(const struct jsonscan *s, const struct jsonscan_member *m,
	int (*take)(void *arg, size_t i, const json_t *element), void *arg,
	char why[static JSONSCAN_WHY_BYTES]);

#endif
