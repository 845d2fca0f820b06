/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gen_attr.c - makes the functions of the attribute that every class has.
 * Room: libmad/attr.  Pure.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/gen_attr.h"
#include "libmad/wire/wire.h"

#define ATTR_NAME class_port_info
#define ATTR_DEF "libmad/attr/class_port_info.def"
#define ATTR_BYTES CLASS_PORT_INFO_BYTES
#define ATTR_TEXT "ClassPortInfo"
#define ATTR_ID CLASS_PORT_INFO_ID
#include "libmad/attr/attr_impl.h"
