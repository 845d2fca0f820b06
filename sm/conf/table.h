/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.h - the rows of options.def, and the conversion of values from and to text.
 * Room: conf, private.  Pure.
 *
 * The file, the command line, --dump-config, the sample file and the manual all use these rows, so
 * a key is described in one place.
 */
#ifndef HEDDLE_SM_CONF_TABLE_H
#define HEDDLE_SM_CONF_TABLE_H

#include "sm/conf/conf.h"
#include "util/arena.h"

enum conf_type {
	CONF_UINT, CONF_HEX, CONF_GUID, CONF_BOOL, CONF_NAME, CONF_PATH, CONF_ENGINES, CONF_LEVEL,
	CONF_ENFORCE, CONF_INHERIT, CONF_SL2VL, CONF_VLARB, CONF_KEY, CONF_MKEY, CONF_GUIDS
};
enum conf_when { CONF_LIVE, CONF_START };

/* One row.  H: a heading only.  U, N: a key and what the warning says of it in 'help'; 'known_only'
 * is set, for N 'needless' too. */
struct conf_row {
	const char *heading;
	const char *key;
	bool known_only, needless;
	enum conf_type type;
	enum conf_when when;
	size_t offset;                  /* of the member in struct conf */
	const char *def;                /* default, as text */
	uint64_t min, max;
	const char *unit, *help;
};

extern const struct conf_row conf_rows[];
extern const size_t conf_nrows;

/* The row of a key; NULL: none. */
const struct conf_row *conf_row_of(const char *key);
/* A similar key to suggest for 'word'; NULL: none.  Keys that have no effect are never
 * suggested. */
const char *conf_key_near(const char *word);
/* Room for the message of conf_set(). */
#define CONF_WHY_BYTES 240
/* Parses 'text' into the row's member.  Copies text values into 'a'.  Returns -EINVAL and in
 * 'why' what was expected and what was found. */
int conf_set(struct conf *c, struct arena *a, const struct conf_row *r, const char *text,
	char why[static CONF_WHY_BYTES]);
/* Writes the value to 'buf' as conf_set() reads it, unquoted, truncated to fit. */
const char *conf_text(const struct conf *c, const struct conf_row *r, char *buf, size_t len);
bool conf_same(const struct conf *a, const struct conf *b, const struct conf_row *r);
/* Copies the row's value from 'from' to 'to'; text is copied into 'a'. */
void conf_copy(struct conf *to, struct arena *a, const struct conf *from, const struct conf_row *r);
/* Whether the row holds a secret key: it may be "auto", and its value is not shown once it is
 * set. */
bool conf_is_key(const struct conf_row *r);
/* Whether the row holds a secret key that is set: its value must not be shown. */
bool conf_hidden(const struct conf *c, const struct conf_row *r);
/* The range as "0 to 31", for messages and manuals; "" for values that are not numbers. */
const char *conf_range(const struct conf_row *r, char *buf, size_t len);

#endif
