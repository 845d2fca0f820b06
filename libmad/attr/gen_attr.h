/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gen_attr.h - ClassPortInfo, the attribute that every management class has.
 * Room: libmad/attr.  Pure.  Layouts: docs/wire.md.
 *
 * A manager that answers a class (SA, PMA, BM, CM, vendor classes) describes itself by this
 * attribute: versions, capabilities, response time, where traps go.  The meaning of the capability
 * bits depends on the class; codes.h has those that Heddle uses.  attr.h describes what is declared
 * here.
 */
#ifndef HEDDLE_LIBMAD_ATTR_GEN_ATTR_H
#define HEDDLE_LIBMAD_ATTR_GEN_ATTR_H

#include "libmad/attr/attr.h"

#define CLASS_PORT_INFO_ID 0x0001
#define CLASS_PORT_INFO_BYTES 72

#define ATTR_NAME class_port_info
#define ATTR_DEF "libmad/attr/class_port_info.def"
#define ATTR_BYTES CLASS_PORT_INFO_BYTES
#include "libmad/attr/attr_decl.h"

#endif
