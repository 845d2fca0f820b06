/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_partitions.c - every production of the grammar, what OpenSM reads wrongly, and sentences for mistakes.
 */
#include <config.h>
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"

static struct arena arena;
static struct conf_error err;
static char shown[8192];

static int
teardown(void **state)
{
	(void)state;
	arena_clear(&arena);
	conf_error_clear(&err);
	return 0;
}

static const char *
member_text(uint8_t m)
{
	return m == PART_BOTH ? "both" : m == PART_FULL ? "full" : "limited";
}

static size_t
show_rule(size_t at, const struct part_rule *r)
{
	static const char *const who[] = { "ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF" };
	char guids[64];

	snprintf(guids, sizeof(guids), "%#llx-%#llx", (unsigned long long)r->first, (unsigned long long)r->last);
	return at + (size_t)snprintf(shown + at, sizeof(shown) - at, " %s=%s%s", r->who == PART_GUIDS ? guids : who[r->who],
		member_text(r->member), r->indx0 ? "!" : "");
}

static size_t
show_group(size_t at, const struct part_group *g)
{
	char mgid[64];

	inet_ntop(AF_INET6, g->mgid, mgid, sizeof(mgid));
	return at + (size_t)snprintf(shown + at, sizeof(shown) - at, " [%s q%x mtu%u rate%u sl%u t%u f%x]", mgid, g->qkey, g->mtu,
		g->rate, g->sl, g->tclass, g->flow_label);
}

/* One line a partition.  Default's first two rules, when there is a file, are left out. */
static const char *
partitions_show(const struct partitions *p)
{
	size_t at = 0;

	shown[0] = '\0';
	for (uint32_t i = 0; i < p->n; i++) {
		const struct partition *v = &p->v[i];
		uint32_t first = v->pkey == PKEY_DEFAULT_LIMITED && p->file ? 2 : 0;

		at += (size_t)snprintf(shown + at, sizeof(shown) - at, "%s=%#x%s:", v->name, v->pkey, v->ipoib ? ",ipoib" : "");
		for (uint32_t k = first; k < v->nrules; k++)
			at = show_rule(at, &v->rules[k]);
		for (uint32_t k = 0; k < v->ngroups; k++)
			at = show_group(at, &v->groups[k]);
		at += (size_t)snprintf(shown + at, sizeof(shown) - at, "\n");
	}
	return shown;
}

