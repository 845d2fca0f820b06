/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_policy.c - qos-policy.conf as a whole: groups of ports, levels, match rules, and how they
 * refer to one another.
 * Room: conf.  Pure, but for qos_policy_read().
 *
 *      file   = { "port-groups" { group } "end-port-groups" | "qos-levels" { level }
 *             "end-qos-levels" |
 *                 "qos-match-rules" { rule } "end-qos-match-rules" | qos-setup (qos_setup.c) |
 *                 qos-ulps (qos_ulps.c) }
 *      group  = "port-group" { keyword ":" value } "end-port-group"            and so levels and
 *             rules
 *
 * Sections may come in any order and several times, so names are looked up when all is read.  The
 * first mistake ends the reading: a file is used as a whole or not at all.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/qos_text.h"
#include "sm/conf/text/say.h"
#include "sm/conf/text/slurp.h"
#include "util/xalloc.h"

#define DEFAULT_LEVEL "DEFAULT"
#define CLASS_MAX 0xfff
enum { PORT_MAX = 254 };
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int
fail_twice(struct qos_reader *r, const char *word)
{
	conf_say_error(r->e, r->file, r->line, "expected '%s' once, got it twice", word);
	return -EINVAL;
}

static int
skip_use(struct qos_reader *r, void *arg)
{
	(void)arg;
	return qos_description(r);
}

/* ---- port groups ---- */

struct group_draft {
	struct qos_group g;
	struct qos_range_list guids, pkeys;
	QOS_LIST(struct qos_port_name) names;
};

static int
group_name(struct qos_reader *r, void *arg)
{
	struct group_draft *d = arg;

	return d->g.name ? fail_twice(r, "name") : qos_string(r, "a name", false, &d->g.name);
}

static int
group_guid(struct qos_reader *r, void *arg)
{
	struct group_draft *d = arg;

	return qos_range_list(r, UINT64_MAX, "port GUIDs, as in 0x10,0x20-0x2f", &d->guids);
}

static int
group_pkey(struct qos_reader *r, void *arg)
{
	struct group_draft *d = arg;

	return qos_pkeys(r, &d->pkeys);
}

/* Parses "NodeDescription/Pn"; the last slash is the separator. */
static int
port_name(struct qos_reader *r, const struct qos_name *n, struct qos_port_name *out)
{
	static const char what[] = "a port name, as in \"node HCA-1/P1\"";
	const char *slash = strrchr(n->text, '/');
	struct qos_slice got = { n->text, strlen(n->text) };
	unsigned long port;
	char *stop, *node;

	if (!slash || slash == n->text || (slash[1] != 'P' && slash[1] != 'p') || slash[2] < '0' ||
	    slash[2] > '9')
		return qos_expected(r, what, got);
	errno = 0;
	port = strtoul(slash + 2, &stop, 10);
	if (*stop || errno || port > PORT_MAX)
		return qos_expected(r, what, got);
	node = arena_strdup(r->a, n->text);
	node[slash - n->text] = '\0';
	*out = (struct qos_port_name){ node, (uint8_t)port };
	return 0;
}

static int
group_port(struct qos_reader *r, void *arg)
{
	struct group_draft *d = arg;
	struct qos_name_list l = { 0 };
	int err = qos_name_list(r, "a port name, as in \"node HCA-1/P1\"", &l);

	for (uint32_t i = 0; !err && i < l.n; i++)
		err = port_name(r, &l.v[i], QOS_ADD(r, &d->names));
	return err;
}

static int
group_partition(struct qos_reader *r, void *arg)
{
	struct group_draft *d = arg;
	struct qos_name_list l = { 0 };
	int err = qos_name_list(r, "the name of a partition", &l);

	for (uint32_t i = 0; !err && i < l.n; i++) {
		const struct partition *found = NULL;

		for (uint32_t k = 0; k < r->partitions->n && !found; k++)
			if (strcmp(r->partitions->v[k].name, l.v[i].text) == 0)
				found = &r->partitions->v[k];
		if (found)
			*QOS_ADD(r, &d->pkeys) = (struct qos_range){ found->pkey, found->pkey };
		else
			qos_warn(r, l.v[i].line, "there is no partition '%s'", l.v[i].text);
	}
	return err;
}

