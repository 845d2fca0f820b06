/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kinds.c - apply sends made-up kinds of changes: all that it knows of a kind is in its row.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/apply/apply.h"
#include "tests/unit/diff/bed.h"
#include "util/xalloc.h"

enum { LEDS_ID = 0xff31, NAMES_ID = 0xff32, BAD = 0x001c };

static struct bed b;
static struct apply *a;
static unsigned observed_leds, forgotten_leds, observed_names;
static bool quiet;

/* ---- a kind of ports: the block is the colour of a LED ---- */

static uint32_t
leds_modifier(const struct diff_view *v, const struct change *c, bool fallback)
{
	return v->s->ports[c->subject].num | (fallback ? 0x100 : 0);
}

static const uint8_t *
leds_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	(void)v;
	assert_string_equal(k->name, "leds");
	memset(buf, (int)c->block, CHANGE_BYTES);
	return buf;
}

static bool
leds_took_effect(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	const uint8_t *sent, const uint8_t *data)
{
	(void)k;
	(void)v;
	assert_int_equal(sent[0], c->block);
	return data[0] == c->block;
}

static void
leds_observe(struct observed *o, const struct change *c,
	const struct change_answer *answer)
{
	(void)c;
	assert_ptr_equal(o, b.o);
	observed_leds += answer->data[0];
}

static void
leds_forget(struct observed *o, const struct change *c)
{
	(void)o;
	forgotten_leds += c->block;
}

static bool
leds_reached(const struct change_kind *k, const uint8_t *data)
{
	(void)k;
	return data[0] == 0x33;
}

static bool
leds_has_fallback(
	const struct diff_view *v, const struct change *c, uint32_t modifier, uint16_t status)
{
	(void)v;
	(void)c;
	return status == BAD && !(modifier & 0x100);
}

static bool
leds_is_quiet(const struct plan *plan, const struct change *c)
{
	(void)plan;
	(void)c;
	return quiet;
}

static const struct change_kind leds = {
	.name = "leds", .subject = CHANGE_OF_PORT, .attribute = LEDS_ID,
	.keeps_sent = true, .bars_link = true,
	.modifier = leds_modifier, .payload = leds_payload, .took_effect = leds_took_effect,
	.observe = leds_observe, .forget = leds_forget, .reached = leds_reached,
	.has_fallback = leds_has_fallback, .is_quiet = leds_is_quiet,
};

/* ---- a kind of switches ---- */

static uint16_t
names_attribute(const struct change *c)
{
	return (uint16_t)(NAMES_ID + c->block);
}

static const uint8_t *
names_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	(void)k;
	(void)c;
	(void)buf;
	return v->plan->fwd.port;
}

static bool
names_took_effect(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	const uint8_t *sent, const uint8_t *data)
{
	(void)k;
	(void)v;
	(void)c;
	assert_null(sent);
	return data[0] != 0;
}

static void
names_observe(struct observed *o, const struct change *c,
	const struct change_answer *answer)
{
	(void)o;
	(void)c;
	observed_names += answer->effect;
}

static const struct change_kind names = {
	.name = "names", .subject = CHANGE_OF_SWITCH, .attribute_of = names_attribute,
	.payload_borrowed = true, .payload = names_payload, .took_effect = names_took_effect,
	.observe = names_observe,
};

/* ---- a kind that needs the link ---- */

static const struct change_kind lasers = {
	.name = "lasers", .subject = CHANGE_OF_PORT, .attribute = LEDS_ID + 2, .needs_link = true,
	.payload = names_payload, .took_effect = names_took_effect,
};

/* Phase 0 writes LEDs, phase 1 names, phase 2 lasers. */
static const struct change_kind *const made_up[CHANGE_PHASE_COUNT] = {
	&leds, &names, &lasers,
	&leds, &leds, &leds, &leds, &leds, &leds, &leds, &leds, &leds, &leds,
};

static void
list(struct changes *c, unsigned phase, uint32_t subject, uint32_t block)
{
	struct change_list *l = &c->phase[phase];

	l->v = xreallocarray(l->v, l->n + 1u, sizeof(*l->v));
	l->v[l->n++] = (struct change){ subject, block };
	l->cap = l->n;
	c->total++;
}

