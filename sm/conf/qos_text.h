/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_text.h - the scanner of qos-policy.conf: words, numbers, lists and blocks, and the state of a
 * reader.
 * Room: conf, private.
 *
 * Each section of the file has its own .c file: qos_policy.c, qos_setup.c and qos_ulps.c.  They
 * share struct qos_reader and these functions.  A function that fails has already added its
 * message; callers only pass the error on.
 */
#ifndef HEDDLE_SM_CONF_QOS_TEXT_H
#define HEDDLE_SM_CONF_QOS_TEXT_H

#include "sm/conf/qos_policy.h"

/* A piece of the text. */
struct qos_slice {
	const char *p;
	size_t n;
};

/* Growing lists in the arena. */
struct qos_range_list {
	struct qos_range *v;
	uint32_t n, cap;
};

/* Names of groups, resolved after the whole file is read. */
struct qos_name {
	const char *text;
	unsigned line;
};

struct qos_name_list {
	struct qos_name *v;
	uint32_t n, cap;
};

struct qos_draft_rule {
	struct qos_name_list src, dst;
	/* complete for a ULP rule; a match rule lacks level and groups */
	struct qos_rule rule;
	struct qos_name level;
};

struct qos_draft_vlarb {
	struct qos_name_list groups, across;
	struct qos_vlarb_scope scope;
};

struct qos_draft_sl2vl {
	struct qos_name_list groups, across_from, across_to;
	struct qos_sl2vl_scope scope;
};

#define QOS_LIST(type) struct { type *v; uint32_t n, cap; }

struct qos_draft {
	QOS_LIST(struct qos_group) groups;
	QOS_LIST(struct qos_level) levels;
	QOS_LIST(struct qos_draft_rule) rules;
	QOS_LIST(struct qos_draft_rule) ulps;
	QOS_LIST(struct qos_draft_vlarb) vlarb;
	QOS_LIST(struct qos_draft_sl2vl) sl2vl;
	/* 1 + index of the level that ULP rules use for that SL; 0: none yet */
	uint32_t sl_level[16];
	int ulp_default;                /* SL, -1: none */
};

struct qos_reader {
	const char *file;
	const char *p, *end;
	unsigned line;
	const struct partitions *partitions;
	struct arena *a;
	struct conf_error *e;
	struct qos_draft d;
};

/* Appends a zeroed element to a QOS_LIST and returns its address. */
#define QOS_ADD(r, list) \
	((list)->v = arena_grow((r)->a, (list)->v, (list)->n, &(list)->cap, 4, sizeof(*(list)->v)), \
	 &(list)->v[(list)->n++])

/* Both add a message and return -EINVAL. */
int qos_expected(struct qos_reader *r, const char *what, struct qos_slice got);
/* reports the next word as what was found */
int qos_expected_here(struct qos_reader *r, const char *what);
void qos_warn(struct qos_reader *r, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The next word; skips blanks, comments and line ends.  Empty at the end of the text. */
struct qos_slice qos_word(struct qos_reader *r);
bool qos_is(struct qos_slice s, const char *word);
bool qos_is_any_case(struct qos_slice s, const char *word);
/* Skips blanks, and consumes 'c' if it is next. */
bool qos_took(struct qos_reader *r, char c);
/* Whether a comma and another list element follow, on this line or on the next line that is not
 * empty.  The element is then next. */
bool qos_more(struct qos_reader *r);
/* 0, or an error if anything is left on this line. */
int qos_end_of_line(struct qos_reader *r);

/* A number of 0..max in C notation. */
int qos_number(struct qos_reader *r, uint64_t max, const char *what, uint64_t *v);
/* A number of 0..max, with nothing after it on the line. */
int qos_single(struct qos_reader *r, uint64_t max, const char *what, uint64_t *v);
/* Parses n[-n]{,n[-n]} and appends it to the list.  A comma may end the line. */
int qos_range_list(struct qos_reader *r, uint64_t max, const char *what, struct qos_range_list *l);
/* The list, sorted and without overlaps; owned by the arena. */
struct qos_ranges qos_ranges_of(struct qos_range_list *l);
/* Appends P_Keys without their membership bit. */
int qos_pkeys(struct qos_reader *r, struct qos_range_list *l);
/* Text up to the end of the line or a comma, without quotes and surrounding blanks; never empty.
 * 'comma': whether another element may follow. */
int qos_string(struct qos_reader *r, const char *what, bool list, const char **s);
/* Text up to the end of the line, commas included; may be empty. */
int qos_description(struct qos_reader *r);
/* Parses name{,name} and appends it to the list. */
int qos_name_list(struct qos_reader *r, const char *what, struct qos_name_list *l);
/* Compares names; ignores case and blanks. */
bool qos_same_name(const char *a, const char *b);

/* One kind of line or block that a block may contain. */
struct qos_key {
	const char *word;
	bool has_value;                 /* a colon follows */
	int (*read)(struct qos_reader *r, void *arg);
};

/* Reads a block up to its "end-NAME" word. */
int qos_block(
	struct qos_reader *r, const char *name, const struct qos_key *keys, size_t n, void *arg);
/* Reads the entry of 'keys' that 'word' begins.  'block': the enclosing block, NULL at the top
 * level. */
int qos_entry(struct qos_reader *r, const char *block, const struct qos_key *keys, size_t n,
	struct qos_slice word, void *arg);

/* The index of the level that ULP rules use for that SL. */
uint32_t qos_ulp_level(struct qos_reader *r, uint8_t sl);

/* ---- sections ---- */
int qos_ulps(struct qos_reader *r, void *arg);
int qos_setup(struct qos_reader *r, void *arg);

#endif
