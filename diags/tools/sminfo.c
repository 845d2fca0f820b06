/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sminfo.c - reads or sets the SMInfo of a subnet manager.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

struct sminfo {
	struct sm_info wanted; /* the values to be set */
};

static void
state_init(void *state)
{
	*(struct sminfo *)state = (struct sminfo){ .wanted = { .state = SM_STATE_STANDBY } };
}

static const char *
state_word(uint8_t state)
{
	static const char *const words[] = { "SMINFO_NOTACT", "SMINFO_DISCOVER", "SMINFO_STANDBY",
		"SMINFO_MASTER" };

	return state < 4 ? words[state] : "???";
}

static int
option(struct diag *d, int id, const char *value)
{
	struct sminfo *opt = diag_state(d);
	static const uint64_t max[] = { ['s'] = 15, ['p'] = 15, ['a'] = UINT32_MAX };
	uint64_t v;

	if (id != 's' && id != 'p' && id != 'a')
		return -ENOENT;
	if (!diag_number(value, max[id], &v))
		return diag_usage(d, "-%c: \"%s\" is not a number from 0 to %" PRIu64, id, value,
			max[id]);
	if (id == 's')
		opt->wanted.state = (uint8_t)v;
	else if (id == 'p')
		opt->wanted.priority = (uint8_t)v;
	else
		opt->wanted.act_count = (uint32_t)v;
	return 0;
}

static int
sminfo_run(struct diag *d, int argc, char **argv)
{
	struct sminfo *opt = diag_state(d);
	uint8_t data[64] = { 0 };
	struct diag_addr to;
	struct sm_info s;
	uint64_t modifier = 0;
	json_t *o;
	int r;

	if (argc > 1 && !diag_number(argv[1], UINT32_MAX, &modifier))
		return diag_usage(d, "the modifier \"%s\" is not a number", argv[1]);
	r = diag_open(d);
	if (!r)
		r = argc ? diag_address(d, argv[0], &to) : diag_addr_sm(d, &to);
	if (r)
		return r;
	sm_info_encode(data, &opt->wanted);
	if (modifier ? diag_set(d, &to, SM_INFO_ID, (uint32_t)modifier, data) : diag_get(d, &to,
	    SM_INFO_ID, 0, data))
		return diag_give_up(d, "query");
	s = sm_info_decode(data);
	diag_text(d, "sminfo: sm lid %d sm guid 0x%" PRIx64
		", activity count %u priority %d state %d %s\n", to.lid, s.guid, s.act_count,
		s.priority, s.state, state_word(s.state));
	o = json_object();
	json_object_set_new(o, "lid", to.kind == DIAG_ADDR_PATH ? json_null() :
		json_integer(to.lid));
	json_object_set_new(o, "guid", diag_json_guid(s.guid));
	json_object_set_new(o, "activity", json_integer(s.act_count));
	json_object_set_new(o, "priority", json_integer(s.priority));
	json_object_set_new(o, "state", json_string(state_word(s.state)));
	json_object_set_new(o, "state_raw", json_integer(s.state));
	json_object_set_new(diag_doc(d), "sm", o);
	return EXIT_OK;
}

static const struct diag_option options[] = {
	{ 's', "state", "<0-3>", "set SM state" },
	{ 'p', "priority", "<0-15>", "set SM priority" },
	{ 'a', "activity", "<val>", "set activity count" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "sminfo", .operands = "<sm_lid|sm_dr_path> [modifier]",
	.about = "queries the SMInfo attribute of a subnet manager, or sets it",
	.masked = "sK", .flags = DIAG_REPLAY, .options = options, .option = option,
	.run = sminfo_run,
	.state_bytes = sizeof(struct sminfo), .init = state_init,
};
