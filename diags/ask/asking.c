/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * asking.c - the functions by which diags/core opens a port, resolves an address, and reports what
 * the port sent.
 * Room: diags/ask.
 */
#include <config.h>
#include "diags/ask/address.h"
#include "diags/ask/asking.h"
#include "diags/ask/engine.h"
#include "diags/ask/engine_int.h"
#include "diags/ask/mkey.h"
#include "diags/core/tool.h"

const struct diag_asking diag_asking_ports = {
	.state_bytes = sizeof(struct engine),
	.open = diag_open,
	.address = diag_address,
	.mkey_auto = diag_mkey_auto,
	.json_local = engine_json_local,
	.json_mads = engine_json_mads,
	.close = engine_close,
};
