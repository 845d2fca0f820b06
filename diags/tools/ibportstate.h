/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibportstate.h - what is wanted of a port, and how the two ends of a link go together.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_IBPORTSTATE_H
#define HEDDLE_DIAGS_TOOLS_IBPORTSTATE_H

#include <stdbool.h>
#include "libmad/attr/sm_attr.h"

/* Operations on the state, of which one is wanted. */
enum portstate_op {
	OP_QUERY, OP_ENABLE, OP_DISABLE, OP_ON, OP_OFF, OP_RESET, OP_DOWN, OP_ARM, OP_ACTIVE,
	OP_KINDS,
};
/* Values to be set. */
enum portstate_value {
	SET_SPEED, SET_ESPEED, SET_FDR10, SET_WIDTH, SET_VLS, SET_MTU, SET_LID, SET_SMLID, SET_LMC,
	SET_MKEY, SET_MKEYLEASE,
	SET_MKEYPROT, SET_KINDS,
};

struct portstate_want {
	enum portstate_op op;
	bool has_op;
	unsigned set;                   /* bit per enum portstate_value */
	uint64_t value[SET_KINDS];
};

/* Reads the words behind the port number.  0 or the status of a failure that is reported. */
int portstate_words(struct diag *d, int argc, char **argv, struct portstate_want *w);
const char *portstate_op_word(enum portstate_op op);
/* Changes what was read into what is to be written. */
void portstate_apply(const struct portstate_want *w, bool extended, struct port_info *p);
/* Warns where the link runs below what both ends allow; 'object' names it.  FDR10: bits of the
 * vendor's attribute, or 0. */
struct portstate_end {
	struct port_info info;
	bool extended;                  /* has extended speeds */
	struct mlnx_ext_port_info vendor;
};
void portstate_compare(struct diag *d, const char *object, const struct portstate_end *a,
	const struct portstate_end *b);

#endif
