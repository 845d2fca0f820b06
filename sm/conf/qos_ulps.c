/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_ulps.c - the section qos-ulps of qos-policy.conf: upper layer protocols and their service
 * levels, one per line.
 * Room: conf.  Pure.
 *
 * protocol [ "," selector values ] ":" sl
 *
 * Each line becomes a rule with one condition: a protocol is identified by its service IDs, IPoIB
 * by its P_Key, SRP by its target port.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "sm/conf/qos_text.h"
#include "sm/conf/text/say.h"

#define SDP_SERVICE UINT64_C(0x10000)
#define RDS_SERVICE UINT64_C(0x1060000)
#define ISER_SERVICE UINT64_C(0x1060000)
enum { RDS_PORT = 0x48ca, ISER_PORT = 0x0cbc, TCP_PORT_MAX = 0xffff };

enum condition { OF_SERVICE, OF_PKEY, OF_TARGET, OF_SOURCE, OF_BOTH };

/* Protocols by their first word and, if they have one, their selector.  Without a selector,
 * 'first' and 'last' give the values. */
static const struct ulp {
	const char *word, *selector;
	enum condition condition;
	/* Without a selector: the values.  With one: 'first' is added to each value, and 'last'
	 * is the largest value. */
	uint64_t first, last;
} ulps[] = {
	{ "sdp", NULL, OF_SERVICE, SDP_SERVICE, SDP_SERVICE + TCP_PORT_MAX },
	{ "sdp", "port-num", OF_SERVICE, SDP_SERVICE, TCP_PORT_MAX },
	{ "rds", NULL, OF_SERVICE, RDS_SERVICE + RDS_PORT, RDS_SERVICE + RDS_PORT },
	{ "rds", "port-num", OF_SERVICE, RDS_SERVICE, TCP_PORT_MAX },
	{ "iser", NULL, OF_SERVICE, ISER_SERVICE + ISER_PORT, ISER_SERVICE + ISER_PORT },
	{ "iser", "port-num", OF_SERVICE, ISER_SERVICE, TCP_PORT_MAX },
	{ "srp", "target-port-guid", OF_TARGET, 0, UINT64_MAX },
	{ "ipoib", NULL, OF_PKEY, PKEY_DEFAULT_LIMITED, PKEY_DEFAULT_LIMITED },
	{ "ipoib", "pkey", OF_PKEY, 0, UINT16_MAX },
	{ "any", "service-id", OF_SERVICE, 0, UINT64_MAX },
	{ "any", "pkey", OF_PKEY, 0, UINT16_MAX },
	{ "any", "target-port-guid", OF_TARGET, 0, UINT64_MAX },
	{ "any", "source-port-guid", OF_SOURCE, 0, UINT64_MAX },
	{ "any", "source-target-port-guid", OF_BOTH, 0, UINT64_MAX },
};
#define NULPS (sizeof(ulps) / sizeof(ulps[0]))

static const char words[] = "default, sdp, rds, iser, srp, ipoib, any or end-qos-ulps";

/* The protocol of a line; NULL: none, and the error has been added. */
static const struct ulp *
find_ulp(struct qos_reader *r, struct qos_slice word)
{
	struct qos_slice selector = { NULL, 0 };
	bool known = false;

	if (qos_took(r, ','))
		selector = qos_word(r);
	for (size_t i = 0; i < NULPS; i++) {
		if (!qos_is_any_case(word, ulps[i].word))
			continue;
		known = true;
		if (ulps[i].selector ? selector.n && qos_is(selector, ulps[i].selector) :
				       !selector.p)
			return &ulps[i];
	}
	if (!known)
		qos_expected(r, words, word);
	else if (selector.p)
		qos_expected(r,
			"a selector that this protocol has (port-num, pkey, service-id, target-port-guid, ...)",
			selector);
	else
		qos_expected_here(r, "',' and a selector behind the protocol");
	return NULL;
}

static int
read_values(struct qos_reader *r, const struct ulp *u, struct qos_range_list *l)
{
	int err;

	if (!u->selector) {
		*QOS_ADD(r, l) = (struct qos_range){ u->first, u->last };
		return 0;
	}
	if (u->condition == OF_PKEY)
		return qos_pkeys(r, l);
	err = qos_range_list(r, u->last,
		u->last == TCP_PORT_MAX ? "port numbers up to 65535, as in 10000-20000" :
					  "numbers, as in 0x10,0x20-0x2f",
		l);
	for (uint32_t i = 0; i < l->n; i++) {
		l->v[i].first += u->first;
		l->v[i].last += u->first;
	}
	return err;
}

static int
read_sl(struct qos_reader *r, uint8_t *sl)
{
	uint64_t v;
	int err;

	if (!qos_took(r, ':'))
		return qos_expected_here(r, "':' and a service level");
	err = qos_single(r, 15, "a service level from 0 to 15", &v);
	if (!err)
		*sl = (uint8_t)v;
	return err;
}

/* Makes a group of those port GUIDs and returns a list with its index. */
static struct qos_groups_named
group_of(struct qos_reader *r, struct qos_ranges guids)
{
	uint32_t *index = arena_alloc(r->a, sizeof(*index));

	*index = r->d.groups.n;
	*QOS_ADD(r, &r->d.groups) = (struct qos_group){ .name = "", .guids = guids };
	return (struct qos_groups_named){ index, 1 };
}

uint32_t
qos_ulp_level(struct qos_reader *r, uint8_t sl)
{
	if (!r->d.sl_level[sl]) {
		*QOS_ADD(r, &r->d.levels) = (struct qos_level){ .name = "", .sl = sl };
		r->d.sl_level[sl] = r->d.levels.n;
	}
	return r->d.sl_level[sl] - 1;
}

static int
read_ulp(struct qos_reader *r, struct qos_slice word)
{
	struct qos_rule rule = { .line = r->line };
	const struct ulp *u = find_ulp(r, word);
	struct qos_range_list values = { 0 };
	struct qos_ranges ranges;
	uint8_t sl = 0;
	int err = u ? read_values(r, u, &values) : -EINVAL;

	if (!err)
		err = read_sl(r, &sl);
	if (err)
		return err;
	ranges = qos_ranges_of(&values);
	switch (u->condition) {
	case OF_SERVICE:
		rule.services = ranges;
		break;
	case OF_PKEY:
		rule.pkeys = ranges;
		break;
	case OF_TARGET:
		rule.dst = group_of(r, ranges);
		break;
	case OF_SOURCE:
		rule.src = group_of(r, ranges);
		break;
	case OF_BOTH:
		rule.src = rule.dst = group_of(r, ranges);
		break;
	}
	rule.level = qos_ulp_level(r, sl);
	QOS_ADD(r, &r->d.ulps)->rule = rule;
	return 0;
}

static int
read_default(struct qos_reader *r)
{
	uint8_t sl = 0;
	int err = read_sl(r, &sl);

	if (!err && r->d.ulp_default >= 0)
		qos_warn(r, r->line, "there is a default already; the last one counts");
	r->d.ulp_default = sl;
	return err;
}

int
qos_ulps(struct qos_reader *r, void *arg)
{
	unsigned begins = r->line;
	int err = 0;

	(void)arg;
	while (!err) {
		struct qos_slice word = qos_word(r);

		if (qos_is(word, "end-qos-ulps"))
			return 0;
		if (!word.n) {
			conf_say_error(r->e, r->file, r->line,
				"expected end-qos-ulps, got the end of the file; the qos-ulps begins in line %u",
				begins);
			return -EINVAL;
		}
		err = qos_is_any_case(word, "default") ? read_default(r) : read_ulp(r, word);
	}
	return err;
}
