/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_rig.h - a reader of qos-policy.conf over a text, for the tests of its sections.
 */
#ifndef HEDDLE_TESTS_UNIT_CONF_QOS_RIG_H
#define HEDDLE_TESTS_UNIT_CONF_QOS_RIG_H

#include <errno.h>
#include "tests/unit/test.h"
#include "sm/conf/qos_text.h"
#include "sm/conf/text/say.h"

struct qos_rig {
	struct qos_reader r;
	struct arena arena;
	struct conf_error e;
	char *text;                     /* ends exactly at r.end, for sanitizers */
};

static inline int
qos_rig_setup(void **state)
{
	*state = calloc(1, sizeof(struct qos_rig));
	return *state ? 0 : -1;
}

static inline void
qos_rig_clear(struct qos_rig *g)
{
	conf_error_clear(&g->e);
	arena_clear(&g->arena);
	free(g->text);
	g->text = NULL;
}

static inline int
qos_rig_teardown(void **state)
{
	struct qos_rig *g = *state;

	qos_rig_clear(g);
	free(g);
	return 0;
}

/* Begins to read 'text'. */
static inline struct qos_reader *
qos_rig_read(struct qos_rig *g, const char *text)
{
	size_t n = strlen(text);

	qos_rig_clear(g);
	g->text = malloc(n ? n : 1);
	assert_non_null(g->text);
	memcpy(g->text, text, n);
	g->r = (struct qos_reader){
		.file = "F", .p = g->text, .end = g->text + n, .line = 1, .a = &g->arena,
		.e = &g->e, .d.ulp_default = -1,
	};
	return &g->r;
}

/* The only error must be this line; a newline follows it. */
static inline void
qos_rig_expect(struct qos_rig *g, const char *line)
{
	char want[400];

	snprintf(want, sizeof want, "%s\n", line);
	assert_non_null(g->e.text);
	assert_string_equal(g->e.text, want);
	assert_int_equal(g->e.nerrors, 1);
}

#endif
