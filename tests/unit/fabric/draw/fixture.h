/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fixture.h - the fabrics that each format of a picture must show, and how their text is checked
 * and freed.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_DRAW_FIXTURE_H
#define HEDDLE_TESTS_UNIT_FABRIC_DRAW_FIXTURE_H

#include "tests/unit/fabric/draw/drawing.h"

/* A format: what writes it, and what fails the test if the text is not well-formed. */
struct drawing_format {
	void (*write)(const struct picture *p, FILE *out);
	void (*check)(const char *text);
};

/* The picture's text in that format, checked. */
static inline char *
drawing_checked(const struct picture *p, const struct drawing_format *f)
{
	char *text = drawing_text(p, f->write);

	f->check(text);
	return text;
}

static inline void
drawing_end(struct picture *p, struct snapshot *s, char *text)
{
	free(text);
	picture_clear(p);
	snapshot_free(s);
}

/* The checked text of a fabric, which is freed. */
static inline char *
drawing_of(struct snapshot *s, const struct drawing_format *f)
{
	struct picture p;
	char *text;

	drawing_begin(&p, s);
	picture_count(&p);
	text = drawing_checked(&p, f);
	drawing_end(&p, s, NULL);
	return text;
}

static inline struct snapshot *
drawing_lone_switch(void)
{
	static const struct small_node one[] = { { TOPO_SWITCH, 4 } };

	return small_snapshot(one, 1, NULL, 0);
}

/* Two hosts that are linked to each other. */
static inline struct snapshot *
drawing_two_hosts(void)
{
	static const struct small_node two[] = { { TOPO_CA, 1 }, { TOPO_CA, 1 } };
	static const struct small_cable cable[] = { { 0, 1, 1, 1 } };

	return small_snapshot(two, 2, cable, 1);
}

/*
 * Begins a picture of a tree with four missing links, "lost-1" to "lost-4": between switches (which
 * have the GUIDs 0x2000 and 0x3000), to a host, from one, and from a switch to itself.
 */
static inline void
drawing_begin_missing(struct picture *p, struct snapshot **s)
{
	static char words[4][7] = { "lost-1", "lost-2", "lost-3", "lost-4" };
	static struct picture_missing list[4];
	struct snapshot *tree = drawing_tree(1, 2, 1);
	uint32_t leaf = tree->ports[small_port(tree, 1, 0)].node;
	uint32_t other = tree->ports[small_port(tree, 2, 0)].node;
	uint32_t host = tree->ports[small_port(tree, 3, 1)].node;

	list[0] = (struct picture_missing){ leaf, other, words[0] };
	list[1] = (struct picture_missing){ leaf, host, words[1] };
	list[2] = (struct picture_missing){ host, leaf, words[2] };
	list[3] = (struct picture_missing){ leaf, leaf, words[3] };
	drawing_begin(p, tree);
	p->missing = list;
	p->nmissing = 4;
	p->missing_look = 1;
	*s = tree;
}

#endif
