/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_family.h - values of the keys qos_*, qos_ca_*, qos_rtr_*, qos_sw0_* and qos_swe_*: number of
 * VLs, SL-to-VL and VL arbitration tables.
 * Room: conf.  Pure: text in, values out.
 *
 * A family is the set of keys for one kind of port.  Each value is inherited by itself: from the
 * family's own key, otherwise from the key without a kind (qos_*), otherwise from the built-in
 * default.  family_keys.c maps keys to families; sm/plan/qos.h makes the tables of ports.
 */
#ifndef HEDDLE_SM_CONF_QOS_FAMILY_H
#define HEDDLE_SM_CONF_QOS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QOS_SLS 16u
#define QOS_VL_DROP 15u                 /* packets of an SL with this VL are discarded */
#define QOS_VLS_MAX 15u
#define QOS_ARB_MAX 64u

/* qos_*sl2vl: the VL of each SL. */
struct conf_sl2vl {
	bool set;
	uint8_t vl[QOS_SLS];            /* 0..14, or QOS_VL_DROP */
};

/* qos_*vlarb_high and qos_*vlarb_low: the entries of an arbitration table, in order. */
struct conf_vlarb {
	bool set;
	uint8_t n;                      /* at most QOS_ARB_MAX */
	struct {
		uint8_t vl, weight;     /* 0..14; in units of 64 bytes, 0: entry is skipped */
	} e[QOS_ARB_MAX];
};

/* The kinds of ports that have a family of keys. */
enum qos_kind { QOS_CA, QOS_ROUTER, QOS_SW0, QOS_SWE, QOS_KINDS };

/* All values of one family, after inheritance. */
struct qos_family {
	uint8_t max_vls;                /* 1..15 */
	uint8_t high_limit;             /* PortInfo.VLHighLimit */
	struct conf_vlarb high, low;
	struct conf_sl2vl sl2vl;
};

/* The keys of one family; 0, -1 and unset mean that the value is inherited. */
struct qos_family_keys {
	uint32_t max_vls;
	int32_t high_limit;
	const struct conf_vlarb *high, *low;
	const struct conf_sl2vl *sl2vl;
};
/* Resolves a family: its own keys, otherwise those of all families, otherwise built-in values. */
struct qos_family qos_family_make(
	const struct qos_family_keys *all, const struct qos_family_keys *own);

/* Parses "0,1,2,...": sixteen VLs; "" is unset.  On -EINVAL, 'why' explains what was expected. */
int conf_sl2vl_parse(const char *text, struct conf_sl2vl *out, char *why, size_t len);
/* Parses "vl:weight,...", at most 64 entries; "" is unset.  On -EINVAL, 'why' explains what was
 * expected. */
int conf_vlarb_parse(const char *text, struct conf_vlarb *out, char *why, size_t len);
/* Writes a value to 'buf' in the form that parses back; "" when unset. */
void conf_sl2vl_text(const struct conf_sl2vl *v, char *buf, size_t len);
void conf_vlarb_text(const struct conf_vlarb *v, char *buf, size_t len);

#endif