static const struct partitions *
parse(const char *text, bool qos)
{
	const struct partitions *p = NULL;

	conf_error_clear(&err);
	if (partitions_parse("P", text, strlen(text), qos, &arena, &p, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return p;
}

#define D "Default=0x7fff:\n"
static void
productions(void **state)
{
	static const struct { const char *text, *want; } v[] = {
		{ "", D },
		{ "# only a comment", D },
		{ "Default=0x7fff:ALL=full;", "Default=0x7fff: ALL=full\n" },
		{ "Default:ALL=full;", "Default=0x7fff: ALL=full\n" },
		{ "0xffff:SELF=limited;", "Default=0x7fff: SELF=limited\n" },
		{ "A=0x8001:;", "A=0x1:\n" D },                         /* bit 15 is ignored */
		{ "A=010:;B=10:;", "A=0x8:\nB=0xa:\n" D },              /* C numbers */
		{ "0x5 : 0x10 ;", "=0x5: 0x10-0x10=limited\n" D },      /* a bare number is the P_Key */
		{ "=6:NONE;", "=0x6:\n" D },
		{ ":ALL;", "=0x1: ALL=limited\n" D },                   /* the next free one */
		{ "A:ALL;B=1:SELF;C:;", "A=0x1: ALL=limited SELF=limited\nC=0x2:\n" D },
		{ "B=1:;A:ALL;A:SELF=full;", "B=0x1:\nA=0x2: ALL=limited SELF=full\n" D },      /* a known name goes on */
		{ "A=3:;B=3:ALL;", "A=0x3: ALL=limited\n" D },          /* the first name stays */
		{ "my net=3:;", "my net=0x3:\n" D },
		{ "A=1,defmember=full:ALL,SELF=limited;", "A=0x1: ALL=full SELF=limited\n" D },
		{ "A=1, defmember = both : ALL_CAS , ALL_SWITCHES = full,ALL_ROUTERS=both ;",
		  "A=0x1: ALL_CAS=both ALL_SWITCHES=full ALL_ROUTERS=both\n" D },
		{ "A=1,indx0:0x2,0x3;A:0x4;", "A=0x1: 0x2-0x2=limited! 0x3-0x3=limited! 0x4-0x4=limited\n" D },
		{ "A=1:0x2\n0x3,\n\n0x4 # and\n,0x5;", "A=0x1: 0x2-0x2=limited 0x3-0x3=limited 0x4-0x4=limited 0x5-0x5=limited\n" D },
		{ "A=1:0x2-0x20=full, 7 - 9;", "A=0x1: 0x2-0x20=full 0x7-0x9=limited\n" D },
		{ "A=1:ALL", "A=0x1: ALL=limited\n" D },                /* the last ';' may be missing */
		{ "A=1:,,ALL,;B=2,:;", "A=0x1: ALL=limited\nB=0x2:\n" D },
		{ "A=1:ALL;B=2:SELF;\r\nC=3:;", "A=0x1: ALL=limited\nB=0x2: SELF=limited\nC=0x3:\n" D },
		{ "A=1,ipoib:;", "A=0x1,ipoib: [ff12:401b:8001::ffff:ffff qb1b mtu4 rate3 sl0 t0 f0]\n" D },
		{ "A=1,ipoib,rate=16,mtu=5,scope=2,scope=0xe,Q_Key=0x77,TClass=4,FlowLabel=0x12345,sl=3:;",
		  "A=0x1,ipoib: [ff12:401b:8001::ffff:ffff q77 mtu5 rate16 sl0 t4 f12345]"
		  " [ff1e:401b:8001::ffff:ffff q77 mtu5 rate16 sl0 t4 f12345]\n" D },
		{ "A=1,rate=100Gbps,mtu=2048B,TClass=1:mgid=ff12::5,TClass=9,mtu=256B,rate=2.5Gbps\nALL;",
		  "A=0x1: ALL=limited [ff12::5 q0 mtu1 rate2 sl0 t9 f0]\n" D },
		{ "A=1,Q_Key=3,FlowLabel=2,TClass=1:mgid=ff12::5 # c\nmgid=ff18::6;", 
		  "A=0x1: [ff12::5 q3 mtu4 rate3 sl0 t0 f2] [ff18::6 q3 mtu4 rate3 sl0 t0 f2]\n" D },
		{ "A=1:mgid=ff12:401b::16\nmgid=ff12:601b:8001::2,Q_Key=5;",
		  "A=0x1: [ff12:401b:8001::16 qb1b mtu4 rate3 sl0 t0 f0] [ff12:601b:8001::2 q5 mtu4 rate3 sl0 t0 f0]\n" D },
		{ "A=1:mgid=ff12:401b:ffff::ffff:ffff;", "A=0x1: [ff12:401b:8001::ffff:ffff qb1b mtu4 rate3 sl0 t0 f0]\n" D },
		{ "A=1,ipoib:mgid=ff12:401b:8001::ffff:ffff,Q_Key=1;", "A=0x1,ipoib: [ff12:401b:8001::ffff:ffff qb1b mtu4 rate3 sl0 t0 f0]\n" D },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const struct partitions *p = parse(v[i].text, false);

		assert_string_equal(partitions_show(p), v[i].want);
		assert_string_equal(p->file, "P");
	}
}

static void
default_begins_limited(void **state)
{
	const struct partitions *p = parse("", false);
	const struct part_rule *r = p->v[0].rules;

	(void)state;
	assert_int_equal(p->v[0].nrules, 2);
	assert_true(r[0].who == PART_ALL && r[0].member == PART_LIMITED);
	assert_true(r[1].who == PART_SELF && r[1].member == PART_FULL);
	assert_non_null(strstr(err.warnings, "no partition is defined"));
}

static void
without_a_file_everybody_is_full(void **state)
{
	const struct partitions *p = partitions_default(&arena);

	(void)state;
	assert_null(p->file);
	assert_string_equal(partitions_show(p),
		"Default=0x7fff,ipoib: ALL=full [ff12:401b:ffff::ffff:ffff qb1b mtu4 rate3 sl0 t0 f0]\n");
}

static void
service_levels_with_qos(void **state)
{
	const struct partitions *p = parse("A=1,sl=3,ipoib:mgid=ff12::1,sl=4;", true);

	(void)state;
	assert_int_equal(p->v[0].sl, 3);
	assert_int_equal(p->v[0].groups[0].sl, 3);
	assert_int_equal(p->v[0].groups[1].sl, 4);
}

static void
beginnings_of_words_warn(void **state)
{
	(void)state;
	assert_string_equal(partitions_show(parse("A=1,ipo,defm=fu:ALL_C=limi,SE;", false)),
		"A=0x1,ipoib: ALL_CAS=limited SELF=full [ff12:401b:8001::ffff:ffff qb1b mtu4 rate3 sl0 t0 f0]\n" D);
	assert_non_null(strstr(err.warnings, "P:1: warning: 'ALL_C' is taken for"));
	assert_non_null(strstr(err.warnings, "'limi'"));
	assert_non_null(strstr(err.warnings, "'fu'"));
	parse("A=1:ALL=full;", false);
	assert_null(err.warnings);
}

static void
mistakes(void **state)
{
	static const struct { const char *text, *want; } v[] = {
		{ "A=0x1", "P:1: error: expected ':' behind the header, on the same line, got 'the end of the line'" },
		{ "A=0x1\n:ALL;", "P:1: error: expected ':'" },
		{ "A=1:ALL;\nB=2;", "P:2: error: expected ':' behind the header, on the same line, got ';'" },
		{ ";", "P:1: error: expected ':'" },
		{ "A=1:ALL;;", "P:1: error: expected ':'" },
		{ "A=0:;", "P:1: error: expected a P_Key from 0x1 to 0x7fff, got '0'" },
		{ "A=0x8000:;", "expected a P_Key" },
		{ "A=0x10000:;", "expected a P_Key" },
		{ "A=x:;", "expected a P_Key from 0x1 to 0x7fff, got 'x'" },
		{ "A=:;", "expected a P_Key" },
		{ "1x:;", "expected a P_Key" },
		{ "A=-1:;", "expected a P_Key" },
		{ "A=1,ipoip:;", "expected a flag (indx0, ipoib, " },
		{ "A=1,ipoib=2:;", "expected no value for this flag, got '2'" },
		{ "A=1,defmember=fully:;", "expected full, limited or both, got 'fully'" },
		{ "A=1,defmember:;", "expected full, limited or both, got ''" },
		{ "A=1,mtu=6:;", "expected an MTU code" },
		{ "A=1,mtu=2048:;", "expected an MTU code" },
		{ "A=1,rate=1:;", "expected a rate code" },
		{ "A=1,rate=25:;", "expected a rate code" },
		{ "A=1,sl=16:;", "expected a service level" },
		{ "A=1,scope=0:;", "expected a scope" },
		{ "A=1,scope=16:;", "expected a scope" },
		{ "A=1,Q_Key=0x100000000:;", "expected a Q_Key" },
		{ "A=1,TClass=256:;", "expected a traffic class" },
		{ "A=1,FlowLabel=0x100000:;", "expected a flow label" },
		{ "A=1:A;", "expected a port GUID, " },                 /* ALL, or ALL_CAS? */
		{ "A=1:\n\nAL=full;", "P:3: error: expected a port GUID, " },
		{ "A=1:0;", "expected a port GUID" },
		{ "A=1:0x5-0x4;", "expected a port GUID" },
		{ "A=1:0x1 0x2;", "expected a port GUID, GUID-GUID, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF or NONE, got '0x1 0x2'" },
		{ "A=1:0x10000000000000000;", "expected a port GUID" },
		{ "A=1:ALL=;", "expected full, limited or both, got ''" },      /* OpenSM: full */
		{ "A=1:ALL=ful1;", "expected full, limited or both" },          /* OpenSM: limited */
		{ "A=1:ALL=full=full;", "expected ',' or ';'" },
		{ "A=1:=full;", "expected a port GUID" },
		{ "A=1:ALL\nB=2:SELF;", "P:2: error: expected a port GUID, " },        /* the first ';' is missing */
		{ "A=1:ALL\n0x2:SELF;", "P:2: error: expected ',' or ';' (does an earlier definition lack its ';'?), got ':'" },
		{ "A=1:mgid;", "expected '=' behind mgid" },
		{ "A=1:mgid=;", "expected a multicast GID" },
		{ "A=1:mgid=fe80::1;", "expected a multicast GID" },
		{ "A=1:mgid=ff12::1,ipoib;", "expected a flag (mtu=" },
		{ "A=1:mgid=ff12:401b:8002::1;", "expected the partition's own P_Key" },
		{ "A=1:mgid=ff12:401b::1,rate=4;", "expected an IP group with the rate and MTU of its partition" },
		{ "A=1:mgid=ff12:401b::1,mtu=5;", "expected an IP group with the rate" },
		{ "A=1:mgid=ff12::1,ALL;", "expected a flag" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const struct partitions *p = NULL;

		conf_error_clear(&err);
		if (partitions_parse("P", v[i].text, strlen(v[i].text), false, &arena, &p, &err) != -EINVAL)
			fail_msg("'%s' was accepted", v[i].text);
		assert_null(p);
		if (!strstr(err.text, v[i].want))
			fail_msg("'%s': %s", v[i].text, err.text);
	}
}

/* ---- through heddled.conf ---- */

static char path[] = "/tmp/heddle-part-XXXXXX";

static void
partitions_file_write(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void
a_broken_file_keeps_what_there_was(void **state)
{
	const char *argv[] = { "heddled", "-F", "/dev/null", "--Pconfig", path, "-Z", "in" };
	struct conf *c, *again;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	partitions_file_write("A=1:ALL=full;");
	assert_int_equal(conf_load(7, (char **)(uintptr_t)argv, &c, &err), 0);
	assert_string_equal(partitions_show(c->partitions), "A=0x1: ALL=full\n" D);
	assert_int_equal(c->part_enforce, CONF_ENFORCE_IN);
	partitions_file_write("A=1:ALL=full;\nB=:ALL;");
	assert_int_equal(conf_reload(c, &again, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":2: error: expected a P_Key"));
	unlink(path);
	conf_error_clear(&err);
	assert_int_equal(conf_reload(c, &again, &err), -ENOENT);
	assert_string_equal(partitions_show(c->partitions), "A=0x1: ALL=full\n" D);
	conf_free(c);
	conf_error_clear(&err);
	assert_int_equal(conf_load(7, (char **)(uintptr_t)argv, &c, &err), -ENOENT);
	assert_non_null(strstr(err.text, "No such file"));
}

/* However many warnings come before it, an error has its line; and they have theirs. */
static void
many_warnings(void **state)
{
	char text[512] = "A=1:";
	const struct partitions *p;

	(void)state;
	for (unsigned i = 1; i <= 25; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u=ful,\n", i);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "x;");
	assert_int_equal(partitions_parse("P", text, strlen(text), false, &arena, &p, &err), -EINVAL);
	assert_int_equal(err.nwarnings, 25);
	assert_non_null(strstr(err.warnings, "P:25: warning: 'ful' is taken for"));
	assert_memory_equal(err.text, "P:26: error: expected a port GUID", 33);
}

/* The subnet administration is out of reach of limited members where the manager's own port is one, too. */
static void
limited_members_only(void **state)
{
#define NO_SA "the manager's own port becomes a limited member of Default"
	static const struct {
		const char *text, *want;        /* NULL: no warning */
	} v[] = {
		{ "Default=0x7fff:\n ALL=limited;", "P:2: warning: " NO_SA },
		{ "Default=0x7fff: ALL;", "P:1: warning: " NO_SA },
		{ "Default=0x7fff: SELF=full,\n ALL_CAS=limited;", "P:2: warning: " NO_SA },
		{ "Default=0x7fff: SELF=limited;", "P:1: warning: " NO_SA },
		{ "Default=0x7fff: 0x10=full, ALL=limited;", "P:1: warning: " NO_SA },
		{ "Default=0x7fff: ALL=limited, SELF=full;", NULL },
		{ "Default=0x7fff: ALL=limited, SELF=both;", NULL },
		{ "Default=0x7fff: ALL=limited; A=1:ALL=full; Default: SELF=full;", NULL },
		{ "Default=0x7fff: ALL=limited, 0x10=full;", NULL },    /* 0x10 may be the manager's own: the plan knows */
		{ "Default=0x7fff: ALL_SWITCHES=limited;", NULL },
		{ "Default=0x7fff: ALL=full;", NULL },
		{ "A=1: 0x10=limited,\n 0x20=limited;", "P:2: warning: partition 'A' (0x0001) has limited members only" },
		{ "A=1: 0x10=limited, 0x20=full;", NULL },
		{ "A=1: ;", NULL },
	};
	const struct partitions *p;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		conf_error_clear(&err);
		assert_int_equal(partitions_parse("P", v[i].text, strlen(v[i].text), false, &arena, &p, &err), 0);
		if (!v[i].want != !err.warnings || (v[i].want && !strstr(err.warnings, v[i].want)))
			fail_msg("'%s': %s", v[i].text, err.warnings ? err.warnings : "no warning");
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(productions, teardown),
		cmocka_unit_test_teardown(default_begins_limited, teardown),
		cmocka_unit_test_teardown(many_warnings, teardown),
		cmocka_unit_test_teardown(limited_members_only, teardown),
		cmocka_unit_test_teardown(without_a_file_everybody_is_full, teardown),
		cmocka_unit_test_teardown(service_levels_with_qos, teardown),
		cmocka_unit_test_teardown(beginnings_of_words_warn, teardown),
		cmocka_unit_test_teardown(mistakes, teardown),
		cmocka_unit_test_teardown(a_broken_file_keeps_what_there_was, teardown),
	};

	return cmocka_run_group_tests_name("partitions", tests, NULL, NULL);
}
