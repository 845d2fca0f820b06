/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * attr_text.c - values as text for people: words of enumerations, masks, addresses, arbitrary
 * bytes.
 * Room: libmad/attr.  Pure.
 *
 * The words are exactly those of infiniband-diags, on which scripts depend, also for codes without
 * a word; tests/oracle compares them with libibmad for every code.  JSON has its own, shorter words
 * for link masks (attr_word()).
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "libmad/attr/attr.h"
#include "util/put.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The words of one enumeration, by code; NULL for codes without a word. */
struct words {
	const char *const *text;        /* as the diagnostic tools print it */
	const char *const *json;        /* NULL: the same */
	unsigned count;
	/* text around the number of a code without a word; NULL: the number alone */
	const char *before, *after;
};

static const char *const node_types[] = { NULL, "Channel Adapter", "Switch", "Router" };
static const char *const port_states[] = { "NoChange", "Down", "Initialize", "Armed", "Active" };
static const char *const phys_states[] = {
	"NoChange", "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp",
	"LinkErrorRecovery", "PhyTest",
};
static const char *const down_states[] = { "NoChange", "Sleep", "Polling" };
static const char *const widths[] = {
	[1] = "1X", [2] = "4X", [4] = "8X", [8] = "12X", [16] = "2X",
};
static const char *const widths_json[] = {
	[1] = "1x", [2] = "4x", [4] = "8x", [8] = "12x", [16] = "2x",
};
static const char *const speeds[] = {
	"Extended speed", "2.5 Gbps", "5.0 Gbps", NULL, "10.0 Gbps",
};
static const char *const speeds_json[] = { NULL, "SDR", "DDR", NULL, "QDR" };
static const char *const ext_speeds[] = {
	"No Extended Speed", "14.0625 Gbps", "25.78125 Gbps", NULL, "53.125 Gbps", NULL, NULL, NULL,
	"106.25 Gbps",
};
static const char *const ext_speeds_json[] = { NULL, "FDR", "EDR", NULL, "HDR", NULL, NULL, NULL,
	"NDR" };
static const char *const ext2_speeds[] = { "No Extended Speed", "212.5 Gbps" };
static const char *const ext2_speeds_json[] = { NULL, "XDR" };
static const char *const mtus[] = { NULL, "256", "512", "1024", "2048", "4096" };
static const char *const vls[] = { NULL, "VL0", "VL0-1", "VL0-3", "VL0-7", "VL0-14" };
static const char *const oper_vls[] = { "No change", "VL0", "VL0-1", "VL0-3", "VL0-7", "VL0-14" };
static const char *const rates[] = {
	NULL, NULL, "2.5", "10", "30", "5", "20", "40", "60", "80", "120", "14", "56", "112", "168",
	"25", "100",
	"200", "300", "28", "50", "400", "600", "800", "1200", "1600", "2400",
};
static const char *const selectors[] = { "greater than", "less than", "exactly", "best available" };
static const char *const sm_states[] = { "NOTACT", "DISCOVER", "STANDBY", "MASTER" };
static const char *const fec_modes[] = { "none", "FireCode", "RS", "low-latency RS", "RS2" };
static const char *const notice_types[] = {
	"fatal", "urgent", "security", "subnet management", "informational", [0x7f] = "empty",
};
static const char *const sample_states[] = { "complete", "started", "running" };
static const char *const cm_transports[] = { "RC", "UC", "RD", "extended" };
static const char *const cm_messages[] = { "REQ", "REP", "other" };
static const char *const cm_rejects[] = {
	NULL, "no queue pair", "no EE context", "no resources", "timeout", "request not supported",
	"invalid communication ID", "invalid communication instance", "invalid service ID",
	"invalid transport service type", "stale connection", "RD channel does not exist",
	"primary GID", "primary LID", "primary SL", "primary traffic class", "primary hop limit",
	"primary packet rate", "alternate GID", "alternate LID", "alternate SL",
	"alternate traffic class",
	"alternate hop limit", "alternate packet rate", "port and CM redirection",
	"port redirection",
	"path MTU", "insufficient responder resources", "consumer reject", "RNR retry count",
	"duplicate local communication ID", "class version", "primary flow label",
	"alternate flow label",
	NULL, "vendor option not supported",
};
static const char *const cm_failovers[] = { "accepted", "not supported", "rejected" };
static const char *const cm_apr_states[] = {
	"loaded", "invalid communication ID", "not supported", "rejected", "redirection",
	"already current",
	"QPN or EECN", "LID", "GID", "flow label", "traffic class", "hop limit", "packet rate",
	"SL",
};
static const char *const cm_sidr_states[] = {
	"valid", "service not supported", "rejected", "no queue pair", "redirection",
	"version not supported",
};

