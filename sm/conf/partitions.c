/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * partitions.c - the parser of partitions.conf.
 * Room: conf.  Pure, but for partitions_read().
 *
 *      file       = { definition } ;           '#' begins a comment
 *      definition = header ":" { groupline | ports } ";"
 *      header     = [ name ] [ "=" pkey ] { "," flag }                 all on one line, with its
 *                 colon
 *      groupline  = "mgid=" ipv6 { "," flag }                          the rest of its line
 *      ports      = port { "," port }                                  the comma at the end of a
 *                 line may be left out
 *      port       = [ who [ "=" member ] ]
 *
 * The first error ends the parsing: a file is used completely or not at all, because one half could
 * admit ports that the other half excludes.
 */
#include <config.h>
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/mgid.h"
#include "sm/conf/partitions.h"
#include "sm/conf/text/say.h"
#include "sm/conf/text/slurp.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define SHOWN 40                        /* characters of a wrong word that a message shows */
#define QKEY_IPOIB 0x0b1b

static const char blanks[] = " \t\r\v\f";

/* A part of the text, without the blanks around it. */
struct slice {
	const char *p;
	size_t n;
};

struct mflags {
	uint32_t qkey, flow_label;
	uint8_t mtu, rate, sl, tclass;
	uint16_t scopes;                /* bit n: scope n */
};

struct header {
	struct mflags m;
	uint8_t member;
	bool indx0, ipoib;
};

/* A partition while it is parsed. */
struct part {
	char *name;
	uint8_t sl;
	bool ipoib;
	struct part_rule *rules;
	struct part_group *groups;
	uint32_t nrules, rules_cap, ngroups, groups_cap;
	unsigned line;                  /* line of its last rule; 0: none in the file */
	/* line of the last rule that is certainly about the manager's own port; 0: none */
	unsigned self_line;
	uint8_t self;                   /* enum part_member of the own port by that rule; 0: none */
	/* a later rule names ports by GUID, and the own port may be among them */
	bool self_by_guid;
};

struct reader {
	const char *file;
	const char *p, *end;
	unsigned line;
	bool qos;
	struct conf_error *e;
	struct part *parts[PKEY_DEFAULT_LIMITED + 1];      /* by P_Key */
};

/* ---- lexical elements ---- */

static int
fail_expected(struct reader *r, const char *what, struct slice got)
{
	conf_say_error(r->e, r->file, r->line, "expected %s, got '%.*s%s'", what,
		(int)(got.n < SHOWN ? got.n : SHOWN), got.p, got.n > SHOWN ? "..." : "");
	return -EINVAL;
}

static void
warn_about(struct reader *r, const char *what, struct slice got)
{
	conf_say_warning(r->e, r->file, r->line, "'%.*s' %s", (int)(got.n < SHOWN ? got.n : SHOWN),
		got.p, what);
}

static bool
at_end(const struct reader *r)
{
	return r->p == r->end;
}

static bool
is_blank(char c)
{
	return c && strchr(blanks, c);
}

/* Skips blanks and a comment; with 'lines' also line ends. */
static void
skip_blanks(struct reader *r, bool lines)
{
	for (; !at_end(r); r->p++) {
		if (*r->p == '#')
			while (r->p + 1 < r->end && r->p[1] != '\n')
				r->p++;
		else if (*r->p == '\n' && lines)
			r->line++;
		else if (!is_blank(*r->p))
			return;
	}
}

/* Consumes the text before the next of 'stops', a comment or the end of the line. */
static struct slice
take_until(struct reader *r, const char *stops)
{
	struct slice s;

	skip_blanks(r, false);
	s.p = r->p;
	while (!at_end(r) && *r->p != '\n' && *r->p != '#' && (!*r->p || !strchr(stops, *r->p)))
		r->p++;
	s.n = (size_t)(r->p - s.p);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	skip_blanks(r, false);
	return s;
}