static int
group_type(struct qos_reader *r, void *arg)
{
	static const struct { const char *word; uint8_t types; } types[] = {
		{ "CA", QOS_TYPE_CA }, { "SWITCH", QOS_TYPE_SWITCH }, { "ROUTER", QOS_TYPE_ROUTER },
		{ "SELF", QOS_TYPE_SELF },
		{ "ALL", QOS_TYPE_CA | QOS_TYPE_SWITCH | QOS_TYPE_ROUTER },
	};
	static const char what[] = "CA, SWITCH, ROUTER, SELF or ALL";
	struct group_draft *d = arg;
	struct qos_name_list l = { 0 };
	int err = qos_name_list(r, what, &l);

	for (uint32_t i = 0; !err && i < l.n; i++) {
		struct qos_slice s = { l.v[i].text, strlen(l.v[i].text) };
		size_t k = 0;

		while (k < COUNT(types) && !qos_is_any_case(s, types[k].word))
			k++;
		if (k == COUNT(types))
			return qos_expected(r, what, s);
		d->g.types |= types[k].types;
	}
	return err;
}

static const struct qos_key group_keys[] = {
	{ "name", true, group_name }, { "use", true, skip_use }, { "port-guid", true, group_guid },
	{ "port-name", true, group_port },
	{ "pkey", true, group_pkey }, { "partition", true, group_partition },
	{ "node-type", true, group_type },
};

static int
port_group(struct qos_reader *r, void *arg)
{
	struct group_draft d = { 0 };
	int err = qos_block(r, "port-group", group_keys, COUNT(group_keys), &d);

	(void)arg;
	if (err)
		return err;
	if (!d.g.name)
		return qos_expected(
			r, "a name in the port-group", (struct qos_slice){ "end-port-group", 14 });
	d.g.guids = qos_ranges_of(&d.guids);
	d.g.pkeys = qos_ranges_of(&d.pkeys);
	d.g.names = d.names.v;
	d.g.nnames = d.names.n;
	if (!d.g.guids.n && !d.g.pkeys.n && !d.g.nnames && !d.g.types)
		qos_warn(r, r->line, "nobody is in the port-group '%s'", d.g.name);
	for (uint32_t i = 0; i < r->d.groups.n; i++)
		if (qos_same_name(r->d.groups.v[i].name, d.g.name))
			qos_warn(r, r->line,
				"there is a port-group '%s' already; the first one counts",
				d.g.name);
	*QOS_ADD(r, &r->d.groups) = d.g;
	return 0;
}

static int
port_groups(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = { { "port-group", false, port_group } };

	return qos_block(r, "port-groups", keys, COUNT(keys), arg);
}

/* ---- levels ---- */

struct level_draft {
	struct qos_level l;
	struct qos_range_list path_bits, pkeys;
	bool has_sl;
};

static int
level_name(struct qos_reader *r, void *arg)
{
	struct level_draft *d = arg;

	return d->l.name ? fail_twice(r, "name") : qos_string(r, "a name", false, &d->l.name);
}

static int
level_sl(struct qos_reader *r, void *arg)
{
	struct level_draft *d = arg;
	uint64_t v;
	int err = qos_single(r, 15, "a service level from 0 to 15", &v);

	if (err || d->has_sl)
		return err ? err : fail_twice(r, "sl");
	d->l.sl = (uint8_t)v;
	d->has_sl = true;
	return 0;
}

static int
read_limit(struct qos_reader *r, const char *word, const char *what, uint64_t min, uint64_t max,
	uint8_t *out)
{
	uint64_t v;
	int err = qos_single(r, max, what, &v);

	if (err || *out)
		return err ? err : fail_twice(r, word);
	if (v < min)
		return qos_expected(r, what, (struct qos_slice){ v ? "1" : "0", 1 });
	*out = (uint8_t)v;
	return 0;
}

static int
level_mtu(struct qos_reader *r, void *arg)
{
	return read_limit(r, "mtu-limit", "an MTU code from 1 to 5", MTU_CODE_FIRST, MTU_CODE_LAST,
		&((struct level_draft *)arg)->l.mtu);
}

static int
level_rate(struct qos_reader *r, void *arg)
{
	return read_limit(r, "rate-limit", "a rate code from 2 to 26", RATE_CODE_FIRST,
		RATE_CODE_LAST, &((struct level_draft *)arg)->l.rate);
}

