/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_partitions.c - any bytes as partitions.conf: refused with a sentence, or read to something that holds together.
 */
#include <config.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "tests/fuzz/fuzz.h"

static void
partitions_check(const struct partitions *p)
{
	bool has_default = false;

	FUZZ_CHECK(p->file);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct partition *v = &p->v[i];

		FUZZ_CHECK(v->pkey && v->pkey <= PKEY_DEFAULT_LIMITED && v->name && !v->sl);
		FUZZ_CHECK(!i || p->v[i - 1].pkey < v->pkey);
		has_default |= v->pkey == PKEY_DEFAULT_LIMITED;
		for (uint32_t k = 0; k < v->nrules; k++) {
			FUZZ_CHECK(v->rules[k].who <= PART_GUIDS && v->rules[k].member && v->rules[k].member <= PART_BOTH);
			FUZZ_CHECK(v->rules[k].who != PART_GUIDS || (v->rules[k].first && v->rules[k].first <= v->rules[k].last));
		}
		for (uint32_t k = 0; k < v->ngroups; k++)
			FUZZ_CHECK(v->groups[k].mgid[0] == 0xff && v->groups[k].mtu && v->groups[k].mtu <= 5);
	}
	FUZZ_CHECK(has_default);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf_error e = CONF_ERROR_INIT;
	const struct partitions *p = NULL;
	struct arena a = ARENA_INIT;

	if (partitions_parse("FILE", (const char *)data, size, false, &a, &p, &e)) {
		FUZZ_CHECK(e.text && strncmp(e.text, "FILE:", 5) == 0 && strchr(e.text, '\n') == e.text + strlen(e.text) - 1);
		FUZZ_CHECK(!p);
	} else {
		FUZZ_CHECK(!e.text);
		partitions_check(p);
	}
	conf_error_clear(&e);
	arena_clear(&a);
	return 0;
}