/* Consumes 'c' if it is the next character. */
static bool
take_char(struct reader *r, char c)
{
	if (at_end(r) || *r->p != c)
		return false;
	r->p++;
	return true;
}

static struct slice
next_char(const struct reader *r)
{
	if (at_end(r) || *r->p == '\n')
		return (struct slice){ "the end of the line", 19 };
	return (struct slice){ r->p, 1 };
}

static bool
slice_is(struct slice s, const char *word)
{
	return strlen(word) == s.n && memcmp(s.p, word, s.n) == 0;
}

/* Parses all of 's' as a number in C notation. */
static bool
read_number(struct slice s, uint64_t max, uint64_t *v)
{
	char buf[32], *end;

	if (!s.n || s.n >= sizeof(buf) || s.p[0] < '0' || s.p[0] > '9' || memchr(s.p, '\0', s.n))
		return false;
	memcpy(buf, s.p, s.n);
	buf[s.n] = '\0';
	errno = 0;
	*v = strtoull(buf, &end, 0);
	return !*end && !errno && *v <= max;
}

struct keyword {
	const char *text;
	int code;
};

/* Returns the code of a word, or -1. An unambiguous beginning of a word is accepted with a
 * warning. */
static int
find_keyword(struct reader *r, const struct keyword *k, size_t n, struct slice s)
{
	int code = -1;

	for (size_t i = 0; i < n; i++)
		if (slice_is(s, k[i].text))
			return k[i].code;
	for (size_t i = 0; i < n && s.n; i++) {
		if (s.n >= strlen(k[i].text) || memcmp(s.p, k[i].text, s.n))
			continue;
		if (code >= 0)
			return -1;
		code = k[i].code;
	}
	if (code >= 0)
		warn_about(r, "is taken for the word that begins so: write it in full", s);
	return code;
}

/* ---- flags ---- */

enum flag { F_INDX0, F_IPOIB, F_DEFMEMBER, F_MTU, F_RATE, F_SL, F_SCOPE, F_QKEY, F_TCLASS, F_FLOW };
static const struct keyword flags[] = {
	{ "mtu", F_MTU }, { "rate", F_RATE }, { "sl", F_SL }, { "scope", F_SCOPE },
	{ "Q_Key", F_QKEY },
	{ "TClass", F_TCLASS }, { "FlowLabel", F_FLOW },
	{ "indx0", F_INDX0 }, { "ipoib", F_IPOIB }, { "defmember", F_DEFMEMBER },
};
#define NFLAGS (sizeof(flags) / sizeof(flags[0]))
#define NFLAGS_GROUP 7 /* number of flags that a group line can have; they come first */

static const struct keyword members[] = { { "full", PART_FULL }, { "limited", PART_LIMITED },
	{ "both", PART_BOTH } };

