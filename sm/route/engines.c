/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engines.c - the table of routing engines.
 * Room: sm/route.  To add an engine: its own file, a row here, its name in
 * sm/conf/routing/engines.def.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "sm/route/file.h"
#include "sm/route/minhop.h"
#include "sm/route/nue/nue.h"
#include "sm/route/route.h"
#include "sm/route/shaped/shaped_engines.h"
#include "sm/route/tree/tree_engines.h"
#include "sm/route/weights/weights_engines.h"

static const struct route_engine engines[] = {
	{ "updn", VERIFY_ALL, UPDN_OPTIONS,
		"climbs towards the roots, then descends: no loop, no credit loop, one lane",
		updn_run },
	{ "ftree", VERIFY_ALL, 0,
		"a closed formula for trees: no two flows of a shift permutation share a link of a "
		"whole tree; no loop, no credit loop, one lane",
		ftree_run },
	{ "dnup", VERIFY_ALL, UPDN_OPTIONS,
		"climbs away from hosts, then descends: no loop, no credit loop, one lane", dnup_run },
	{ "minhop", VERIFY_HOSTS, MINHOP_OPTIONS,
		"shortest paths; no promise against credit loops", minhop_run },
	{ "nue", VERIFY_ALL, NUE_OPTIONS,
		"routes any fabric: no loop, no credit loop, one VL; not always shortest paths",
		nue_run },
	{ "sssp", VERIFY_HOSTS, SSSP_OPTIONS,
		"shortest paths, balanced over the whole fabric; no promise against credit loops",
		sssp_run },
	{ "dfsssp", VERIFY_HOSTS, SSSP_OPTIONS,
		"balanced shortest paths over several VLs: no credit loop, replies included",
		dfsssp_run },
	{ "lash", VERIFY_ALL, 0,
		"a shortest path per pair of switches, over several VLs: no credit loop, replies "
		"included",
		lash_run },
	{ "dor", VERIFY_HOSTS, DOR_OPTIONS,
		"meshes and hypercubes, dimension after dimension: no credit loop, one lane",
		dor_run },
	{ "torus-2qos", VERIFY_HOSTS, 0,
		"tori, shorter way round each ring: no credit loop, two lanes", torus_2qos_run },
	{ "hyperx", VERIFY_HOSTS, 0,
		"one hop per dimension: no credit loop, one lane, two if damaged", hyperx_run },
	{ "dragonfly", VERIFY_HOSTS, 0,
		"shortest paths between groups: no credit loop, two lanes", dragonfly_run },
	{ "file", VERIFY_HOSTS, 0, "tables of a file; promises nothing", file_run },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct route_engine *
route_engines(uint32_t *n)
{
	*n = COUNT(engines);
	return engines;
}

const struct route_engine *
route_find(const char *name, char *why, size_t why_len)
{
	char list[256] = "";

	for (size_t i = 0; i < COUNT(engines); i++) {
		size_t used = strlen(list);

		if (strcasecmp(name, engines[i].name) == 0)
			return &engines[i];
		snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", engines[i].name);
	}
	snprintf(why, why_len, "there is no routing engine \"%s\"; there are: %s", name, list);
	return NULL;
}
