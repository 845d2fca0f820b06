/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibportstate.h - the requested change of a port, and the comparison of both ends of a link.
 * Room: diags/tools.
 *
 * ibportstate.c reads the ports and writes the change. ibportstate_words.c parses the command line
 * into a portstate_want, applies that to a PortInfo, and checks that a link runs at the best values
 * that both ends allow.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBPORTSTATE_H
#define HEDDLE_DIAGS_TOOLS_IBPORTSTATE_H

#include <stdbool.h>
#include "libmad/attr/sm_attr.h"

/* Operations on a port, of which a command line has at most one. */
enum portstate_op {
	OP_QUERY, OP_ENABLE, OP_DISABLE, OP_ON, OP_OFF, OP_RESET, OP_DOWN, OP_ARM, OP_ACTIVE,
	OP_KINDS,
};
/* Fields of PortInfo that a command line can set. */
enum portstate_value {
	SET_SPEED, SET_ESPEED, SET_FDR10, SET_WIDTH, SET_VLS, SET_MTU, SET_LID, SET_SMLID, SET_LMC,
	SET_MKEY, SET_MKEYLEASE,
	SET_MKEYPROT, SET_KINDS,
};

struct portstate_want {
	enum portstate_op op;
	bool has_op;
	unsigned set;                   /* bits of enum portstate_value */
	uint64_t value[SET_KINDS];
};

/* Parses the words after the port number into '*w'. Returns 0 or the exit status of a reported
 * failure. */
int portstate_words(struct diag *d, int argc, char **argv, struct portstate_want *w);
/* Returns the word that the command line has for 'op'. */
const char *portstate_op_word(enum portstate_op op);
/* Turns a PortInfo that was read into the one to be written. States, width, speeds and operational
 * VLs become zero, which means "no change", unless 'w' sets them; all other fields keep the value
 * that was read. 'extended': the port has extended speeds. */
void portstate_apply(const struct portstate_want *w, bool extended, struct port_info *p);
/* portstate_compare() reports a warning for width, speed and extended speed if the link runs below
 * the best value that both ends allow. 'object' names the link. 'vendor' is zero for ports without
 * the vendor's extended PortInfo, which has FDR10. */
struct portstate_end {
	struct port_info info;
	bool extended;                  /* the port supports extended speeds */
	struct mlnx_ext_port_info vendor;
};
void portstate_compare(struct diag *d, const char *object, const struct portstate_end *a,
	const struct portstate_end *b);

#endif