static const struct keyword mtus[] = {
	{ "256B", MTU_CODE_256 },
	{ "512B", MTU_CODE_512 },
	{ "1024B", MTU_CODE_1024 },
	{ "2048B", MTU_CODE_2048 },
	{ "4096B", MTU_CODE_4096 },
};
static const struct keyword rates[] = {
	{ "2.5Gbps", RATE_CODE_2_5 }, { "10Gbps", RATE_CODE_10 }, { "30Gbps", RATE_CODE_30 },
	{ "5Gbps", RATE_CODE_5 }, { "20Gbps", RATE_CODE_20 }, { "40Gbps", RATE_CODE_40 },
	{ "60Gbps", RATE_CODE_60 }, { "80Gbps", RATE_CODE_80 }, { "120Gbps", RATE_CODE_120 },
	{ "14Gbps", RATE_CODE_14 }, { "56Gbps", RATE_CODE_56 }, { "112Gbps", RATE_CODE_112 },
	{ "168Gbps", RATE_CODE_168 }, { "25Gbps", RATE_CODE_25 }, { "100Gbps", RATE_CODE_100 },
	{ "200Gbps", RATE_CODE_200 }, { "300Gbps", RATE_CODE_300 }, { "28Gbps", RATE_CODE_28 },
	{ "50Gbps", RATE_CODE_50 }, { "400Gbps", RATE_CODE_400 }, { "600Gbps", RATE_CODE_600 },
	{ "800Gbps", RATE_CODE_800 }, { "1200Gbps", RATE_CODE_1200 },
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Stores the code of a number or a name in the list. */
static bool
code_of(const struct keyword *k, size_t n, struct slice s, uint8_t *code)
{
	uint64_t v;

	for (size_t i = 0; i < n; i++)
		if (slice_is(s, k[i].text) || (read_number(s, 255, &v) && (int)v == k[i].code)) {
			*code = (uint8_t)k[i].code;
			return true;
		}
	return false;
}

static int
set_mflag(struct reader *r, struct mflags *m, enum flag f, struct slice s)
{
	uint64_t v;

	switch (f) {
	case F_MTU:
		return code_of(mtus, COUNT(mtus), s, &m->mtu) ? 0 :
			fail_expected(r, "an MTU code from 1 to 5, or its name as in mtu=2048B", s);
	case F_RATE:
		return code_of(rates, COUNT(rates), s, &m->rate) ?
			0 :
			fail_expected(
				r, "a rate code from 2 to 24, or its name as in rate=100Gbps", s);
	case F_SL:
		if (!read_number(s, 15, &v))
			return fail_expected(r, "a service level from 0 to 15", s);
		m->sl = (uint8_t)(r->qos ? v : 0);
		return 0;
	case F_SCOPE:
		if (!read_number(s, 15, &v) || !v)
			return fail_expected(r, "a scope from 1 to 15", s);
		m->scopes |= (uint16_t)(1u << v);
		return 0;
	case F_QKEY:
		if (!read_number(s, UINT32_MAX, &v))
			return fail_expected(r, "a Q_Key of 32 bits", s);
		m->qkey = (uint32_t)v;
		return 0;
	case F_TCLASS:
		if (!read_number(s, 255, &v))
			return fail_expected(r, "a traffic class from 0 to 255", s);
		m->tclass = (uint8_t)v;
		return 0;
	case F_FLOW:
		if (!read_number(s, 0xfffff, &v))
			return fail_expected(r, "a flow label from 0 to 0xfffff", s);
		m->flow_label = (uint32_t)v;
		return 0;
	case F_INDX0:
	case F_IPOIB:
	case F_DEFMEMBER:
		break;
	}
	return -EINVAL;
}

static int
set_member(struct reader *r, struct slice s, uint8_t *member)
{
	int code = find_keyword(r, members, COUNT(members), s);

	if (code < 0)
		return fail_expected(r, "full, limited or both", s);
	*member = (uint8_t)code;
	return 0;
}

/* Parses one flag, after its comma. 'h' NULL: the flag of a group line. */
static int
read_flag(struct reader *r, struct header *h, struct mflags *m)
{
	struct slice name = take_until(r, h ? "=,:;" : "=,;"), value = { "", 0 };
	int code = find_keyword(r, flags, h ? NFLAGS : NFLAGS_GROUP, name);
	bool has_value = take_char(r, '=');

	if (!name.n && !has_value)
		return 0;               /* an extra comma */
	if (has_value)
		value = take_until(r, h ? ",:;" : ",;");
	switch (code) {
	case -1:
		return fail_expected(r,
			h ? "a flag (indx0, ipoib, defmember=, mtu=, rate=, sl=, scope=, Q_Key=, TClass=, FlowLabel=)" :
			    "a flag (mtu=, rate=, sl=, scope=, Q_Key=, TClass=, FlowLabel=)",
			name);
	case F_INDX0:
	case F_IPOIB:
		if (has_value)
			return fail_expected(r, "no value for this flag", value);
		if (code == F_INDX0)
			h->indx0 = true;
		else
			h->ipoib = true;
		return 0;
	case F_DEFMEMBER:
		return set_member(r, value, &h->member);
	default:
		return set_mflag(r, m, (enum flag)code, value);
	}
}

/* ---- partitions ---- */

static struct part *
part_make(struct reader *r, uint16_t pkey)
{
	if (!r->parts[pkey])
		r->parts[pkey] = xcalloc(1, sizeof(struct part));
	return r->parts[pkey];
}

static void
add_rule(struct part *p, const struct part_rule *rule)
{
	GROW(p->rules, p->nrules, p->rules_cap, 4);
	p->rules[p->nrules++] = *rule;
}

/* Records what a rule says about the manager's own port, whose GUID is known only when the fabric
 * is. */
static void
note_self(struct part *p, const struct part_rule *rule, unsigned line)
{
	p->line = line;
	switch ((enum part_who)rule->who) {
	case PART_ALL:
	case PART_ALL_CAS:
	case PART_SELF:
		p->self = rule->member;
		p->self_line = line;
		p->self_by_guid = false;
		break;
	case PART_GUIDS:
		p->self_by_guid |= (rule->member & PART_FULL) != 0;
		break;
	case PART_ALL_SWITCHES:
	case PART_ALL_ROUTERS:
		break;
	}
}

static bool
has_full_member(const struct part *p)
{
	for (uint32_t i = 0; i < p->nrules; i++)
		if (p->rules[i].member & PART_FULL)
			return true;
	return false;
}

/* Warns about a partition that has only limited members, which cannot exchange packets, and about
 * Default if the own port, which the SA uses, is only a limited member of it. */
static void
warn_limited(const struct reader *r, uint16_t pkey)
{
	const struct part *p = r->parts[pkey];

	if (pkey == PKEY_DEFAULT_LIMITED && p->self == PART_LIMITED && p->self_line &&
	    !p->self_by_guid)
		conf_say_warning(r->e, r->file, p->self_line,
			"the manager's own port becomes a limited member of Default: limited members cannot "
			"reach the subnet administration; add SELF=full behind this");
	else if (p->line && !has_full_member(p))
		conf_say_warning(r->e, r->file, p->line,
			"partition '%.40s' (0x%04x) has limited members only: none of them can reach another",
			p->name ? p->name : "", pkey);
}

static void
add_group(struct part *p, const struct mflags *m, const uint8_t mgid[16])
{
	struct part_group g = {
		.qkey = m->qkey, .flow_label = m->flow_label, .mtu = m->mtu, .rate = m->rate,
		.sl = m->sl, .tclass = m->tclass,
	};

	memcpy(g.mgid, mgid, sizeof(g.mgid));
	for (uint32_t i = 0; i < p->ngroups; i++)
		if (memcmp(p->groups[i].mgid, mgid, sizeof(g.mgid)) == 0)
			return;
	GROW(p->groups, p->ngroups, p->groups_cap, 4);
	p->groups[p->ngroups++] = g;
}

/* Adds one group for each scope named, or one for the scope of the MGID. */
static void
add_groups(struct part *p, const struct mflags *m, uint8_t mgid[16])
{
	if (!m->scopes)
		add_group(p, m, mgid);
	for (unsigned scope = 1; scope < 16; scope++)
		if (m->scopes >> scope & 1) {
			mgid_set_scope(mgid, scope);
			add_group(p, m, mgid);
		}
}

/* The broadcast group of the partition, ff12:401b:P_Key::ffff:ffff, and its other scopes. */
static void
add_broadcast(struct part *p, uint16_t pkey, const struct mflags *from)
{
	uint8_t mgid[16];
	struct mflags m = *from;

	mgid_make_broadcast(mgid, SCOPE_LINK_LOCAL, pkey);
	m.qkey = m.qkey ? m.qkey : QKEY_IPOIB;
	add_groups(p, &m, mgid);
}

#define MFLAGS_DEFAULT { .mtu = MTU_CODE_2048, .rate = RATE_CODE_10 }

/* The Default partition exists before any statement. */
static void
begin_default(struct reader *r)
{
	struct part *p = part_make(r, PKEY_DEFAULT_LIMITED);

	p->name = xstrdup("Default");
	add_rule(p, &(struct part_rule){ .who = PART_ALL, .member = PART_LIMITED });
	add_rule(p, &(struct part_rule){ .who = PART_SELF, .member = PART_FULL });
}

/* ---- headers ---- */

static bool
has_name(const struct part *p, struct slice name)
{
	return p && p->name && slice_is(name, p->name);
}

/* Returns the P_Key of the partition with that name, or the next free P_Key. */
static uint16_t
pkey_for_name(const struct reader *r, struct slice name)
{
	for (unsigned k = 1; k <= PKEY_DEFAULT_LIMITED && name.n; k++)
		if (has_name(r->parts[k], name))
			return (uint16_t)k;
	for (unsigned k = 1; k <= PKEY_DEFAULT_LIMITED; k++)
		if (!r->parts[k])
			return (uint16_t)k;
	return 0;
}

static int
read_pkey(struct reader *r, struct slice *name, uint16_t *pkey)
{
	struct slice id = { NULL, 0 };
	uint64_t v;

	*name = take_until(r, "=,:;");
	if (take_char(r, '=')) {
		id = take_until(r, ",:;");
	} else if (name->n && name->p[0] >= '0' && name->p[0] <= '9') {
		id = *name;
		name->n = 0;
	}
	if (!id.p) {
		*pkey = pkey_for_name(r, *name);
		return *pkey ? 0 :
			       fail_expected(r, "no more partitions than there are P_Keys", *name);
	}
	if (!read_number(id, 0xffff, &v) || !(v & PKEY_BASE_MASK))
		return fail_expected(r, "a P_Key from 0x1 to 0x7fff", id);
	*pkey = (uint16_t)(v & PKEY_BASE_MASK);
	return 0;
}

static char *
slice_dup(struct slice s)
{
	char *copy = xcalloc(s.n + 1, 1);

	memcpy(copy, s.p, s.n);
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)copy[i] < 32)
			copy[i] = '?';
	return copy;
}

