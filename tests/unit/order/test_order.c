/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_order.c - every state between old and new tables: no loop, no cycle of dependencies,
 * whatever order of confirmations the predecessors allow.
 *
 * A small simulator carries the writes out: several at once, entry by entry, in random order; some
 * are never confirmed.  Time passes between the steps; packets live for DRAIN.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/verify/verify_graph.h"
#include "sm/order/order.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "util/xalloc.h"

#define DRAIN 40
#define FLIGHT 8 /* writes under way at once */

struct change_case {
	struct snapshot *s; /* the cables as they are now */
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables old, new;
	struct order_in in;
	struct order_block *blocks;
	struct order order;
	enum verify_scope scope;
	uint64_t roots[64];
	uint32_t nroots;
};

static struct change_case *at;
static bool sparse; /* changes are thinned out */

static int
teardown(void **state)
{
	(void)state;
	if (at) {
		made_free(at->s);
		arena_clear(&at->arena);
		free(at->blocks);
		free(at);
		at = NULL;
	}
	return 0;
}

/* ---- making a change ---- */

static void
unplug(struct snapshot *s, uint32_t port)
{
	uint32_t peer = s->ports[port].peer;

	s->ports[port].peer = FAB_NONE;
	if (peer != FAB_NONE)
		s->ports[peer].peer = FAB_NONE;
}

/* Takes 'links' cables between switches away, and 'switches' switches without hosts. */
static void
damage(struct snapshot *s, unsigned links, unsigned switches, uint32_t *seed)
{
	for (unsigned tries = 0; (links || switches) && tries < 1000; tries++) {
		const struct fab_node *n = &s->nodes[s->switches[made_random(seed) % s->nswitches]];
		uint32_t port = n->first_port + 1 + made_random(seed) % n->nports;
		uint32_t peer = s->ports[port].peer;

		if (peer == FAB_NONE || s->nodes[s->ports[peer].node].sw == FAB_NONE)
			continue;
		if (links) {
			unplug(s, port);
			links--;
			continue;
		}
		for (unsigned p = 1; p <= n->nports; p++)
			unplug(s, n->first_port + p);
		switches--;
	}
}

/* The second run has the roots of the first. */
static bool
run_engine(const char *name, const struct snapshot *s, struct fwd_tables *f)
{
	uint64_t roots[64];
	struct route_conf c = { .roots = roots };
	struct route_in in = { .snapshot = s,
		.lids = &at->lids,
		.conf = &c,
		.previous = at->old.port ? &at->old : NULL };
	struct route_report r;
	enum route_code code;
	char why[200];
	const struct route_engine *e = route_find(name, why, sizeof(why));

	assert_non_null(e);
	at->scope = e->scope;
	memset(&r, 0, sizeof(r));
	c.nroots = at->nroots;
	memcpy(roots, at->roots, sizeof(roots));
	if (!c.nroots)
		c.roots = NULL;
	code = e->run(&in, &at->arena, f, &r);
	at->nroots = r.nroots < 64 ? r.nroots : 64;
	for (uint32_t i = 0; i < at->nroots; i++)
		at->roots[i] = s->nodes[r.roots[i]].guid;
	return code == ROUTE_OK;
}

static void
find_blocks(void)
{
	uint32_t n = at->new.top / 64 + 1u, k = 0;

	at->blocks = xcalloc((size_t)n * at->s->nswitches, sizeof(*at->blocks));
	for (uint32_t b = 0; b < n; b++)
		for (uint32_t sw = 0; sw < at->s->nswitches; sw++)
			if (memcmp(fwd_row(&at->old, sw) + b * 64, fwd_row(&at->new, sw) + b * 64,
				    64) != 0)
				at->blocks[k++] = (struct order_block){ sw, b };
	at->in.nblocks = k;
}

/* How many switches change the block if 'lid' moves too; those that do already are in 'sw'. */
static uint32_t
count_changed(const bool *sw, uint32_t lid)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < at->s->nswitches; i++)
		n += sw[i] || fwd_row(&at->old, i)[lid] != fwd_row(&at->new, i)[lid];
	return n;
}