static int
level_life(struct qos_reader *r, void *arg)
{
	struct level_draft *d = arg;
	uint64_t v;
	int err = qos_single(r, PACKET_LIFE_MAX, "a packet life from 0 to 63", &v);

	if (err || d->l.has_life)
		return err ? err : fail_twice(r, "packet-life");
	d->l.life = (uint8_t)v;
	d->l.has_life = true;
	return 0;
}

static int
level_path_bits(struct qos_reader *r, void *arg)
{
	return qos_range_list(
		r, UINT16_MAX, "path bits, as in 0,2-3", &((struct level_draft *)arg)->path_bits);
}

static int
level_pkey(struct qos_reader *r, void *arg)
{
	return qos_pkeys(r, &((struct level_draft *)arg)->pkeys);
}

static const struct qos_key level_keys[] = {
	{ "name", true, level_name }, { "use", true, skip_use }, { "sl", true, level_sl },
	{ "mtu-limit", true, level_mtu },
	{ "rate-limit", true, level_rate }, { "packet-life", true, level_life },
	{ "path-bits", true, level_path_bits },
	{ "pkey", true, level_pkey },
};

static int
qos_level(struct qos_reader *r, void *arg)
{
	static const struct qos_slice end = { "end-qos-level", 13 };
	struct level_draft d = { 0 };
	int err = qos_block(r, "qos-level", level_keys, COUNT(level_keys), &d);

	(void)arg;
	if (err)
		return err;
	if (!d.has_sl)
		return qos_expected(r, "an sl in the qos-level", end);
	if (!d.l.name)
		return qos_expected(r, "a name in the qos-level", end);
	d.l.path_bits = qos_ranges_of(&d.path_bits);
	d.l.pkeys = qos_ranges_of(&d.pkeys);
	for (uint32_t i = 0; i < r->d.levels.n; i++)
		if (qos_same_name(r->d.levels.v[i].name, d.l.name))
			qos_warn(r, r->line,
				"there is a qos-level '%s' already; the first one counts",
				d.l.name);
	*QOS_ADD(r, &r->d.levels) = d.l;
	return 0;
}

static int
qos_levels(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = { { "qos-level", false, qos_level } };

	return qos_block(r, "qos-levels", keys, COUNT(keys), arg);
}

/* ---- match rules ---- */

struct rule_draft {
	struct qos_draft_rule d;
	struct qos_range_list classes, services, pkeys;
};

static int
rule_class(struct qos_reader *r, void *arg)
{
	struct rule_draft *d = arg;
	uint32_t had = d->classes.n;
	int err = qos_range_list(r, UINT64_MAX, "QoS classes, as in 1,7-9", &d->classes);

	for (uint32_t i = had; i < d->classes.n; i++)
		if (d->classes.v[i].last > CLASS_MAX)
			qos_warn(r, r->line, "QoS classes end at 0x%x", CLASS_MAX);
	return err;
}

static int
rule_service(struct qos_reader *r, void *arg)
{
	return qos_range_list(r, UINT64_MAX, "service IDs, as in 0x10000,0x20000-0x2ffff",
		&((struct rule_draft *)arg)->services);
}

static int
rule_pkey(struct qos_reader *r, void *arg)
{
	return qos_pkeys(r, &((struct rule_draft *)arg)->pkeys);
}

static int
rule_source(struct qos_reader *r, void *arg)
{
	return qos_name_list(r, "the name of a port-group", &((struct rule_draft *)arg)->d.src);
}

static int
rule_destination(struct qos_reader *r, void *arg)
{
	return qos_name_list(r, "the name of a port-group", &((struct rule_draft *)arg)->d.dst);
}

static int
rule_level(struct qos_reader *r, void *arg)
{
	struct rule_draft *d = arg;

	if (d->d.level.text)
		return fail_twice(r, "qos-level-name");
	d->d.level.line = r->line;
	return qos_string(r, "the name of a qos-level", false, &d->d.level.text);
}

static const struct qos_key rule_keys[] = {
	{ "use", true, skip_use }, { "qos-class", true, rule_class },
	{ "source", true, rule_source },
	{ "destination", true, rule_destination }, { "service-id", true, rule_service },
	{ "pkey", true, rule_pkey },
	{ "qos-level-name", true, rule_level },
};

