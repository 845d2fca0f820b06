/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vs_attr.h - vendor attributes that the diagnostics use: class 0x0a of one vendor, and the OpenIB
 * classes ping and sysstat.
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 *
 * Vendor classes have attributes whose layout only the vendor defines, so a device must be
 * recognized (vendor and device ID) before the values mean anything.  The manager does not use
 * them.  attr.h describes what is declared here; diags/tools/vendstat.c uses most of them.
 */
#ifndef HEDDLE_LIBMAD_ATTR_VS_ATTR_H
#define HEDDLE_LIBMAD_ATTR_VS_ATTR_H

#include "libmad/attr/attr.h"

#define VS_GENERAL_INFO_ID 0x0017
#define VS_CONFIG_SPACE_ID 0x0050
#define VS_COUNTER_GROUP_INFO_ID 0x0090
#define VS_COUNTER_GROUPS_ID 0x0091

#define VS_GENERAL_INFO_BYTES 136
#define VS_CONFIG_SPACE_BYTES 224
#define VS_COUNTER_GROUP_INFO_BYTES 20
#define VS_COUNTER_GROUPS_BYTES 20

/* Class 0x0a: the images are what dgram_keyed_data() returns, and begin with the 8 bytes of the
 * key. */
#define VS_CONFIG_RECORDS 18
/* The classes 0x32 (ping) and 0x33 (sysstat) of vendor range 2 carry text; their OUI and
 * attributes: */
#define VS_OUI_OPENIB 0x001405
#define VS_SYSSTAT_PING_ID 0x0010
#define VS_SYSSTAT_HOST_ID 0x0011
#define VS_SYSSTAT_CPU_ID 0x0012

#define ATTR_NAME vs_general_info
#define ATTR_DEF "libmad/attr/vs_general_info.def"
#define ATTR_BYTES VS_GENERAL_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vs_config_space
#define ATTR_DEF "libmad/attr/vs_config_space.def"
#define ATTR_BYTES VS_CONFIG_SPACE_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vs_counter_group_info
#define ATTR_DEF "libmad/attr/vs_counter_group_info.def"
#define ATTR_BYTES VS_COUNTER_GROUP_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vs_counter_groups
#define ATTR_DEF "libmad/attr/vs_counter_groups.def"
#define ATTR_BYTES VS_COUNTER_GROUPS_BYTES
#include "libmad/attr/attr_decl.h"

/* All attributes above, ended by NULL. */
extern const struct attr_desc *const vs_attr_all[];

#endif