/* Takes columns back until no block changes in more than 1 of 16 switches. */
static void
thin_out(void)
{
	bool *sw = xcalloc(at->s->nswitches, sizeof(*sw));

	for (uint32_t lid = 0; lid <= at->new.top; lid++) {
		bool keep;

		if (lid % 64 == 0)
			memset(sw, 0, at->s->nswitches * sizeof(*sw));
		keep = count_changed(sw, lid) <= at->s->nswitches / 16;
		for (uint32_t i = 0; i < at->s->nswitches; i++)
			if (keep)
				sw[i] |= fwd_row(&at->old, i)[lid] != fwd_row(&at->new, i)[lid];
			else
				fwd_row(&at->new, i)[lid] = fwd_row(&at->old, i)[lid];
	}
	free(sw);
}

/* Every second change of scope all gets the turns of a proof, with those of the old tables among
 * them. */
static void
find_turns(void)
{
	static unsigned calls;
	struct verify_kept *kept = NULL;
	struct verify_in in = { .snapshot = at->s, .lids = &at->lids, .tables = &at->old,
		.scope = VERIFY_ALL, .kept = &kept };
	struct verify_result v;

	if (at->scope != VERIFY_ALL || calls++ % 2)
		return;
	verify_check(&in, &v);
	in.tables = &at->new;
	verify_again(&in, &v);
	if (v.ok)
		at->in.turns = verify_kept_turns(kept);
	verify_kept_free(kept);
}

/* From the fabric with 'before' cables lost to the one with 'after'.  False: an engine refused. */
static bool
make_change(const char *spec, const char *engine_before, const char *engine_after, unsigned before,
	unsigned after, unsigned switches, uint32_t seed)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;
	struct snapshot *first;
	uint32_t r1 = seed, r2 = seed;
	bool ok;

	teardown(NULL);
	at = xcalloc(1, sizeof(*at));
	first = made_snapshot(spec, NULL);
	at->s = made_snapshot(spec, NULL);
	assert_int_equal(plan_lids(first, NULL, &lc, &at->arena, &at->lids, &lr), 0);
	damage(first, before, before > after ? switches : 0, &r1);
	damage(at->s, after, before > after ? 0 : switches, &r2);
	ok = run_engine(engine_before, first, &at->old) &&
		run_engine(engine_after, at->s, &at->new);
	if (ok) {
		for (uint32_t sw = 0; sw < at->s->nswitches; sw++) {
			struct fab_node *n = &at->s->nodes[at->s->switches[sw]];

			n->lft = fwd_row(&at->old, sw);
			n->lft_blocks = at->old.top / 64 + 1u;
		}
		if (sparse)
			thin_out();
		find_blocks();
		at->in.s = at->s;
		at->in.lids = &at->lids;
		at->in.wanted = &at->new;
		at->in.blocks = at->blocks;
		at->in.scope = at->scope;
		at->in.sm_lid = at->lids.base[at->s->sm_port];
		find_turns();
		order_make(&at->in, &at->arena, &at->order);
		fwd_rows_drop(at->in.turns);
		at->in.turns = NULL;
	}
	made_free(first);
	return ok;
}

/* ---- carrying it out ---- */

/* Values of one entry, with the time since when each is in force. */
struct past {
	uint8_t port[3];
	int32_t from[3];
	unsigned n;
};

struct run {
	struct chan_graph g;
	struct arena arena;
	uint32_t *comp;
	struct past *past; /* [switch][LID] */
	uint32_t lids;
	int32_t now;
	uint32_t seed;
	bool *acked, *sent, *lost;
	int32_t *acked_at;
	bool obey; /* the order, or anything goes */
	uint64_t loops, cycles, checks;
	uint64_t cut; /* walks that end too early though the old and the new tables have a path */
	uint64_t hosts_cut; /* of these: between hosts */
};

static struct past *
past_of(const struct run *x, uint32_t sw, uint32_t lid)
{
	return &x->past[(size_t)sw * x->lids + lid];
}

static uint8_t
present(const struct run *x, uint32_t sw, uint32_t lid)
{
	const struct past *p = past_of(x, sw, lid);

	return p->port[p->n - 1];
}

static uint32_t
behind(const struct run *x, uint32_t sw, uint8_t port)
{
	const struct chan_hop *h = chan_graph_hop(&x->g, sw, port);

	return h ? h->sw : FAB_NONE;
}