static int
match_rule(struct qos_reader *r, void *arg)
{
	struct rule_draft d = { 0 };
	int err;

	(void)arg;
	d.d.rule.line = r->line;
	err = qos_block(r, "qos-match-rule", rule_keys, COUNT(rule_keys), &d);
	if (err)
		return err;
	if (!d.d.level.text)
		return qos_expected(r, "a qos-level-name in the qos-match-rule",
			(struct qos_slice){ "end-qos-match-rule", 18 });
	d.d.rule.classes = qos_ranges_of(&d.classes);
	d.d.rule.services = qos_ranges_of(&d.services);
	d.d.rule.pkeys = qos_ranges_of(&d.pkeys);
	*QOS_ADD(r, &r->d.rules) = d.d;
	return 0;
}

static int
match_rules(struct qos_reader *r, void *arg)
{
	static const struct qos_key keys[] = { { "qos-match-rule", false, match_rule } };

	return qos_block(r, "qos-match-rules", keys, COUNT(keys), arg);
}

/* ---- names to indices ---- */

static int
fail_unknown(struct qos_reader *r, const char *what, const struct qos_name *n)
{
	conf_say_error(r->e, r->file, n->line,
		"expected the name of a %s, got '%.40s', which is none", what, n->text);
	return -EINVAL;
}

static int
find_groups(struct qos_reader *r, const struct qos_name_list *l, struct qos_groups_named *out)
{
	uint32_t *v = arena_array(r->a, (size_t)l->n + 1, sizeof(*v));

	for (uint32_t i = 0; i < l->n; i++) {
		while (v[i] < r->d.groups.n &&
		    !qos_same_name(r->d.groups.v[v[i]].name, l->v[i].text))
			v[i]++;
		if (v[i] == r->d.groups.n)
			return fail_unknown(r, "port-group", &l->v[i]);
	}
	*out = (struct qos_groups_named){ v, l->n };
	return 0;
}

/* The index of the first level of that name, or -1. */
static int64_t
level_by_name(const struct qos_reader *r, const char *name)
{
	for (uint32_t i = 0; i < r->d.levels.n; i++)
		if (qos_same_name(r->d.levels.v[i].name, name))
			return i;
	return -1;
}

static void
warn_pkeys(struct qos_reader *r, const struct qos_rule *rule)
{
	for (uint32_t i = 0; i < rule->pkeys.n; i++) {
		const struct qos_range *k = &rule->pkeys.v[i];
		bool known = false;

		for (uint32_t p = 0; p < r->partitions->n; p++)
			known |= r->partitions->v[p].pkey >= k->first &&
				r->partitions->v[p].pkey <= k->last;
		if (!known)
			qos_warn(r, rule->line, "no partition has a P_Key of 0x%llx-0x%llx",
				(unsigned long long)k->first, (unsigned long long)k->last);
	}
}

static bool
fits_all(const struct qos_rule *r)
{
	return !r->src.n && !r->dst.n && !r->classes.n && !r->services.n && !r->pkeys.n;
}

/* The match rules, then the ULP rules. */
static int
finish_rules(struct qos_reader *r, struct qos_policy *out)
{
	struct qos_rule *v = arena_array(r->a, (size_t)r->d.rules.n + r->d.ulps.n + 1, sizeof(*v));

	out->rules = v;
	for (uint32_t i = 0; i < r->d.rules.n + r->d.ulps.n; i++) {
		bool ulp = i >= r->d.rules.n;
		struct qos_draft_rule *d = ulp ? &r->d.ulps.v[i - r->d.rules.n] : &r->d.rules.v[i];
		int64_t level = ulp ? (int64_t)d->rule.level : level_by_name(r, d->level.text);

		if (level < 0)
			return fail_unknown(r, "qos-level", &d->level);
		d->rule.level = (uint32_t)level;
		if (!ulp &&
		    (find_groups(r, &d->src, &d->rule.src) < 0 ||
				find_groups(r, &d->dst, &d->rule.dst) < 0))
			return -EINVAL;
		warn_pkeys(r, &d->rule);
		if (fits_all(&d->rule) && i + 1 < r->d.rules.n + r->d.ulps.n)
			qos_warn(r, d->rule.line,
				"the rule fits every question: those behind it are never reached");
		v[out->nrules++] = d->rule;
	}
	return 0;
}

