/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_family.h - what the keys qos_*, qos_ca_*, qos_rtr_*, qos_sw0_* and qos_swe_* say of lanes.
 * Room: conf.  Pure: text in, values out.
 */
#ifndef HEDDLE_SM_CONF_QOS_FAMILY_H
#define HEDDLE_SM_CONF_QOS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QOS_SLS 16u
#define QOS_VL_DROP 15u                 /* an SL with this VL is discarded */
#define QOS_VLS_MAX 15u
#define QOS_ARB_MAX 64u

/* qos_*sl2vl: the VL of each SL. */
struct conf_sl2vl {
	bool set;
	uint8_t vl[QOS_SLS];            /* 0..14, QOS_VL_DROP */
};

/* qos_*vlarb_high and _low: entries of an arbitration table in their order. */
struct conf_vlarb {
	bool set;
	uint8_t n;                      /* at most QOS_ARB_MAX */
	struct {
		uint8_t vl, weight;     /* 0..14; 64-byte units, 0 skips */
	} e[QOS_ARB_MAX];
};

/* Whose ports a family of keys is about. */
enum qos_kind { QOS_CA, QOS_ROUTER, QOS_SW0, QOS_SWE, QOS_KINDS };

/* One family with everything in it. */
struct qos_family {
	uint8_t max_vls;                /* 1..15 */
	uint8_t high_limit;             /* PortInfo.VLHighLimit */
	struct conf_vlarb high, low;
	struct conf_sl2vl sl2vl;
};

/* The keys of one family: 0, -1 and unset leave the value open. */
struct qos_family_keys {
	uint32_t max_vls;
	int32_t high_limit;
	const struct conf_vlarb *high, *low;
	const struct conf_sl2vl *sl2vl;
};
/* What a family is: its own keys, else those of all families, else what is built in. */
struct qos_family qos_family_make(
	const struct qos_family_keys *all, const struct qos_family_keys *own);

/* Reads "0,1,2,...": sixteen VLs; "" is unset.  -EINVAL: 'why' says what was expected. */
int conf_sl2vl_parse(const char *text, struct conf_sl2vl *out, char *why, size_t len);
/* Reads "vl:weight,...", at most 64; "" is unset.  -EINVAL as above. */
int conf_vlarb_parse(const char *text, struct conf_vlarb *out, char *why, size_t len);
/* The values as they are parsed, into 'buf'; "" when unset. */
void conf_sl2vl_text(const struct conf_sl2vl *v, char *buf, size_t len);
void conf_vlarb_text(const struct conf_vlarb *v, char *buf, size_t len);

#endif
