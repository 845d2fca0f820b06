/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * show.h - attributes as dotted lines, "Name:......value" with the value in column 34.
 * Room: diags/core.
 *
 * Names, order and spelling of the lines are those of infiniband-diags; the .def file of an
 * attribute has them as a column.
 */
#ifndef HEDDLE_DIAGS_CORE_SHOW_H
#define HEDDLE_DIAGS_CORE_SHOW_H

#include <jansson.h>
#include <stdint.h>
#include "libmad/attr/attr.h"

struct diag;

/* One line; printf behind the dots. */
void diag_dotted(struct diag *d, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* All rows of an attribute as dotted lines; in other modes returns the object for the document
 * (owned), else NULL. */
json_t *diag_attr(struct diag *d, const struct attr_desc *desc, const uint8_t *image);
/* Single rows, in the order of 'names' (members of the .def file, NULL at the end), after 'tabs'
 * tabs. */
void diag_fields(struct diag *d, const struct attr_desc *desc, const uint8_t *image,
	const char *const *names, unsigned tabs);
/* PortInfo's lines in their traditional order. */
void diag_port_info_text(struct diag *d, const uint8_t *image, unsigned tabs);

#endif
