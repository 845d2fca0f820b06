/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_text.h - the words, numbers and lists of qos-policy.conf, and what is being made of them.
 * Room: conf, private.
 */
#ifndef HEDDLE_SM_CONF_QOS_TEXT_H
#define HEDDLE_SM_CONF_QOS_TEXT_H

#include "sm/conf/qos_policy.h"

/* A piece of the text. */
struct qos_slice {
	const char *p;
	size_t n;
};

/* Lists that grow, in the arena. */
struct qos_range_list {
	struct qos_range *v;
	uint32_t n, cap;
};

/* Names of groups that are looked up when all are known. */
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
	struct qos_rule rule;           /* of a ULP: finished; of others without level and groups */
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
	/* 1 + index of the level that ULP rules have for that SL; 0: none yet */
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

/* Appends a zeroed element to a QOS_LIST and gives its address. */
#define QOS_ADD(r, list) \
	((list)->v = arena_grow((r)->a, (list)->v, (list)->n, &(list)->cap, 4, sizeof(*(list)->v)), \
	 &(list)->v[(list)->n++])

/* Both -EINVAL. */
int qos_expected(struct qos_reader *r, const char *what, struct qos_slice got);
int qos_expected_here(struct qos_reader *r, const char *what);     /* got: what comes next */
void qos_warn(struct qos_reader *r, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The next word, over blanks, comments and ends of lines; empty at the end of the text. */
struct qos_slice qos_word(struct qos_reader *r);
bool qos_is(struct qos_slice s, const char *word);
bool qos_is_any_case(struct qos_slice s, const char *word);
/* Takes 'c' behind blanks, if it is there. */
bool qos_took(struct qos_reader *r, char c);
/* Whether another element of a list follows: behind a comma, on this line or the next that has
 * something; it comes next. */
bool qos_more(struct qos_reader *r);
/* 0, or "nothing more on this line" was expected. */
int qos_end_of_line(struct qos_reader *r);

/* A number of 0..max in C's notation. */
int qos_number(struct qos_reader *r, uint64_t max, const char *what, uint64_t *v);
/* The same, alone on the rest of the line. */
int qos_single(struct qos_reader *r, uint64_t max, const char *what, uint64_t *v);
/* n[-n]{,n[-n]} behind those that the list has; a comma may end the line. */
int qos_range_list(struct qos_reader *r, uint64_t max, const char *what, struct qos_range_list *l);
/* The list sorted, without overlaps; owned by the arena. */
struct qos_ranges qos_ranges_of(struct qos_range_list *l);
/* P_Keys lose their membership bit. */
int qos_pkeys(struct qos_reader *r, struct qos_range_list *l);
/* Text to the end of the line, or to a comma; quotes removed, blanks around it too; never empty.
 * 'comma': may another follow? */
int qos_string(struct qos_reader *r, const char *what, bool list, const char **s);
/* Text to the end of the line, commas and all; may be empty. */
int qos_description(struct qos_reader *r);
/* name{,name} behind those that the list has. */
int qos_name_list(struct qos_reader *r, const char *what, struct qos_name_list *l);
/* Names are equal whatever their case and blanks. */
bool qos_same_name(const char *a, const char *b);

/* One kind of line or block within a block. */
struct qos_key {
	const char *word;
	bool has_value;                 /* a colon follows */
	int (*read)(struct qos_reader *r, void *arg);
};

/* Reads to the word "end-" and 'name'. */
int qos_block(
	struct qos_reader *r, const char *name, const struct qos_key *keys, size_t n, void *arg);
/* One of 'keys', which 'word' begins.  'block': what they are in, NULL: in none. */
int qos_entry(struct qos_reader *r, const char *block, const struct qos_key *keys, size_t n,
	struct qos_slice word, void *arg);

/* The level that ULP rules have for that SL: its index. */
uint32_t qos_ulp_level(struct qos_reader *r, uint8_t sl);

/* ---- sections ---- */
int qos_ulps(struct qos_reader *r, void *arg);
int qos_setup(struct qos_reader *r, void *arg);

#endif