static int
read_header(struct reader *r, struct header *h, uint16_t *pkey)
{
	struct slice name;
	struct part *p;
	int err = read_pkey(r, &name, pkey);

	*h = (struct header){ .m = MFLAGS_DEFAULT, .member = PART_LIMITED };
	if (err)
		return err;
	while (take_char(r, ','))
		if ((err = read_flag(r, h, &h->m)) < 0)
			return err;
	if (!take_char(r, ':'))
		return fail_expected(r, "':' behind the header, on the same line", next_char(r));
	p = part_make(r, *pkey);
	if (!p->name && name.n)
		p->name = slice_dup(name);
	p->sl = h->m.sl;
	if (h->ipoib) {
		p->ipoib = true;
		add_broadcast(p, *pkey, &h->m);
	}
	return 0;
}

/* ---- groups ---- */

/* An MGID of IP belongs to its partition: the P_Key in it, and what its broadcast group has. */
static int
fit_ip(struct reader *r, const struct header *h, uint16_t pkey, struct mflags *m, uint8_t mgid[16],
	struct slice text)
{
	unsigned have = mgid_pkey(mgid);
	uint8_t broadcast[16];

	mgid_make_broadcast(broadcast, SCOPE_LINK_LOCAL, PKEY_DEFAULT_FULL);
	if (have && have != (pkey | PKEY_MEMBER_FULL) && memcmp(mgid, broadcast, sizeof(broadcast)))
		return fail_expected(r,
			"the partition's own P_Key, or 0, in the third word of an IP group", text);
	if (m->rate != h->m.rate || m->mtu != h->m.mtu)
		return fail_expected(r, "an IP group with the rate and MTU of its partition", text);
	mgid_set_pkey(mgid, pkey | PKEY_MEMBER_FULL);
	if (!m->qkey)
		m->qkey = QKEY_IPOIB;
	return 0;
}