#define WORDS(t) { t, NULL, COUNT(t), "?(", ")" }
#define JSON_WORDS(t) { t, NULL, COUNT(t), NULL, NULL }
#define WORDS2(t, j) { t, j, COUNT(t), "undefined (", ")" }

static const struct words enumerations[] = {
	[ATTR_SHOW_NODE_TYPE] = { node_types, NULL, COUNT(node_types), "?(", ")?" },
	[ATTR_SHOW_PORT_STATE] = WORDS(port_states),
	[ATTR_SHOW_PHYS_STATE] = WORDS(phys_states),
	[ATTR_SHOW_LINK_DOWN_STATE] = WORDS(down_states),
	[ATTR_SHOW_LINK_WIDTH] = WORDS2(widths, widths_json),
	[ATTR_SHOW_LINK_SPEED] = WORDS2(speeds, speeds_json),
	[ATTR_SHOW_LINK_SPEED_EXT] = WORDS2(ext_speeds, ext_speeds_json),
	[ATTR_SHOW_LINK_SPEED_EXT2] = WORDS2(ext2_speeds, ext2_speeds_json),
	[ATTR_SHOW_MTU] = WORDS(mtus),
	[ATTR_SHOW_VLS] = WORDS(vls),
	[ATTR_SHOW_OPER_VLS] = WORDS(oper_vls),
	[ATTR_SHOW_RATE] = WORDS(rates),
	[ATTR_SHOW_SELECTOR] = WORDS(selectors),
	[ATTR_SHOW_SM_STATE] = WORDS(sm_states),
	[ATTR_SHOW_FEC_MODE] = JSON_WORDS(fec_modes),
	[ATTR_SHOW_NOTICE_TYPE] = WORDS(notice_types),
	[ATTR_SHOW_SAMPLE_STATUS] = JSON_WORDS(sample_states),
	[ATTR_SHOW_CM_TRANSPORT] = WORDS(cm_transports),
	[ATTR_SHOW_CM_MESSAGE] = WORDS(cm_messages),
	[ATTR_SHOW_CM_REJECT] = WORDS(cm_rejects),
	[ATTR_SHOW_CM_FAILOVER] = WORDS(cm_failovers),
	[ATTR_SHOW_CM_APR_STATUS] = WORDS(cm_apr_states),
	[ATTR_SHOW_CM_SIDR_STATUS] = WORDS(cm_sidr_states),
};

/* Masks: the words of the single bits are those of the enumeration for the active value. */
static const struct mask {
	enum attr_printer single;
	unsigned bits;                  /* bits with a meaning */
	bool zero_is_a_number;          /* no bit set prints "0", not "undefined (0)" */
	bool mark_extensions;           /* sets without the base rate are marked */
} masks[] = {
	[ATTR_SHOW_LINK_WIDTH_SUP] = { ATTR_SHOW_LINK_WIDTH, 5, false, true },
	[ATTR_SHOW_LINK_WIDTH_EN] = { ATTR_SHOW_LINK_WIDTH, 5, false, false },
	[ATTR_SHOW_LINK_SPEED_SUP] = { ATTR_SHOW_LINK_SPEED, 3, false, true },
	[ATTR_SHOW_LINK_SPEED_EN] = { ATTR_SHOW_LINK_SPEED, 3, false, true },
	[ATTR_SHOW_LINK_SPEED_EXT_SUP] = { ATTR_SHOW_LINK_SPEED_EXT, 4, true, false },
	[ATTR_SHOW_LINK_SPEED_EXT_EN] = { ATTR_SHOW_LINK_SPEED_EXT, 4, true, false },
	[ATTR_SHOW_LINK_SPEED_EXT2_SUP] = { ATTR_SHOW_LINK_SPEED_EXT2, 1, true, false },
	[ATTR_SHOW_LINK_SPEED_EXT2_EN] = { ATTR_SHOW_LINK_SPEED_EXT2, 1, true, false },
};

static const char *
enumeration_text(enum attr_printer p, uint64_t v)
{
	return p < COUNT(enumerations) && v < enumerations[p].count ? enumerations[p].text[v] :
								      NULL;
}