/* Whether a packet comes from 'sw' to a host, or to port 0 of a switch: by tables, or NULL: by the
 * present entries. */
static bool
arrives(const struct run *x, const struct fwd_tables *f, uint32_t sw, uint32_t lid)
{
	for (uint32_t hops = 0; hops <= x->g.nsw; hops++) {
		uint8_t port = f ? fwd_row(f, sw)[lid] : present(x, sw, lid);
		const struct fab_node *n = &at->s->nodes[at->s->switches[sw]];
		uint32_t next = behind(x, sw, port);

		if (next == FAB_NONE)
			return !port || (port <= n->nports &&
					at->s->ports[n->first_port + port].peer != FAB_NONE);
		sw = next;
	}
	return false;
}

static bool
has_hosts(uint32_t sw)
{
	const struct fab_node *n = &at->s->nodes[at->s->switches[sw]];

	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer = at->s->ports[n->first_port + p].peer;

		if (peer != FAB_NONE && at->s->nodes[at->s->ports[peer].node].sw == FAB_NONE)
			return true;
	}
	return false;
}

static bool
is_host(uint32_t lid)
{
	uint32_t owner = lid <= at->lids.top ? at->lids.owner[lid] : FAB_NONE;

	return owner != FAB_NONE && at->s->nodes[at->s->ports[owner].node].sw == FAB_NONE;
}

static void
check_arrival(struct run *x, uint32_t lid)
{
	for (uint32_t sw = 0; sw < x->g.nsw; sw++) {
		if (arrives(x, NULL, sw, lid) || !arrives(x, &at->old, sw, lid) ||
			!arrives(x, &at->new, sw, lid))
			continue;
		x->cut++;
		x->hosts_cut += has_hosts(sw) && is_host(lid);
	}
}

static void
check_loop(struct run *x, uint32_t sw, uint32_t lid)
{
	uint32_t v = sw;

	for (uint32_t hops = 0; v != FAB_NONE; hops++) {
		if (hops > x->g.nsw) {
			x->loops++;
			return;
		}
		v = behind(x, v, present(x, v, lid));
	}
}

static void
flip(struct run *x, uint32_t sw, uint32_t lid, uint8_t port)
{
	struct past *p = past_of(x, sw, lid);

	if (p->port[p->n - 1] == port)
		return;
	if (p->n == 3) { /* dropping was the second value; the first is gone */
		memmove(p->port, p->port + 1, 2);
		memmove(p->from, p->from + 1, 2 * sizeof(p->from[0]));
		p->n = 2;
	}
	p->port[p->n] = port;
	p->from[p->n++] = x->now;
	check_loop(x, sw, lid);
	check_arrival(x, lid);
}

/* Adds the turns of packets that switch 'sw' sent by value 'i' of its entry, at the next switch. */
static void
add_turns(struct run *x, const struct past *p, unsigned i, uint32_t sw, uint32_t lid)
{
	const struct chan_hop *h = chan_graph_hop(&x->g, sw, p->port[i]);
	const struct past *q;

	if (!h || h->sw == FAB_NONE)
		return;
	q = past_of(x, h->sw, lid);
	for (unsigned k = 0; k < q->n; k++) {
		int32_t until = k + 1 < q->n ? q->from[k + 1] : x->now;

		/* in use in the last DRAIN, and not over when the packet could be sent first */
		if (until >= x->now - DRAIN && (k + 1 == q->n || until > p->from[i]))
			chan_graph_add(&x->g, h->sw, h->chan - x->g.first[h->sw], q->port[k]);
	}
}

/* The switches that packets from hosts may cross. */
static void
find_used(const struct run *x, uint32_t lid, bool *used, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t sw = 0; sw < x->g.nsw; sw++) {
		const struct fab_node *n = &at->s->nodes[at->s->switches[sw]];

		used[sw] = at->scope == VERIFY_ALL;
		for (unsigned p = 1; p <= n->nports && !used[sw]; p++)
			used[sw] = at->s->ports[n->first_port + p].peer != FAB_NONE &&
				behind(x, sw, (uint8_t)p) == FAB_NONE;
		if (used[sw])
			queue[tail++] = sw;
	}
	while (head < tail) {
		uint32_t sw = queue[head++];
		const struct past *p = past_of(x, sw, lid);

		for (unsigned i = 0; i < p->n; i++) {
			uint32_t v = behind(x, sw, p->port[i]);

			if (v != FAB_NONE && !used[v]) {
				used[v] = true;
				queue[tail++] = v;
			}
		}
	}
}

