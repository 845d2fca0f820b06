/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settings.c - access to the settings.
 * Room: diags/core.
 */
#include <config.h>
#include "diags/core/context.h"
#include "diags/core/settings.h"

const struct diag_settings *
diag_settings(const struct diag *d)
{
	return &d->set;
}

struct diag_settings *
diag_settings_mut(struct diag *d)
{
	return &d->set;
}