/* Parses a group after "mgid=", to the end of the line or the statement. */
static int
read_group(struct reader *r, const struct header *h, uint16_t pkey)
{
	struct slice text = take_until(r, ",;");
	struct mflags m = h->m;
	char buf[INET6_ADDRSTRLEN + 1];
	uint8_t mgid[16];
	int err;

	m.tclass = 0;
	if (!text.n || text.n >= sizeof(buf))
		return fail_expected(r, "a multicast GID in IPv6 notation", text);
	memcpy(buf, text.p, text.n);
	buf[text.n] = '\0';
	if (strlen(buf) != text.n || inet_pton(AF_INET6, buf, mgid) != 1 || !gid_is_multicast(mgid))
		return fail_expected(r, "a multicast GID in IPv6 notation", text);
	while (take_char(r, ',')) {
		skip_blanks(r, false);
		if (at_end(r) || *r->p == '\n' || *r->p == ';')
			break;
		if ((err = read_flag(r, NULL, &m)) < 0)
			return err;
	}
	if (mgid_is_ip(mgid) && (err = fit_ip(r, h, pkey, &m, mgid, text)) < 0)
		return err;
	add_groups(r->parts[pkey], &m, mgid);
	return 0;
}

/* ---- ports ---- */

#define WHO_NONE 100
static const struct keyword whos[] = {
	{ "ALL", PART_ALL }, { "ALL_CAS", PART_ALL_CAS }, { "ALL_SWITCHES", PART_ALL_SWITCHES },
	{ "ALL_ROUTERS", PART_ALL_ROUTERS }, { "SELF", PART_SELF }, { "NONE", WHO_NONE },
};