/* The dependencies that packets alive now may have. */
static void
check_cycles(struct run *x)
{
	struct arena scratch = ARENA_INIT;
	bool *used = arena_array(&scratch, x->g.nsw, sizeof(*used));
	uint32_t *queue = arena_array(&scratch, x->g.nsw, sizeof(*queue));

	chan_graph_clear(&x->g);
	for (uint32_t lid = 1; lid < x->lids; lid++) {
		find_used(x, lid, used, queue);
		for (uint32_t sw = 0; sw < x->g.nsw; sw++) {
			const struct past *p = past_of(x, sw, lid);

			for (unsigned i = 0; i < p->n && used[sw]; i++)
				if (i + 1 == p->n || p->from[i + 1] >= x->now - DRAIN)
					add_turns(x, p, i, sw, lid);
		}
	}
	x->cycles += chan_graph_components(&x->g, &scratch, x->comp) > 0;
	x->checks++;
	arena_clear(&scratch);
}

static bool
may_send(const struct run *x, uint32_t w)
{
	const struct order *o = &at->order;
	const struct order_write *ow = &o->writes[w];

	if (!x->obey)
		return true;
	for (uint32_t i = 0; i < ow->npreds; i++) {
		uint32_t p = o->preds[ow->pred_first + i];

		if (!x->acked[ORDER_PRED_WRITE(p)])
			return false;
		if (ORDER_PRED_DRAINS(p) && x->now <= x->acked_at[ORDER_PRED_WRITE(p)] + DRAIN)
			return false;
	}
	for (uint32_t i = 0; ow->late && i < o->nwrites; i++)
		if (!o->writes[i].late && (!x->acked[i] || x->now <= x->acked_at[i] + DRAIN))
			return false;
	return true;
}

static const uint8_t *
bytes_of(const struct order_write *w)
{
	return w->image ? at->order.images[w->image - 1] : fwd_row(&at->new, w->sw) + w->block * 64;
}

/* A write under way; entries take effect one by one. */
struct flight {
	uint32_t write;
	uint64_t open; /* entries that have not moved yet */
};

static void
begin_run(struct run *x, bool obey, uint32_t seed)
{
	uint32_t n = at->order.nwrites + 1;

	*x = (struct run){ .obey = obey, .seed = seed, .lids = (at->new.top / 64 + 1u) * 64 };
	chan_graph_init(&x->g, at->s, &x->arena);
	x->comp = arena_array(&x->arena, x->g.nchans, sizeof(*x->comp));
	x->past = arena_array(&x->arena, (size_t)x->g.nsw * x->lids, sizeof(*x->past));
	x->acked = arena_array(&x->arena, n, sizeof(*x->acked));
	x->sent = arena_array(&x->arena, n, sizeof(*x->sent));
	x->lost = arena_array(&x->arena, n, sizeof(*x->lost));
	x->acked_at = arena_array(&x->arena, n, sizeof(*x->acked_at));
	for (uint32_t sw = 0; sw < x->g.nsw; sw++)
		for (uint32_t lid = 0; lid < x->lids; lid++)
			*past_of(x, sw, lid) = (struct past){
				.port = { fwd_row(&at->old, sw)[lid] },
				.from = { -1000000 },
				.n = 1,
			};
}

/* Starts a random write that may be sent; false if there is none. */
static bool
start_write(struct run *x, struct flight *f)
{
	uint32_t n = at->order.nwrites, first = n ? made_random(&x->seed) % n : 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t w = (first + i) % n;

		if (x->sent[w] || !may_send(x, w))
			continue;
		x->sent[w] = true;
		*f = (struct flight){ w, ~UINT64_C(0) };
		return true;
	}
	return false;
}

