/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * jsonscan.h - reads a JSON object that is too large to hold in memory, one member at a time.
 * Room: util.
 *
 * jsonscan_open() reads the whole text once, checks its syntax, and notes the name and file offset
 * of each top-level member.  jsonscan_value() then loads one member, and jsonscan_each() one
 * element of an array at a time; jansson makes these values.  Memory use depends on the largest
 * value loaded, not on the size of the file.
 */
#ifndef HEDDLE_UTIL_JSONSCAN_H
#define HEDDLE_UTIL_JSONSCAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct jsonscan_member {
	char *name;                     /* as written between the quotes */
	off_t offset;                   /* of the value's first character */
	unsigned line;                  /* of the value's first character, from 1 */
	bool array;
};

struct jsonscan {
	FILE *f;                        /* the caller's; must stay open until jsonscan_clear() */
	struct jsonscan_member *v;      /* in the order of the text */
	size_t n;
};

#define JSONSCAN_WHY_BYTES 200

/*
 * Finds the members of the JSON object in 'f', which must be seekable.  Only white space may follow
 * the object.  Checks the syntax of the whole text, except UTF-8, the range of numbers, and
 * duplicate names in nested objects; a duplicate name at the top level is an error.
 * Returns 0, and the caller clears '*s' later; or -EINVAL or -EIO with a sentence in 'why', which
 * names the line.
 */
int jsonscan_open(struct jsonscan *s, FILE *f, char why[static JSONSCAN_WHY_BYTES]);
void jsonscan_clear(struct jsonscan *s);
/* The member with that name, or NULL. */
const struct jsonscan_member *jsonscan_find(const struct jsonscan *s, const char *name);
/* The value of a member, owned by the caller; or NULL with a sentence in 'why'. */
json_t *jsonscan_value(const struct jsonscan *s, const struct jsonscan_member *m,
	char why[static JSONSCAN_WHY_BYTES]);
/*
 * Calls 'take' with each element of an array of objects; 'take' borrows the element.  Stops when
 * 'take' returns a value other than 0.  Returns 0, the value of 'take', or -EINVAL with a sentence
 * in 'why' if the member is not an array of objects.
 */
int jsonscan_each(const struct jsonscan *s, const struct jsonscan_member *m,
	int (*take)(void *arg, size_t i, const json_t *element), void *arg,
	char why[static JSONSCAN_WHY_BYTES]);

#endif
