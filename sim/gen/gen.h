/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gen.h - generates topologies from a SPEC such as "fattree:k=4,levels=3" (list: docs/topology.md).
 * Room: sim/gen.  Pure (gen_or_read excepted: it may open a file).
 * Neighbours: fabric/topo/topo.h, which holds the result.
 *
 * Node indices: switches first, in the order of their family, then hosts in the order of their
 * switches.  The node GUID is 0x00fe1d0000000000 + 0x100 * index, a host's port GUID the node GUID
 * + the port, a switch's port 0 GUID its node GUID.  Hosts are on the lowest ports of their switch.
 * Equal SPECs always give equal topologies.
 */
#ifndef HEDDLE_SIM_GEN_GEN_H
#define HEDDLE_SIM_GEN_GEN_H

#include "fabric/topo/topo.h"

/* 0 and a topology that the caller clears, or -EINVAL and a sentence that names the offending
 * key. */
int gen_topology(const char *spec, struct topo *t, struct topo_error *e);
/*
 * A SPEC or the path of a topology FILE: a SPEC if it begins with "family:" and no such file
 * exists. 0 or a negative errno and a sentence.
 */
int gen_or_read(const char *spec_or_path, struct topo *t, struct topo_error *e);
/* One line per family for help texts; NULL past the last. */
const char *gen_usage(unsigned int i);

#endif