/* One entry moves, or the write is confirmed.  Returns whether it has ended. */
static bool
step_write(struct run *x, struct flight *f, unsigned lossy)
{
	const struct order_write *w = &at->order.writes[f->write];
	unsigned k = made_random(&x->seed) % 64;

	for (unsigned i = 0; f->open && i < 64; i++, k = (k + 1) % 64)
		if (f->open >> k & 1) {
			f->open &= ~(UINT64_C(1) << k);
			flip(x, w->sw, w->block * 64 + k, bytes_of(w)[k]);
			return false;
		}
	if (made_random(&x->seed) % 1000 < lossy) {
		x->lost[f->write] = true; /* took effect, but nobody knows */
		return true;
	}
	x->acked[f->write] = true;
	x->acked_at[f->write] = x->now;
	check_cycles(x);
	return true;
}

/* Carries the writes out until none can be sent.  Returns how many were confirmed. */
static uint32_t
carry_out(struct run *x, unsigned lossy)
{
	struct flight f[FLIGHT];
	uint32_t n = 0, done = 0, idle = 0;

	while (idle < 2 * DRAIN + 2) {
		x->now++;
		while (n < FLIGHT && start_write(x, &f[n]))
			n++;
		idle = n ? 0 : idle + 1;
		for (uint32_t steps = 0; n && steps < 40; steps++) {
			uint32_t i = made_random(&x->seed) % n;

			if (step_write(x, &f[i], lossy)) {
				done += x->acked[f[i].write];
				f[i] = f[--n];
			}
		}
	}
	return done;
}

static void
end_run(struct run *x)
{
	arena_clear(&x->arena);
}

static void
check_final(const struct run *x)
{
	for (uint32_t sw = 0; sw < x->g.nsw; sw++)
		for (uint32_t lid = 0; lid < x->lids; lid++)
			assert_int_equal(present(x, sw, lid), fwd_row(&at->new, sw)[lid]);
}

/* ---- tests ---- */

static const char *const fabrics[] = {
	"fattree:k=4,levels=3",
	"fattree:k=8,levels=2",
	"xgft:m=4/4/2,w=1/2/2",
	"torus:8,hosts=1",
	"torus:4x4,hosts=1",
	"random:switches=20,cables=40,hosts=2,seed=3",
	"random:switches=30,cables=60,hosts=2,seed=7",
	"hypercube:d=4,hosts=1",
};

struct totals {
	uint64_t changes, writes, doubles, drained, dropped, unsafe, loops, cycles, naive_loops,
		naive_cycles, waves, drains, cut, hosts_cut, naive_cut;
};

/* The drain times that begin after each write, one after the other, at most 'max'. */
static unsigned *
find_drains(unsigned max)
{
	const struct order *o = &at->order;
	unsigned *n = xcalloc(o->nwrites + 1, sizeof(*n));

	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < o->nwrites; i++)
			for (uint32_t k = 0; k < o->writes[i].npreds; k++) {
				uint32_t p = o->preds[o->writes[i].pred_first + k];
				unsigned *at_p = &n[ORDER_PRED_WRITE(p)];
				unsigned d = n[i] + ORDER_PRED_DRAINS(p);

				again |= *at_p < d && *at_p < max;
				*at_p = *at_p > d ? *at_p : d < max ? d : max;
			}
	}
	return n;
}

/* Late ones are behind all others, then the last ones; of the rest those that more drain times
 * follow come first. */
static void
check_priorities(void)
{
	const struct order_write *w = at->order.writes;
	unsigned *drains = find_drains(3);

	for (uint32_t i = 1; i < at->order.nwrites; i++) {
		assert_true(w[i].late || !w[i - 1].late);
		if (w[i].late != w[i - 1].late)
			continue;
		assert_true(w[i].last || !w[i - 1].last);
		assert_true(w[i].last != w[i - 1].last || drains[i] <= drains[i - 1]);
	}
	free(drains);
}

/* Whether a write makes entries drop that the new tables do not. */
static unsigned
drops_first(const struct order_write *w)
{
	unsigned n = 0;

	for (unsigned lid = 0; w->image && lid < 64; lid++)
		n += bytes_of(w)[lid] == FAB_LFT_DROP &&
			fwd_row(&at->old, w->sw)[w->block * 64 + lid] != FAB_LFT_DROP &&
			fwd_row(&at->new, w->sw)[w->block * 64 + lid] != FAB_LFT_DROP;
	return n;
}