static int
finish_default(struct qos_reader *r, struct qos_policy *out)
{
	int64_t level = level_by_name(r, DEFAULT_LEVEL);

	if (level >= 0 && r->d.ulp_default >= 0)
		qos_warn(r, r->line,
			"there is a qos-level " DEFAULT_LEVEL
			", so the default of qos-ulps does not count");
	if (level < 0 && r->d.ulp_default < 0)
		return qos_expected(r,
			"a qos-level of the name " DEFAULT_LEVEL ", or a default in qos-ulps",
			(struct qos_slice){ "the end of the file", 19 });
	out->default_level =
		level >= 0 ? (uint32_t)level : qos_ulp_level(r, (uint8_t)r->d.ulp_default);
	return 0;
}

static int
finish_vlarb(struct qos_reader *r, struct qos_policy *out)
{
	struct qos_vlarb_scope *v = arena_array(r->a, (size_t)r->d.vlarb.n + 1, sizeof(*v));

	for (uint32_t i = 0; i < r->d.vlarb.n; i++) {
		struct qos_draft_vlarb *d = &r->d.vlarb.v[i];

		if (find_groups(r, &d->groups, &d->scope.groups) < 0 ||
		    find_groups(r, &d->across, &d->scope.across) < 0)
			return -EINVAL;
		v[i] = d->scope;
	}
	out->vlarb = v;
	out->nvlarb = r->d.vlarb.n;
	return 0;
}

static int
finish_sl2vl(struct qos_reader *r, struct qos_policy *out)
{
	struct qos_sl2vl_scope *v = arena_array(r->a, (size_t)r->d.sl2vl.n + 1, sizeof(*v));

	for (uint32_t i = 0; i < r->d.sl2vl.n; i++) {
		struct qos_draft_sl2vl *d = &r->d.sl2vl.v[i];

		if (find_groups(r, &d->groups, &d->scope.groups) < 0 ||
		    find_groups(r, &d->across_from, &d->scope.across_from) < 0 ||
		    find_groups(r, &d->across_to, &d->scope.across_to) < 0)
			return -EINVAL;
		v[i] = d->scope;
	}
	out->sl2vl = v;
	out->nsl2vl = r->d.sl2vl.n;
	return 0;
}

static int
make_policy(struct qos_reader *r, struct qos_policy *out)
{
	int err = finish_rules(r, out);

	if (!err)
		err = finish_default(r, out);
	if (!err)
		err = finish_vlarb(r, out);
	if (!err)
		err = finish_sl2vl(r, out);
	out->file = arena_strdup(r->a, r->file);
	out->groups = r->d.groups.v;
	out->ngroups = r->d.groups.n;
	out->levels = r->d.levels.v;
	out->nlevels = r->d.levels.n;
	return err;
}

/* ---- all of it ---- */

/* No word of this grammar contains a NUL, and C strings end at one. */
static int
check_text(struct qos_reader *r)
{
	const char *nul = r->p < r->end ? memchr(r->p, '\0', (size_t)(r->end - r->p)) : NULL;

	if (!nul)
		return 0;
	for (const char *p = r->p; p < nul; p++)
		r->line += *p == '\n';
	return qos_expected(r, "text", (struct qos_slice){ "a zero byte", 11 });
}

int
qos_policy_parse(const char *file, const char *text, size_t len, const struct partitions *p,
	struct arena *a, const struct qos_policy **out, struct conf_error *e)
{
	static const struct qos_key sections[] = {
		{ "port-groups", false, port_groups },
		{ "qos-setup", false, qos_setup },
		{ "qos-levels", false, qos_levels },
		{ "qos-match-rules", false, match_rules },
		{ "qos-ulps", false, qos_ulps },
	};
	struct qos_reader r = {
		.file = file, .p = text, .end = text + len, .line = 1, .partitions = p, .a = a,
		.e = e,
	};
	struct qos_policy *made = arena_alloc(a, sizeof(*made));
	int err = check_text(&r);

	r.d.ulp_default = -1;
	while (!err) {
		struct qos_slice word = qos_word(&r);

		if (!word.n)
			break;
		err = qos_entry(&r, NULL, sections, COUNT(sections), word, NULL);
	}
	if (!err)
		err = make_policy(&r, made);
	if (!err)
		*out = made;
	return err;
}

int
qos_policy_read(const char *file, const struct partitions *p, struct arena *a,
	const struct qos_policy **out, struct conf_error *e)
{
	char *text;
	size_t len;
	int err = conf_slurp(file, &text, &len, e);

	if (err)
		return err;
	err = qos_policy_parse(file, text, len, p, a, out, e);
	free(text);
	return err;
}