static int
setup(void **state)
{
	struct changes c = { .kinds = made_up };

	(void)state;
	bed_make(&b);
	observed_leds = forgotten_leds = observed_names = 0;
	quiet = false;
	list(&c, 0, b.host, 0x11);
	list(&c, 1, 6, 4);
	list(&c, 2, b.leaf, 0);
	a = apply_new(b.o, &b.plan, &c, mkeys_one(5), NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	apply_free(a);
	bed_clear(&b);
	return 0;
}

/* The one request that may be sent now. */
static struct txn_req
only_request(uint16_t attr, uint8_t method, uint32_t modifier)
{
	struct txn_req r, none;

	assert_true(apply_next(a, &r));
	assert_false(apply_next(a, &none));
	assert_int_equal(r.attr_id, attr);
	assert_int_equal(r.method, method);
	assert_int_equal(r.modifier, modifier);
	return r;
}

static void
end(const struct txn_req *r, enum txn_end_kind kind, uint16_t status, uint8_t data)
{
	struct dgram reply = { .bytes = DGRAM_BYTES };
	struct txn_end e = { .cookie = r->cookie,
		.target = r->target,
		.kind = kind,
		.status = status,
		.modifier = r->modifier,
		.reply = &reply };

	memset(reply.mad + 64, data, 64);
	apply_end(a, &e);
}

static uint32_t
failures(void)
{
	uint32_t n;

	apply_failures(a, &n);
	return n;
}

static void
all_goes_well(void **state)
{
	uint64_t done, total;
	struct txn_req r;

	(void)state;
	r = only_request(LEDS_ID, METHOD_SET, 1);
	assert_int_equal(r.target, b.s->ports[b.host].node);
	assert_int_equal(r.payload[63], 0x11);
	assert_false(r.payload_borrowed);
	end(&r, TXN_END_OK, 0, 0x11);
	assert_int_equal(observed_leds, 0x11);
	r = only_request(NAMES_ID + 4, METHOD_SET, 0);
	assert_int_equal(r.target, b.s->switches[6]);
	assert_true(r.payload_borrowed);
	assert_ptr_equal(r.payload, b.plan.fwd.port);
	end(&r, TXN_END_OK, 0, 1);
	assert_int_equal(observed_names, 1);
	r = only_request(LEDS_ID + 2, METHOD_SET, 0);
	end(&r, TXN_END_OK, 0, 1);
	assert_true(apply_done(a));
	apply_progress(a, &done, &total);
	assert_int_equal(done, 3);
	assert_int_equal(total, 3);
	assert_int_equal(failures(), 0);
}

/*
 * Where it fails, it is forgotten, named by its row, and the other end of the link is left alone.
 */
static void
a_failure_bars_the_link(void **state)
{
	const struct apply_failure *f;
	struct txn_req r;
	uint32_t n;

	(void)state;
	r = only_request(LEDS_ID, METHOD_SET, 1);
	end(&r, TXN_END_SKIPPED, 0, 0);
	assert_int_equal(forgotten_leds, 0x11);
	assert_int_equal(observed_leds, 0);
	r = only_request(NAMES_ID + 4, METHOD_SET, 0);
	end(&r, TXN_END_OK, 0, 0);              /* without effect; nothing to be forgotten */
	assert_false(apply_next(a, &r));        /* no laser of that link is touched */
	assert_true(apply_done(a));
	f = apply_failures(a, &n);
	assert_int_equal(n, 2);
	assert_ptr_equal(f[0].kind, &leds);
	assert_int_equal(f[0].port, b.s->ports[b.host].num);
	assert_ptr_equal(f[1].kind, &names);
	assert_int_equal(f[1].port, 0);
	assert_int_equal(f[1].node, b.s->switches[6]);
}

static void
a_refusal_falls_back_then_is_read_back(void **state)
{
	struct txn_req r;

	(void)state;
	r = only_request(LEDS_ID, METHOD_SET, 1);
	end(&r, TXN_END_STATUS, BAD, 0);
	r = only_request(LEDS_ID, METHOD_SET, 0x101);   /* the other form */
	end(&r, TXN_END_STATUS, BAD, 0);
	r = only_request(LEDS_ID, METHOD_GET, 0x101);
	end(&r, TXN_END_OK, 0, 0x33);
	assert_int_equal(observed_leds, 0x33);
	assert_int_equal(failures(), 0);
	r = only_request(NAMES_ID + 4, METHOD_SET, 0);
	end(&r, TXN_END_STATUS, BAD, 0);                /* this kind is not read back */
	assert_int_equal(failures(), 1);
	r = only_request(LEDS_ID + 2, METHOD_SET, 0);
	end(&r, TXN_END_OK, 0, 1);
	assert_true(apply_done(a));
}

static void
a_quiet_kind(void **state)
{
	struct txn_req r = only_request(LEDS_ID, METHOD_SET, 1);

	(void)state;
	quiet = true;
	end(&r, TXN_END_OK, 0, 0x12);                   /* another colour */
	assert_int_equal(observed_leds, 0x12);
	assert_int_equal(forgotten_leds, 0);
	assert_int_equal(failures(), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_goes_well, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failure_bars_the_link, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_refusal_falls_back_then_is_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(a_quiet_kind, setup, teardown),
	};

	return cmocka_run_group_tests_name("apply/kinds", tests, NULL, NULL);
}