bool
attr_is_enumeration(enum attr_printer p)
{
	return p < COUNT(enumerations) && enumerations[p].count;
}

const char *
attr_word(enum attr_printer p, uint64_t v)
{
	if (p >= COUNT(enumerations) || v >= enumerations[p].count)
		return NULL;
	return enumerations[p].json ? enumerations[p].json[v] : enumerations[p].text[v];
}

unsigned
attr_mask_bits(enum attr_printer p, enum attr_printer *single)
{
	if (p >= COUNT(masks) || !masks[p].bits)
		return 0;
	*single = masks[p].single;
	return masks[p].bits;
}

/* A bounded string that is appended to. */
struct out {
	char *buf;
	size_t len, at;
};

static void __attribute__((format(printf, 2, 3)))
put_format(struct out *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(o->buf + o->at, o->len - o->at, fmt, ap);
	va_end(ap);
	if (n > 0)
		o->at += (size_t)n < o->len - o->at ? (size_t)n : o->len - o->at - 1;
}

/* Most values are words and plain numbers, and a large subnet has millions: they avoid printf. */
static void
put_chars(struct out *o, const char *text, size_t n)
{
	size_t room = o->len - o->at - 1;

	n = n < room ? n : room;
	memcpy(o->buf + o->at, text, n);
	o->at += n;
	o->buf[o->at] = '\0';
}

static void
put_text(struct out *o, const char *text)
{
	put_chars(o, text, strlen(text));
}

static void
put_number(struct out *o, uint64_t v)
{
	char text[PUT_DEC_BYTES];

	put_chars(o, text, (size_t)(put_dec(text, v) - text));
}

/* Appends a number with at least that many digits. */
static void
put_hexadecimal(struct out *o, uint64_t v, unsigned digits)
{
	unsigned n = put_hex_digits(v);
	char text[20] = "0x";

	put_chars(o, text, (size_t)(put_hex(text + 2, v, n > digits ? n : digits) - text));
}

/* A set of widths without 1X, or with a gap, is an extension of the architecture's own list. */
static bool
width_is_extension(uint64_t v)
{
	static const uint8_t listed[] = { 1, 3, 7, 11, 15, 17, 19, 23, 27, 31 };

	return v < 32 && !memchr(listed, (int)v, sizeof(listed));
}

static void
put_mask(struct out *o, enum attr_printer p, uint64_t v)
{
	const struct mask *m = &masks[p];
	const char *glue = "";

	if (p == ATTR_SHOW_LINK_SPEED_EXT_EN && v == 30) {
		put_format(o, "Extended link speeds disabled");
		return;
	}
	if (!v && m->zero_is_a_number) {
		put_format(o, "0");
		return;
	}
	for (unsigned bit = 0; bit < m->bits; bit++)
		if (v >> bit & 1) {
			put_text(o, glue);
			put_text(o, enumeration_text(m->single, UINT64_C(1) << bit));
			glue = " or ";
		}
	if (!v || v >> m->bits)
		put_format(o, "%sundefined (%u)", glue, (unsigned)v);
	if (m->mark_extensions &&
	    (m->single == ATTR_SHOW_LINK_WIDTH ? width_is_extension(v) : v < 8 && !(v & 1)))
		put_format(o, " (IBA extension)");
}

static void
put_enumeration(struct out *o, enum attr_printer p, uint64_t v)
{
	const char *s = enumeration_text(p, v);

	if (!enumerations[p].before)
		put_number(o, v);
	else if (s)
		put_text(o, s);
	else
		put_format(o, "%s%u%s", enumerations[p].before, (unsigned)v, enumerations[p].after);
}

size_t
attr_value_text(const struct attr_field *f, uint64_t v, char *buf, size_t len)
{
	enum attr_printer p = f->printer, single;
	struct out o = { buf, len, 0 };

	if (!len)
		return 0;
	buf[0] = '\0';
	if (attr_is_enumeration(p))
		put_enumeration(&o, p, v);
	else if (attr_mask_bits(p, &single))
		put_mask(&o, p, v);
	else if (p == ATTR_SHOW_HEX || p == ATTR_SHOW_GUID || p == ATTR_SHOW_PKEY ||
		p == ATTR_SHOW_SECRET)
		put_hexadecimal(&o, v, (f->width + 7u) / 8 * 2);
	else if (p == ATTR_SHOW_PORT_CAPS || p == ATTR_SHOW_PORT_CAPS2)
		put_hexadecimal(&o, v, 1);
	else
		put_number(&o, v);
	return o.at;
}