/* Only entries without an old path drop at first and are not counted. */
static void
check_drops(const struct run *x)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < at->order.nwrites; i++) {
		const struct order_write *w = &at->order.writes[i];

		for (unsigned k = 0; drops_first(w) && k < 64; k++)
			n += bytes_of(w)[k] == FAB_LFT_DROP &&
				fwd_row(&at->new, w->sw)[w->block * 64 + k] != FAB_LFT_DROP &&
				arrives(x, &at->old, w->sw, w->block * 64 + k);
	}
	assert_true(n <= 2 * at->order.report.dropped);         /* some in two writes */
}

static void
try_change(struct totals *t, uint32_t seed)
{
	const struct order_report *r = &at->order.report;
	struct run x;

	check_priorities();
	t->changes++;
	t->writes += r->writes;
	t->doubles += r->double_writes;
	t->drained += r->drained;
	t->dropped += r->dropped;
	t->unsafe += r->unsafe;
	t->drains += r->drains;
	if (r->waves > t->waves)
		t->waves = r->waves;
	for (unsigned lossy = 0; lossy <= 30; lossy += 30) {
		begin_run(&x, true, seed + lossy);
		check_drops(&x);
		carry_out(&x, lossy);
		t->loops += x.loops;
		if (!r->unsafe)
			t->cycles += x.cycles;
		if (!r->unsafe && !r->dropped)
			t->cut += x.cut;
		if (!r->unsafe)
			t->hosts_cut += x.hosts_cut;
		if (!lossy) {
			for (uint32_t i = 0; i < at->order.nwrites; i++)
				assert_true(x.acked[i]);
			check_final(&x);
		}
		end_run(&x);
	}
	begin_run(&x, false, seed);
	carry_out(&x, 0);
	t->naive_loops += x.loops;
	t->naive_cut += x.cut;
	t->naive_cycles += x.cycles;
	end_run(&x);
}

static void
losses_with(const char *engine, uint32_t rounds, struct totals *t)
{
	for (uint32_t i = 0; i < rounds; i++) {
		const char *spec = fabrics[i % (sizeof(fabrics) / sizeof(fabrics[0]))];
		unsigned many = 1 + i % 5;
		bool back = i / 8 % 3 == 2;

		if (make_change(spec, engine, engine, back ? many : 0, back ? 0 : many, i / 8 % 2,
			    i + 1))
			try_change(t, i);
	}
	printf("%s: %llu changes, %llu writes (%llu twice), most waves %llu, "
	       "%llu drained, %llu drain times, %llu dropped, %llu unsafe; "
	       "loops %llu, cycles %llu, cut %llu; without order %llu, %llu, %llu\n",
		engine, (unsigned long long)t->changes, (unsigned long long)t->writes,
		(unsigned long long)t->doubles, (unsigned long long)t->waves,
		(unsigned long long)t->drained, (unsigned long long)t->drains,
		(unsigned long long)t->dropped, (unsigned long long)t->unsafe,
		(unsigned long long)t->loops,
		(unsigned long long)t->cycles, (unsigned long long)t->cut,
		(unsigned long long)t->naive_loops, (unsigned long long)t->naive_cycles,
		(unsigned long long)t->naive_cut);
}

static void
updn_losses(void **state)
{
	struct totals t = { 0 };

	(void)state;
	losses_with("updn", 160, &t);
	assert_true(t.changes > 100);
	assert_int_equal(t.loops, 0);
	assert_int_equal(t.cycles, 0);
	assert_int_equal(t.cut, 0);
	assert_true(t.naive_loops > 0);
}

static void
minhop_losses(void **state)
{
	struct totals t = { 0 };

	(void)state;
	losses_with("minhop", 160, &t);
	assert_true(t.changes > 100);
	assert_int_equal(t.loops, 0);
	assert_int_equal(t.cycles, 0);
	assert_int_equal(t.cut, 0);
	assert_true(t.naive_loops > 0);
}

/* A lost link is not waited for twice: where the entries that wait for a drain time are themselves
 * waited for, they drop at once, and no packet that had a path is lost. */