/* Parses GUID or GUID-GUID. */
static bool
read_guids(struct slice s, struct part_rule *rule)
{
	const char *dash = s.n ? memchr(s.p, '-', s.n) : NULL;
	struct slice low = s, high = s;

	if (dash) {
		low.n = (size_t)(dash - s.p);
		high.p = dash + 1;
		high.n = s.n - low.n - 1;
		while (low.n && is_blank(low.p[low.n - 1]))
			low.n--;
		for (; high.n && is_blank(*high.p); high.n--)
			high.p++;
	}
	rule->who = PART_GUIDS;
	return read_number(low, UINT64_MAX, &rule->first) &&
		read_number(high, UINT64_MAX, &rule->last) && rule->first &&
		rule->first <= rule->last;
}

static int
read_port(struct reader *r, const struct header *h, uint16_t pkey, struct slice who)
{
	struct part_rule rule = { .member = h->member, .indx0 = h->indx0 };
	int code = find_keyword(r, whos, COUNT(whos), who), err;

	if (code >= 0)
		rule.who = (uint8_t)code;
	else if (!read_guids(who, &rule))
		return fail_expected(r,
			"a port GUID, GUID-GUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF or NONE",
			who);
	if (take_char(r, '=') && (err = set_member(r, take_until(r, ",;:="), &rule.member)) < 0)
		return err;
	if (code == WHO_NONE)
		return 0;
	add_rule(r->parts[pkey], &rule);
	note_self(r->parts[pkey], &rule, r->line);
	return 0;
}

/* Parses one port or group line, and checks that a separator follows. */
static int
read_item(struct reader *r, const struct header *h, uint16_t pkey)
{
	struct slice who = take_until(r, "=,;:");
	int err;

	if (slice_is(who, "mgid")) {
		if (!take_char(r, '='))
			return fail_expected(r, "'=' behind mgid", next_char(r));
		err = read_group(r, h, pkey);
	} else {
		err = read_port(r, h, pkey, who);
	}
	if (err)
		return err;
	if (at_end(r) || *r->p == '\n' || *r->p == ',' || *r->p == ';')
		return 0;
	return fail_expected(
		r, "',' or ';' (does an earlier definition lack its ';'?)", next_char(r));
}

