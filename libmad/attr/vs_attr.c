/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vs_attr.c - makes the functions of the vendor attributes from their rows.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/vs_attr.h"
#include "libmad/wire/wire.h"

#define ATTR_NAME vs_general_info
#define ATTR_DEF "libmad/attr/vs_general_info.def"
#define ATTR_BYTES VS_GENERAL_INFO_BYTES
#define ATTR_TEXT "GeneralInfo"
#define ATTR_ID VS_GENERAL_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vs_config_space
#define ATTR_DEF "libmad/attr/vs_config_space.def"
#define ATTR_BYTES VS_CONFIG_SPACE_BYTES
#define ATTR_TEXT "ConfigSpaceAccess"
#define ATTR_ID VS_CONFIG_SPACE_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vs_counter_group_info
#define ATTR_DEF "libmad/attr/vs_counter_group_info.def"
#define ATTR_BYTES VS_COUNTER_GROUP_INFO_BYTES
#define ATTR_TEXT "CounterGroupInfo"
#define ATTR_ID VS_COUNTER_GROUP_INFO_ID
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vs_counter_groups
#define ATTR_DEF "libmad/attr/vs_counter_groups.def"
#define ATTR_BYTES VS_COUNTER_GROUPS_BYTES
#define ATTR_TEXT "ConfigCounterGroup"
#define ATTR_ID VS_COUNTER_GROUPS_ID
#include "libmad/attr/attr_impl.h"

const struct attr_desc *const vs_attr_all[] = {
	&vs_general_info_desc,
	&vs_config_space_desc,
	&vs_counter_group_info_desc,
	&vs_counter_groups_desc,
	NULL,
};
