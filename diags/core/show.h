/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * show.h - prints attributes as dotted lines, "Name:......value" with the value in column 34.
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

/* Prints one line; 'fmt' formats the value. */
void diag_dotted(struct diag *d, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints all fields of an attribute as dotted lines. In other modes it returns the object for the
 * document, which the caller owns; in text mode NULL. */
json_t *diag_attr(struct diag *d, const struct attr_desc *desc, const uint8_t *image);
/* Prints the fields 'names' (member names of the .def file, terminated by NULL) in that order,
 * after 'tabs' tabs. */
void diag_fields(struct diag *d, const struct attr_desc *desc, const uint8_t *image,
	const char *const *names, unsigned tabs);
/* Prints the lines of PortInfo in their traditional order. */
void diag_port_info_text(struct diag *d, const uint8_t *image, unsigned tabs);

#endif
