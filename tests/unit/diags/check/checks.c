/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * checks.c - one check of ibcheck at work on a small fabric, and what it found.
 */
#include <config.h>
#include "diags/ask/asking.h"
#include "tests/unit/diags/check/checks.h"

static const struct diag_tool tool = { .name = "test" };
static const struct check *const all[NCHECKS] = CHECKS;

int
checks_begin(void **state)
{
	struct checks *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	diag_begin(&c->d, &tool, &diag_asking_ports, "test");
	diag_hush(&c->d, true);
	c->run = (struct check_run){ .d = &c->d, .checks = all, .opt = &c->opt };
	checks_fabric(c, fake_snapshot());
	*state = c;
	return 0;
}

int
checks_end(void **state)
{
	struct checks *c = *state;

	check_counters_free(c->run.counters);
	check_run_clear(&c->run);
	diag_clear(&c->d);
	free(c);
	return 0;
}

void
checks_fabric(struct checks *c, struct snapshot *s)
{
	WORLD_SET_ALL(s, width_supported, LINK_WIDTH_1X | LINK_WIDTH_4X);
	WORLD_SET_ALL(s, width_enabled, LINK_WIDTH_1X | LINK_WIDTH_4X);
	world_fabric(&c->run.f, s);
}

static void
forget(struct check_run *r)
{
	for (size_t i = 0; i < r->nfindings; i++) {
		free(r->findings[i].object);
		free(r->findings[i].text);
		json_decref(r->findings[i].detail);
	}
	free(r->findings);
	r->findings = NULL;
	r->nfindings = 0;
	memset(r->result, 0, sizeof(r->result));
}

void
checks_do(struct checks *c, const struct check *check)
{
	unsigned at = 0;

	while (at < NCHECKS && all[at] != check)
		at++;
	assert_true(at < NCHECKS);
	forget(&c->run);
	levels_clear(&c->run.levels);
	levels_make(c->run.f.s, &c->run.levels);
	c->run.at = at;
	if (check->begin)
		check->begin(&c->run);
	check->run(&c->run);
}

const struct check_result *
checks_result(const struct checks *c)
{
	return &c->run.result[c->run.at];
}

unsigned
checks_count(const struct checks *c, const char *code)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->run.nfindings; i++)
		n += !strcmp(c->run.findings[i].code, code);
	return n;
}

const struct check_finding *
checks_finding(const struct checks *c, const char *code)
{
	assert_int_equal(checks_count(c, code), 1);
	for (size_t i = 0; i < c->run.nfindings; i++)
		if (!strcmp(c->run.findings[i].code, code))
			return &c->run.findings[i];
	return NULL;
}

json_int_t
checks_value(const struct checks *c, const char *code, const char *member)
{
	const json_t *v = json_object_get(checks_finding(c, code)->detail, member);

	assert_true(json_is_number(v));
	return json_is_real(v) ? (json_int_t)json_real_value(v) : json_integer_value(v);
}
