/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_family.c - the QoS keys of port families: their text form, and inheritance.
 * Room: conf.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/qos_family.h"
#include "util/xalloc.h"

#define MAX_VLS 15
#define HIGH_LIMIT 0
#define VLARB_HIGH "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0"
#define VLARB_LOW "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4"
#define SL2VL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"
#define SHOWN 24                        /* letters of a bad value that a message repeats */

/* Parses a decimal or 0x number up to 'max'; '*p' moves past it and the blanks around it. */
static bool
take_number(const char **p, unsigned max, uint8_t *out)
{
	const char *s = *p + strspn(*p, " \t");
	unsigned long v;
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	v = strtoul(s, &end, 0);
	*p = end + strspn(end, " \t");
	*out = (uint8_t)v;
	return v <= max;
}

int
conf_sl2vl_parse(const char *text, struct conf_sl2vl *out, char *why, size_t len)
{
	const char *p = text + strspn(text, " \t"), *at = p;
	unsigned n = 0;

	*out = (struct conf_sl2vl){ .set = *p != '\0' };
	while (out->set && n < QOS_SLS) {
		at = p;
		if (!take_number(&p, QOS_VL_DROP, &out->vl[n]))
			break;
		n++;
		at = p;
		if (*p != ',')
			break;
		p++;
	}
	if (!out->set || (n == QOS_SLS && !*p))
		return 0;
	if (n == QOS_SLS)
		snprintf(why, len, "expected 16 numbers from 0 to 15, got more: '%.*s'", SHOWN, at);
	else if (*at)
		snprintf(why, len, "expected 16 numbers from 0 to 15, got '%.*s' as number %u",
			SHOWN, at, n + 1);
	else
		snprintf(why, len, "expected 16 numbers from 0 to 15, got %u", n);
	return -EINVAL;
}

static bool
take_entry(const char **p, uint8_t *vl, uint8_t *weight)
{
	if (!take_number(p, QOS_VLS_MAX - 1, vl) || **p != ':')
		return false;
	(*p)++;
	return take_number(p, UINT8_MAX, weight) && (**p == ',' || !**p);
}

int
conf_vlarb_parse(const char *text, struct conf_vlarb *out, char *why, size_t len)
{
	const char *p = text + strspn(text, " \t");

	memset(out, 0, sizeof(*out));
	out->set = *p != '\0';
	for (bool more = out->set; more; ) {
		const char *at = p;

		if (out->n == QOS_ARB_MAX) {
			snprintf(why, len, "expected at most %u entries", QOS_ARB_MAX);
			return -EINVAL;
		}
		if (!take_entry(&p, &out->e[out->n].vl, &out->e[out->n].weight)) {
			snprintf(why, len,
				"expected VL:WEIGHT,... with VLs from 0 to 14 and weights from 0 to 255, got '%.*s'",
				SHOWN, at);
			return -EINVAL;
		}
		out->n++;
		more = *p == ',';
		p += more;
	}
	return 0;
}

void
conf_sl2vl_text(const struct conf_sl2vl *v, char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; v->set && i < QOS_SLS && n < len; i++)
		n += (size_t)snprintf(buf + n, len - n, "%s%u", i ? "," : "", v->vl[i]);
}

void
conf_vlarb_text(const struct conf_vlarb *v, char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < v->n && n < len; i++)
		n += (size_t)snprintf(
			buf + n, len - n, "%s%u:%u", i ? "," : "", v->e[i].vl, v->e[i].weight);
}

/* ---- families ---- */

static struct qos_family
built_in(void)
{
	struct qos_family f = { .max_vls = MAX_VLS, .high_limit = HIGH_LIMIT };
	char why[160];

	if (conf_vlarb_parse(VLARB_HIGH, &f.high, why, sizeof(why)) ||
	    conf_vlarb_parse(VLARB_LOW, &f.low, why, sizeof(why)) ||
	    conf_sl2vl_parse(SL2VL, &f.sl2vl, why, sizeof(why)))
		bug("conf: built-in lanes: %s", why);
	return f;
}

static void
family_override(struct qos_family *f, const struct qos_family_keys *k)
{
	if (k->max_vls)
		f->max_vls = (uint8_t)k->max_vls;
	if (k->high_limit >= 0)
		f->high_limit = (uint8_t)k->high_limit;
	if (k->high->set)
		f->high = *k->high;
	if (k->low->set)
		f->low = *k->low;
	if (k->sl2vl->set)
		f->sl2vl = *k->sl2vl;
}

struct qos_family
qos_family_make(const struct qos_family_keys *all, const struct qos_family_keys *own)
{
	struct qos_family f = built_in();

	family_override(&f, all);
	family_override(&f, own);
	return f;
}