static void
one_drain_time(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=3", "fattree:k=8,levels=3" };
	static const char *const engines[] = { "ftree", "updn" };
	struct totals t = { 0 };
	unsigned spare = 0, once = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 24; seed++) {
		const char *engine = engines[seed / 2 % 2];

		if (!make_change(specs[seed % 2], engine, engine, 0, 1, 0, seed))
			continue;
		assert_false(at->order.report.unsafe);
		assert_true(at->order.report.drains <= 1 || at->order.report.dropped);
		once += at->order.report.drains == 1;
		for (uint32_t i = 0; i < at->order.nwrites; i++)
			spare += drops_first(&at->order.writes[i]);
		try_change(&t, seed);
	}
	printf("lost links: %llu changes, %llu drained, %u spare\n",
		(unsigned long long)t.changes, (unsigned long long)t.drained, spare);
	assert_int_equal(t.changes, 24);
	assert_true(spare > 0 && once > 10);
	assert_int_equal(t.loops + t.cycles + t.cut, 0);
	assert_true(t.naive_cut > 0);
}

/* A link and a switch come back.  Where entries must not move before others, those of which paths
 * between hosts need the new value are postponed, and only those drop that packets of switches
 * meet. */
static void
hosts_lose_nothing(void **state)
{
	static const uint32_t seeds[] = { 5, 7, 63, 64, 65, 66 };
	struct totals t = { 0 };

	(void)state;
	for (unsigned i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		if (make_change("fattree:k=8,levels=3", "ftree", "ftree", 1, 0, 1, seeds[i]))
			try_change(&t, seeds[i]);
	printf("returns: %llu changes, %llu drained, %llu dropped, %llu unsafe\n",
		(unsigned long long)t.changes, (unsigned long long)t.drained,
		(unsigned long long)t.dropped, (unsigned long long)t.unsafe);
	assert_int_equal(t.changes, sizeof(seeds) / sizeof(seeds[0]));
	assert_int_equal(t.unsafe, 0);
	assert_int_equal(t.loops + t.cycles + t.hosts_cut, 0);
	assert_true(t.dropped > 0);
}

/* Blocks that few switches change: their turns are looked for entry by entry. */
static void
sparse_changes(void **state)
{
	struct totals t = { 0 };

	(void)state;
	sparse = true;
	for (uint32_t seed = 1; seed <= 10; seed++) {
		if (make_change("fattree:k=8,levels=3", "updn", "updn", 0, 1, 0, seed))
			try_change(&t, seed);
		if (make_change("random:switches=120,cables=240,hosts=1,seed=3", "updn", "updn", 0,
			    1, 0, seed))
			try_change(&t, seed);
	}
	sparse = false;
	printf("sparse: %llu writes, %llu drained\n", (unsigned long long)t.writes,
		(unsigned long long)t.drained);
	assert_int_equal(t.changes, 20);
	assert_true(t.drained > 0);
	assert_int_equal(t.loops, 0);
	assert_int_equal(t.cycles, 0);
	assert_int_equal(t.cut, 0);
	assert_true(t.naive_cycles > 0);
}

/* The engine changes, and everything with it. */
static void
other_engine(void **state)
{
	struct totals t = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 3 * sizeof(fabrics) / sizeof(fabrics[0]); i++)
		if (make_change(fabrics[i / 3], "minhop", "updn", i % 3, i % 3, 0, i + 1))
			try_change(&t, i);
	assert_true(t.changes > 10);
	assert_int_equal(t.loops, 0);
	assert_int_equal(t.cycles, 0);
	assert_int_equal(t.cut, 0);
	assert_true(t.naive_cycles > 0);
}

/* Packets do not follow tables that nobody knows: the list stays as it is. */
static void
fresh_fabric(void **state)
{
	(void)state;
	assert_true(make_change("fattree:k=4,levels=3", "updn", "updn", 0, 3, 0, 5));
	for (uint32_t sw = 0; sw < at->s->nswitches; sw++)
		at->s->nodes[at->s->switches[sw]].lft = NULL;
	order_make(&at->in, &at->arena, &at->order);
	assert_false(at->order.report.ordered);
	assert_int_equal(at->order.nwrites, at->in.nblocks);
	for (uint32_t i = 0; i < at->order.nwrites; i++) {
		assert_int_equal(at->order.writes[i].npreds, 0);
		assert_int_equal(at->order.writes[i].sw, at->blocks[i].sw);
		assert_int_equal(at->order.writes[i].block, at->blocks[i].block);
	}
}

