/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_qos_policy.c - any bytes as qos-policy.conf: refused with a sentence, or read to something that holds together.
 */
#include <config.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "tests/fuzz/fuzz.h"

static void
check_ranges(const struct qos_ranges *r, uint64_t max)
{
	for (uint32_t i = 0; i < r->n; i++) {
		FUZZ_CHECK(r->v[i].first <= r->v[i].last && r->v[i].last <= max);
		FUZZ_CHECK(!i || (r->v[i - 1].last < UINT64_MAX && r->v[i - 1].last + 1 < r->v[i].first));
		FUZZ_CHECK(qos_ranges_has(r, r->v[i].first) && qos_ranges_has(r, r->v[i].last));
	}
}

static void
check_named(const struct qos_policy *p, const struct qos_groups_named *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		FUZZ_CHECK(g->v[i] < p->ngroups);
}

static void
check_tables(const struct qos_policy *p)
{
	for (uint32_t i = 0; i < p->nvlarb; i++) {
		check_named(p, &p->vlarb[i].groups);
		check_named(p, &p->vlarb[i].across);
		FUZZ_CHECK(p->vlarb[i].high.n <= QOS_ARB_MAX && p->vlarb[i].low.n <= QOS_ARB_MAX);
	}
	for (uint32_t i = 0; i < p->nsl2vl; i++) {
		check_named(p, &p->sl2vl[i].groups);
		check_named(p, &p->sl2vl[i].across_from);
		check_named(p, &p->sl2vl[i].across_to);
		for (unsigned k = 0; k < QOS_SLS; k++)
			FUZZ_CHECK(p->sl2vl[i].table.vl[k] <= QOS_VL_DROP);
	}
}

static void
policy_check(const struct qos_policy *p)
{
	FUZZ_CHECK(p->file && p->default_level < p->nlevels);
	for (uint32_t i = 0; i < p->ngroups; i++) {
		check_ranges(&p->groups[i].guids, UINT64_MAX);
		check_ranges(&p->groups[i].pkeys, PKEY_DEFAULT_LIMITED);
		FUZZ_CHECK(p->groups[i].name);
		for (uint32_t k = 0; k < p->groups[i].nnames; k++)
			FUZZ_CHECK(p->groups[i].names[k].node[0]);
	}
	for (uint32_t i = 0; i < p->nlevels; i++) {
		const struct qos_level *l = &p->levels[i];

		FUZZ_CHECK(l->name && l->sl < 16 && l->mtu <= 5 && l->rate != 1 && l->rate <= 26 && l->life < 64);
		check_ranges(&l->path_bits, UINT16_MAX);
		check_ranges(&l->pkeys, PKEY_DEFAULT_LIMITED);
	}
	for (uint32_t i = 0; i < p->nrules; i++) {
		FUZZ_CHECK(p->rules[i].level < p->nlevels);
		check_named(p, &p->rules[i].src);
		check_named(p, &p->rules[i].dst);
		check_ranges(&p->rules[i].classes, UINT64_MAX);
		check_ranges(&p->rules[i].services, UINT64_MAX);
		check_ranges(&p->rules[i].pkeys, PKEY_DEFAULT_LIMITED);
	}
	check_tables(p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf_error e = CONF_ERROR_INIT;
	const struct qos_policy *p = NULL;
	struct arena a = ARENA_INIT;
	const struct partitions *parts = partitions_default(&a);

	if (qos_policy_parse("FILE", (const char *)data, size, parts, &a, &p, &e)) {
		FUZZ_CHECK(e.text && strncmp(e.text, "FILE:", 5) == 0 && strchr(e.text, '\n') == e.text + strlen(e.text) - 1);
		FUZZ_CHECK(!p);
	} else {
		FUZZ_CHECK(!e.text);
		policy_check(p);
	}
	conf_error_clear(&e);
	arena_clear(&a);
	return 0;
}