static int
read_definition(struct reader *r)
{
	struct header h;
	uint16_t pkey;
	int err = read_header(r, &h, &pkey);

	while (!err) {
		skip_blanks(r, true);
		if (at_end(r) || take_char(r, ';'))
			return 0;
		if (!take_char(r, ','))
			err = read_item(r, &h, pkey);
	}
	return err;
}

/* ---- the whole file ---- */

static const struct partitions *
make_partitions(const struct reader *r, struct arena *a)
{
	struct partitions *out = arena_alloc(a, sizeof(*out));
	struct partition *v;

	for (unsigned k = 1; k <= PKEY_DEFAULT_LIMITED; k++)
		out->n += r->parts[k] != NULL;
	out->v = v = arena_array(a, out->n, sizeof(*v));
	out->file = r->file ? arena_strdup(a, r->file) : NULL;
	for (unsigned k = 1; k <= PKEY_DEFAULT_LIMITED; k++) {
		const struct part *p = r->parts[k];
		struct part_group *groups;
		struct part_rule *rules;

		if (!p)
			continue;
		rules = arena_array(a, p->nrules, sizeof(*rules));
		groups = arena_array(a, p->ngroups, sizeof(*groups));
		if (p->nrules)
			memcpy(rules, p->rules, p->nrules * sizeof(*rules));
		if (p->ngroups)
			memcpy(groups, p->groups, p->ngroups * sizeof(*groups));
		*v++ = (struct partition){
			.name = arena_strdup(a, p->name ? p->name : ""), .pkey = (uint16_t)k,
			.sl = p->sl, .ipoib = p->ipoib,
			.rules = rules, .nrules = p->nrules, .groups = groups,
			.ngroups = p->ngroups,
		};
	}
	return out;
}

static void
reader_clear(struct reader *r)
{
	for (unsigned k = 1; k <= PKEY_DEFAULT_LIMITED; k++) {
		if (!r->parts[k])
			continue;
		free(r->parts[k]->name);
		free(r->parts[k]->rules);
		free(r->parts[k]->groups);
		free(r->parts[k]);
	}
	free(r);
}

const struct partitions *
partitions_default(struct arena *a)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	struct part *p = part_make(r, PKEY_DEFAULT_LIMITED);
	const struct partitions *out;

	p->name = xstrdup("Default");
	p->ipoib = true;
	add_rule(p, &(struct part_rule){ .who = PART_ALL, .member = PART_FULL });
	add_broadcast(p, PKEY_DEFAULT_LIMITED, &(struct mflags)MFLAGS_DEFAULT);
	out = make_partitions(r, a);
	reader_clear(r);
	return out;
}

int
partitions_parse(const char *file, const char *text, size_t len, bool qos, struct arena *a,
	const struct partitions **out, struct conf_error *e)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	unsigned definitions = 0;
	int err = 0;

	r->file = file;
	r->p = text;
	r->end = text + len;
	r->line = 1;
	r->qos = qos;
	r->e = e;
	begin_default(r);
	for (skip_blanks(r, true); !err && !at_end(r); skip_blanks(r, true)) {
		err = read_definition(r);
		definitions++;
	}
	if (!err && !definitions)
		conf_say_warning(e, file, 0,
			"no partition is defined: all ports but the manager's own are limited members of Default");
	for (uint16_t k = 1; !err && k <= PKEY_DEFAULT_LIMITED; k++)
		if (r->parts[k])
			warn_limited(r, k);
	if (!err)
		*out = make_partitions(r, a);
	reader_clear(r);
	return err;
}

int
partitions_read(const char *file, bool qos, struct arena *a, const struct partitions **out,
	struct conf_error *e)
{
	char *text;
	size_t len;
	int err = conf_slurp(file, &text, &len, e);

	if (err)
		return err;
	err = partitions_parse(file, text, len, qos, a, out, e);
	free(text);
	return err;
}