/* A switch that was restarted holds nothing; those that sent to it go on doing so, and wait. */
static void
restarted_switch(void **state)
{
	struct order_block all[64];
	uint32_t core = 0, n = 0;

	(void)state;
	assert_true(make_change("fattree:k=4,levels=3", "updn", "updn", 0, 0, 0, 5));
	assert_int_equal(at->order.nwrites, 0);
	at->s->nodes[at->s->switches[core]].lft = NULL;
	for (uint32_t b = 0; b <= at->new.top / 64u; b++)
		all[n++] = (struct order_block){ core, b };
	at->in.blocks = all;
	at->in.nblocks = n;
	order_make(&at->in, &at->arena, &at->order);
	assert_int_equal(at->order.nwrites, n);
	assert_int_equal(at->order.report.double_writes, 0);
}

/* Whether a write that is not one of the last waits for this one. */
static bool
is_waited_for(uint32_t write)
{
	const struct order *o = &at->order;

	for (uint32_t i = 0; i < o->nwrites; i++)
		for (uint32_t k = 0; !o->writes[i].last && k < o->writes[i].npreds; k++)
			if (ORDER_PRED_WRITE(o->preds[o->writes[i].pred_first + k]) == write)
				return true;
	return false;
}

/* The switch of the manager's port, and the block with its LID, are at the end, but not what others
 * wait for. */
static void
own_path_last(void **state)
{
	bool last = false, any = false, earlier = false;
	uint32_t sm_sw;

	(void)state;
	assert_true(make_change("fattree:k=8,levels=3", "updn", "updn", 0, 6, 2, 5));
	for (uint32_t i = 0; i < at->s->nports; i++)
		if (!fab_is_switch(&at->s->nodes[at->s->ports[i].node]) &&
			at->s->ports[i].peer != FAB_NONE)
			at->s->sm_port = i;
	at->in.sm_lid = at->lids.base[at->s->sm_port];
	order_make(&at->in, &at->arena, &at->order);
	sm_sw = at->s->nodes[at->s->ports[at->s->ports[at->s->sm_port].peer].node].sw;
	for (uint32_t i = 0; i < at->order.nwrites; i++) {
		const struct order_write *w = &at->order.writes[i];
		bool own = w->block == at->in.sm_lid / 64 || w->sw == sm_sw;

		if (w->late)
			break;
		assert_true(w->last || !last);
		assert_int_equal(w->last, own && !is_waited_for(i));
		earlier |= own && !w->last;
		last = w->last;
		any |= !w->last;
	}
	assert_true(last && any && earlier);
}

/* Equal input gives equal bytes. */
static void
deterministic(void **state)
{
	struct order again;

	(void)state;
	assert_true(make_change(
		"random:switches=30,cables=60,hosts=2,seed=7", "updn", "updn", 0, 4, 1, 3));
	assert_true(at->order.report.double_writes > 0);
	order_make(&at->in, &at->arena, &again);
	assert_int_equal(again.nwrites, at->order.nwrites);
	assert_memory_equal(again.writes, at->order.writes, again.nwrites * sizeof(*again.writes));
	for (uint32_t i = 0; i < again.nwrites; i++)
		assert_memory_equal(again.preds + again.writes[i].pred_first,
			at->order.preds + again.writes[i].pred_first,
			again.writes[i].npreds * sizeof(*again.preds));
	assert_int_equal(again.nimages, at->order.nimages);
	assert_memory_equal(again.images, at->order.images, again.nimages * 64);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(fresh_fabric, teardown),
		cmocka_unit_test_teardown(restarted_switch, teardown),
		cmocka_unit_test_teardown(own_path_last, teardown),
		cmocka_unit_test_teardown(deterministic, teardown),
		cmocka_unit_test_teardown(one_drain_time, teardown),
		cmocka_unit_test_teardown(hosts_lose_nothing, teardown),
		cmocka_unit_test_teardown(sparse_changes, teardown),
		cmocka_unit_test_teardown(other_engine, teardown),
		cmocka_unit_test_teardown(updn_losses, teardown),
		cmocka_unit_test_teardown(minhop_losses, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
