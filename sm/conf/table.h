/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table.h - options.def as rows, and values from text, to text and compared by them.
 * Room: conf, private.  Pure.
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

/* One row.  H: heading only.  U: key only, 'offset' is of no use and 'known_only' is set. */
struct conf_row {
	const char *heading;
	const char *key;
	bool known_only;
	enum conf_type type;
	enum conf_when when;
	size_t offset;                  /* of the member in struct conf */
	const char *def;                /* default, as text */
	uint64_t min, max;
	const char *unit, *help;
};

extern const struct conf_row conf_rows[];
extern const size_t conf_nrows;

/* The row of a key, NULL. */
const struct conf_row *conf_row_of(const char *key);
/* A key that 'word' may have meant, NULL; keys that do nothing here are not offered. */
const char *conf_key_near(const char *word);
/* Room for what conf_set has to say. */
#define CONF_WHY_BYTES 240
/* Reads 'text' into the row's member.  Text members are copied into 'a'.  -EINVAL: 'why' says what
 * was expected and what came. */
int conf_set(struct conf *c, struct arena *a, const struct conf_row *r, const char *text,
	char why[static CONF_WHY_BYTES]);
/* The value as conf_set reads it, unquoted, into 'buf'; cut to fit. */
const char *conf_text(const struct conf *c, const struct conf_row *r, char *buf, size_t len);
bool conf_same(const struct conf *a, const struct conf *b, const struct conf_row *r);
/* Gives 'to' the value that 'from' has; text is copied into 'a'. */
void conf_copy(struct conf *to, struct arena *a, const struct conf *from, const struct conf_row *r);
/* Whether the row is a key, which may be auto and is not shown once it is set. */
bool conf_is_key(const struct conf_row *r);
/* Whether it is a key that was set: its value is for no eye. */
bool conf_hidden(const struct conf *c, const struct conf_row *r);
/* "0 to 31", for messages and manuals; "" for what is no number. */
const char *conf_range(const struct conf_row *r, char *buf, size_t len);

#endif