static const char *const port_caps[32] = {
	[1] = "IsSM", "IsNoticeSupported", "IsTrapSupported", "IsOptionalIPDSupported",
	"IsAutomaticMigrationSupported", "IsSLMappingSupported", "IsMKeyNVRAM", "IsPKeyNVRAM",
	"IsLedInfoSupported", "IsSMdisabled", "IsSystemImageGUIDsupported",
	"IsPkeySwitchExternalPortTrapSupported", "IsCableInfoSupported",
	"IsExtendedSpeedsSupported",
	"IsCapabilityMask2Supported",
	"IsCommunicatonManagementSupported",            /* spelled this way in infiniband-diags */
	"IsSNMPTunnelingSupported", "IsReinitSupported", "IsDeviceManagementSupported",
	"IsVendorClassSupported", "IsDRNoticeSupported", "IsCapabilityMaskNoticeSupported",
	"IsBootManagementSupported", "IsLinkRoundTripLatencySupported",
	"IsClientRegistrationSupported", "IsOtherLocalChangesNoticeSupported",
	"IsLinkSpeedWidthPairsTableSupported", "IsVendorSpecificMadsTableSupported",
	"IsMcastPkeyTrapSuppressionSupported", "IsMulticastFDBTopSupported",
	"IsHierarchyInfoSupported",
};

static const char *const port_caps2[16] = {
	"IsSetNodeDescriptionSupported", "IsPortInfoExtendedSupported", "IsVirtualizationSupported",
	"IsSwitchPortStateTableSupported", "IsLinkWidth2xSupported", "IsLinkSpeedHDRSupported",
	"IsMKeyProtectBitsExtSupported", "IsEnhancedTrap128Supported", "IsPartitionTopSupported",
	"IsEnhancedQoSArbiterSupported", "IsLinkSpeedNDRSupported", "IsExtendedSpeeds2Supported",
	"IsLinkSpeedXDRSupported",
};

const char *
attr_bit_name(enum attr_printer p, unsigned bit)
{
	if (p == ATTR_SHOW_PORT_CAPS && bit < COUNT(port_caps))
		return port_caps[bit];
	if (p == ATTR_SHOW_PORT_CAPS2 && bit < COUNT(port_caps2))
		return port_caps2[bit];
	return NULL;
}

unsigned
attr_rate_tenths(uint8_t code)
{
	const char *s = code < COUNT(rates) ? rates[code] : NULL;
	unsigned v = 0;

	if (!s)
		return 0;
	for (; *s && *s != '.'; s++)
		v = v * 10 + (unsigned)(*s - '0');
	return v * 10 + (*s == '.' ? (unsigned)(s[1] - '0') : 0);
}

unsigned
attr_mtu_bytes(uint8_t code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}

void
attr_gid_text(const uint8_t gid[16], char *buf)
{
	static const char hex[] = "0123456789abcdef";

	for (unsigned i = 0; i < 16; i++) {
		*buf++ = hex[gid[i] >> 4];
		*buf++ = hex[gid[i] & 15];
		if (i & 1)
			*buf++ = i == 15 ? '\0' : ':';
	}
}

/* Length of the valid UTF-8 sequence at 'p' (Unicode table 3-7); 0 if it is not valid. */
static size_t
utf8_sequence(const uint8_t *p, size_t n)
{
	uint8_t lo = 0x80, hi = 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (p[0] == 0xe0)
		lo = 0xa0;              /* shorter forms exist */
	else if (p[0] == 0xed)
		hi = 0x9f;              /* surrogates */
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xf4)
		hi = 0x8f;              /* beyond U+10FFFF */
	if (len > n || p[1] < lo || p[1] > hi)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

bool
attr_text_clean(const uint8_t *bytes, size_t n, char *out)
{
	bool replaced = false;
	size_t i = 0;

	while (i < n && bytes[i]) {
		size_t len = utf8_sequence(bytes + i, n - i);

		if (len) {
			memcpy(out, bytes + i, len);
			out += len;
			i += len;
		} else {
			memcpy(out, "\xef\xbf\xbd", 3);
			out += 3;
			i++;
			replaced = true;
		}
	}
	*out = '\0';
	return replaced;
}
