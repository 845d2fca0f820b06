/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa-load.c - queries subnet administration as many hosts do, through libibumad, and checks
 * every reply.
 * Room: bench.  Works with any subnet manager.  Prints one JSON object; docs/sa.md explains it.
 *
 *   sa-load [OPTION]... lid | gid | join | table
 *     lid, gid    Get(PathRecord) between two ports chosen at random, named by LIDs, by GIDs
 *     join        Set(MCMemberRecord): every port in turn joins the next group (trusted, on
 *                 behalf of the port)
 *     table       GetTable(PathRecord): all paths of one port chosen at random
 *   --window N    requests outstanding at a time (64)
 *   --seconds S   duration (2)            --count N   number of requests, instead
 *   --rate R      requests per second, whether replies come or not (0: the next request when a
 *                 reply comes)
 *   --groups N    for join (1000)         --key K     SM_Key of the requests (join: 1, otherwise 0)
 *   --timeout MS  of a request (20000)    --wait      begin when a line arrives on standard input
 *
 * At a rate, a request is timed from the moment when it was due.  The histogram has [ns,
 * replies] for each range of about 1.6 %, so that histograms of several programs can be added.
 * Exit: 0, 1 when a reply was wrong or missing, 2 usage, 255 no port or no subnet manager.
 */
#include <config.h>
#include <errno.h>
#include <getopt.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libmad/attr/codes.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"

enum { WINDOW_MAX = 4096, SLOT_BITS = 12, ROOM_BYTES = 16 << 20, DRAIN_MS = 2000 };
enum { SUB_BITS = 6, BINS = 64 << SUB_BITS };
enum { STRIDE_NODE = 112, STRIDE_PATH = 64 };
#define PATH_COMP(row) SA_COMP(path_record, row)
#define JOIN_COMP(row) SA_COMP(mcmember_record, row)
#define JOIN_MASK (JOIN_COMP(mgid) | JOIN_COMP(port_gid) | JOIN_COMP(qkey) | JOIN_COMP(tclass) | \
	JOIN_COMP(pkey) | JOIN_COMP(sl) | JOIN_COMP(flow_label) | JOIN_COMP(join_state))
#define GROUP_PREFIX UINT64_C(0xff12401bffff0000)
#define GROUP_FIRST 0x10000000u         /* the last word of the first group */
#define IPOIB_QKEY 0xb1bu

struct slot {
	int64_t due_ns;
	uint32_t tid;
	uint32_t a, b;                  /* subject of the request: indices of ports or of a group */
	bool open;
};

struct end {
	uint64_t guid;
	uint16_t lid;
};

struct load;
struct kind {
	const char *name;
	uint8_t method;
	uint16_t attr;
	void (*make)(struct load *, uint64_t n, struct slot *, uint8_t *data, uint64_t *mask);
	bool (*right)(const struct load *, const struct slot *, const uint8_t *mad, uint32_t bytes);
};

struct load {
	const struct kind *kind;
	unsigned window, groups;
	double seconds, rate;
	uint64_t count, key;
	int timeout_ms;
	bool wait;
	int fd, agent;
	uint16_t sm_lid;
	struct end *ends;
	unsigned nends;
	uint64_t random;
	struct slot slots[WINDOW_MAX];
	unsigned spare[WINDOW_MAX], nspare;
	uint32_t turn;                  /* makes the TID of each request of this slot unique */
	uint64_t sent, answers, wrong, lost, late, rows;
	uint16_t first_status;          /* of the first wrong reply */
	int64_t last_ns;                /* when the last reply came */
	uint32_t *bins;
	uint8_t *in, *out;
};

static int64_t
now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void __attribute__((noreturn))
fail_exit(const char *what, int error)
{
	fprintf(stderr, "sa-load: %s: %s\n", what, error ? strerror(error < 0 ? -error : error) :
		"no answer");
	exit(255);
}

/* ---- the histogram ---- */

static unsigned
bin_of(int64_t ns)
{
	uint64_t v = ns < 1 ? 1 : (uint64_t)ns;
	unsigned top = 63 - (unsigned)__builtin_clzll(v);

	if (top <= SUB_BITS)
		return (unsigned)v;
	return ((top - SUB_BITS) << SUB_BITS) + (unsigned)(v >> (top - SUB_BITS));
}

static double
bin_ns(unsigned bin)
{
	unsigned shift = (bin >> SUB_BITS) > 1 ? (bin >> SUB_BITS) - 1 : 0;

	return (double)((uint64_t)(bin - (shift << SUB_BITS)) << shift);
}

/* ---- requests ---- */

static uint32_t
random_pick(struct load *l, uint32_t n)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return (uint32_t)((l->random >> 32) * n >> 32);
}

static void
two_ends(struct load *l, struct slot *s)
{
	s->a = random_pick(l, l->nends);
	s->b = random_pick(l, l->nends - 1);
	s->b += s->b >= s->a;
}

static void
make_lid(struct load *l, uint64_t n, struct slot *s, uint8_t *data, uint64_t *mask)
{
	(void)n;
	two_ends(l, s);
	ATTR_SET(path_record, dlid, data, l->ends[s->b].lid);
	ATTR_SET(path_record, slid, data, l->ends[s->a].lid);
	ATTR_SET(path_record, reversible, data, 1);
	ATTR_SET(path_record, num_path, data, 1);
	*mask = PATH_COMP(dlid) | PATH_COMP(slid) | PATH_COMP(reversible) | PATH_COMP(num_path);
}

static void
make_gid(struct load *l, uint64_t n, struct slot *s, uint8_t *data, uint64_t *mask)
{
	(void)n;
	two_ends(l, s);
	gid_set(data + ATTR_AT(path_record, dgid), GID_PREFIX_DEFAULT, l->ends[s->b].guid);
	gid_set(data + ATTR_AT(path_record, sgid), GID_PREFIX_DEFAULT, l->ends[s->a].guid);
	ATTR_SET(path_record, reversible, data, 1);
	ATTR_SET(path_record, num_path, data, 1);
	*mask = PATH_COMP(dgid) | PATH_COMP(sgid) | PATH_COMP(reversible) | PATH_COMP(num_path);
}

static bool
path_right(const struct load *l, const struct slot *s, const uint8_t *mad, uint32_t bytes)
{
	const uint8_t *w = mad + SA_HEAD_BYTES;

	return bytes == DGRAM_BYTES && dgram_attr_id(mad) == PATH_RECORD_ID &&
		ATTR_GET(path_record, dlid, w) == l->ends[s->b].lid &&
		ATTR_GET(path_record, slid, w) == l->ends[s->a].lid &&
		gid_guid(w + ATTR_AT(path_record, dgid)) == l->ends[s->b].guid;
}

static void
make_table(struct load *l, uint64_t n, struct slot *s, uint8_t *data, uint64_t *mask)
{
	(void)n;
	s->a = random_pick(l, l->nends);
	ATTR_SET(path_record, slid, data, l->ends[s->a].lid);
	ATTR_SET(path_record, num_path, data, 1);
	*mask = PATH_COMP(slid) | PATH_COMP(num_path);
}

static bool
table_right(const struct load *l, const struct slot *s, const uint8_t *mad, uint32_t bytes)
{
	uint32_t rows = (bytes - SA_HEAD_BYTES) / STRIDE_PATH;

	for (uint32_t i = 0; i < rows; i++) {
		const uint8_t *row = mad + SA_HEAD_BYTES + i * STRIDE_PATH;

		if (ATTR_GET(path_record, slid, row) != l->ends[s->a].lid)
			return false;
	}
	return rows >= l->nends;
}

/* The groups of IPoIB for one more IP multicast address each, like the broadcast group of the
 * default partition. */
static void
make_join(struct load *l, uint64_t n, struct slot *s, uint8_t *data, uint64_t *mask)
{
	uint64_t round = n / l->nends;

	s->a = (uint32_t)(n % l->nends);
	/* Consecutive ports join consecutive groups; each port joins another group every round. */
	s->b = (uint32_t)((s->a + round * 7) % l->groups);
	gid_set(data + ATTR_AT(mcmember_record, mgid), GROUP_PREFIX, GROUP_FIRST + s->b);
	gid_set(data + ATTR_AT(mcmember_record, port_gid), GID_PREFIX_DEFAULT, l->ends[s->a].guid);
	ATTR_SET(mcmember_record, qkey, data, IPOIB_QKEY);
	ATTR_SET(mcmember_record, pkey, data, PKEY_DEFAULT_FULL);
	ATTR_SET(mcmember_record, scope, data, SCOPE_LINK_LOCAL);
	ATTR_SET(mcmember_record, join_state, data, JOIN_STATE_FULL);
	*mask = JOIN_MASK;
}

static bool
join_right(const struct load *l, const struct slot *s, const uint8_t *mad, uint32_t bytes)
{
	const uint8_t *w = mad + SA_HEAD_BYTES;

	return bytes == DGRAM_BYTES && dgram_attr_id(mad) == MCMEMBER_RECORD_ID &&
		ATTR_GET(mcmember_record, mlid, w) >= MLID_FIRST &&
		gid_guid(w + ATTR_AT(mcmember_record, mgid)) == GROUP_FIRST + s->b &&
		gid_guid(w + ATTR_AT(mcmember_record, port_gid)) == l->ends[s->a].guid &&
		ATTR_GET(mcmember_record, join_state, w);
}

static const struct kind kinds[] = {
	{ "lid", METHOD_GET, PATH_RECORD_ID, make_lid, path_right },
	{ "gid", METHOD_GET, PATH_RECORD_ID, make_gid, path_right },
	{ "join", METHOD_SET, MCMEMBER_RECORD_ID, make_join, join_right },
	{ "table", METHOD_GET_TABLE, PATH_RECORD_ID, make_table, table_right },
};

static void
head_make(struct load *l, uint8_t method, uint16_t attr, uint32_t tid, uint64_t mask)
{
	uint8_t *mad = umad_get_mad(l->out);
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = method,
		.tid = tid, .attr_id = attr,
	};
	struct dgram_sa_head sa = { .sm_key = l->key, .comp_mask = mask };

	dgram_head_encode(mad, &h);
	dgram_sa_head_encode(mad, &sa);
}

static void
send_one(struct load *l, int64_t due_ns)
{
	unsigned i = l->spare[--l->nspare];
	struct slot *s = &l->slots[i];
	uint8_t *mad = umad_get_mad(l->out);
	uint64_t mask;

	memset(mad, 0, DGRAM_BYTES);
	s->open = true;
	s->due_ns = due_ns;
	s->tid = ++l->turn << SLOT_BITS | i;
	l->kind->make(l, l->sent, s, mad + SA_HEAD_BYTES, &mask);
	head_make(l, l->kind->method, l->kind->attr, s->tid, mask);
	if (umad_send(l->fd, l->agent, l->out, DGRAM_BYTES, l->timeout_ms, 0) < 0)
		fail_exit("send", errno);
	l->sent++;
}

/* Receives one reply, or takes back one request that timed out.  False: neither within
 * 'timeout_ms'. */
static bool
receive_one(struct load *l, int timeout_ms)
{
	int bytes = ROOM_BYTES - (int)umad_size(), r = umad_recv(l->fd, l->in, &bytes, timeout_ms);
	const uint8_t *mad = umad_get_mad(l->in);
	struct slot *s;
	uint32_t tid;
	int64_t now;

	if (r == -EAGAIN || r == -EWOULDBLOCK || r == -ETIMEDOUT)
		return false;
	if (r < 0)
		fail_exit("receive", r);
	now = now_ns(CLOCK_MONOTONIC);
	tid = (uint32_t)dgram_tid(mad);
	s = &l->slots[tid & (WINDOW_MAX - 1)];
	if (!s->open || s->tid != tid)
		return true;
	s->open = false;
	l->spare[l->nspare++] = tid & (WINDOW_MAX - 1);
	if (umad_status(l->in)) {
		l->lost++;
		return true;
	}
	l->answers++;
	l->last_ns = now;
	l->bins[bin_of(now - s->due_ns)]++;
	if (dgram_status(mad) || !l->kind->right(l, s, mad, (uint32_t)bytes)) {
		if (!l->wrong++)
			l->first_status = dgram_status(mad);
	} else if (l->kind->method == METHOD_GET_TABLE) {
		l->rows += ((uint32_t)bytes - SA_HEAD_BYTES) / STRIDE_PATH;
	}
	return true;
}

/* ---- the two ways to ask ---- */

static bool
is_unfinished(const struct load *l, int64_t end_ns, int64_t now)
{
	return l->count ? l->sent < l->count : now < end_ns;
}

static void
closed_loop(struct load *l, int64_t begin_ns)
{
	int64_t end_ns = begin_ns + (int64_t)(l->seconds * 1e9), now = begin_ns;

	while (is_unfinished(l, end_ns, now)) {
		while (l->nspare && is_unfinished(l, end_ns, now))
			send_one(l, now);
		receive_one(l, l->timeout_ms);
		now = now_ns(CLOCK_MONOTONIC);
	}
}

/* Sleeps until the next request is due or a reply has arrived. */
static void
wait_reply(struct load *l, int64_t until_ns)
{
	struct pollfd p = { .fd = umad_get_fd(l->fd), .events = POLLIN };
	int64_t left = until_ns - now_ns(CLOCK_MONOTONIC);
	struct timespec t = { left / 1000000000, left % 1000000000 };

	if (left > 0)
		ppoll(&p, 1, &t, NULL);
}

static void
open_loop(struct load *l, int64_t begin_ns)
{
	int64_t end_ns = begin_ns + (int64_t)(l->seconds * 1e9);
	double gap_ns = 1e9 / l->rate;

	for (;;) {
		int64_t now = now_ns(CLOCK_MONOTONIC),
			due = begin_ns + (int64_t)((double)l->sent * gap_ns);
		bool some = false;

		while (is_unfinished(l, end_ns, due) && due <= now && l->nspare) {
			send_one(l, due);
			due = begin_ns + (int64_t)((double)l->sent * gap_ns);
			some = true;
		}
		l->late += due <= now && !l->nspare;
		if (!is_unfinished(l, end_ns, due))
			return;
		while (receive_one(l, 0))
			some = true;
		if (!some)
			wait_reply(l, l->nspare ? due : now + 1000000);
	}
}

static void
requests_drain(struct load *l)
{
	while (l->nspare < l->window)
		if (!receive_one(l, l->timeout_ms + DRAIN_MS))
			fail_exit("open requests", 0);
}

/* ---- who there is ---- */

static void
find_ends(struct load *l)
{
	int bytes = ROOM_BYTES - (int)umad_size();
	const uint8_t *mad = umad_get_mad(l->in);

	memset(umad_get_mad(l->out), 0, DGRAM_BYTES);
	head_make(l, METHOD_GET_TABLE, NODE_RECORD_ID, 1, 0);
	if (umad_send(l->fd, l->agent, l->out, DGRAM_BYTES, l->timeout_ms, 0) < 0)
		fail_exit("send", errno);
	if (umad_recv(l->fd, l->in, &bytes, l->timeout_ms + DRAIN_MS) < 0 || umad_status(l->in) ||
		    dgram_status(mad))
		fail_exit("the nodes of the subnet", 0);
	l->ends = calloc((size_t)bytes / STRIDE_NODE + 1, sizeof(*l->ends));
	if (!l->ends)
		fail_exit("memory", ENOMEM);
	for (uint32_t at = SA_HEAD_BYTES; at + NODE_RECORD_BYTES <= (uint32_t)bytes;
		    at += STRIDE_NODE) {
		struct node_record r = node_record_decode(mad + at);

		if (r.info.node_type == NODE_TYPE_CA)
			l->ends[l->nends++] = (struct end){ r.info.port_guid, r.lid };
	}
	if (l->nends < 2)
		fail_exit("two hosts", 0);
}

static void
load_begin(struct load *l)
{
	umad_port_t port;
	char line[8];

	if (umad_init() < 0 || umad_get_port(NULL, 0, &port) < 0)
		fail_exit("no port", ENODEV);
	l->sm_lid = (uint16_t)port.sm_lid;
	l->random = wire_order64(port.port_guid) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	umad_release_port(&port);
	l->fd = umad_open_port(NULL, 0);
	l->agent = l->fd < 0 ? -1 : umad_register(l->fd, CLASS_SA, 2, 1, NULL);
	if (l->agent < 0)
		fail_exit("open the port", ENODEV);
	l->in = calloc(1, ROOM_BYTES);
	l->out = calloc(1, umad_size() + DGRAM_BYTES);
	l->bins = calloc(BINS, sizeof(*l->bins));
	if (!l->in || !l->out || !l->bins)
		fail_exit("memory", ENOMEM);
	umad_set_addr(l->out, l->sm_lid, 1, 0, (int)QKEY_GSI);
	find_ends(l);
	for (l->nspare = 0; l->nspare < l->window; l->nspare++)
		l->spare[l->nspare] = l->nspare;
	if (!l->wait)
		return;
	printf("ready\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		fail_exit("nobody says when to begin", 0);
}

static void
print_result(const struct load *l, double wall_s, double cpu_s)
{
	bool first = true;

	printf("{\"kind\": \"%s\", \"window\": %u, \"hosts\": %u, \"sent\": %llu, \"answers\": "
		"%llu, \"wrong\": %llu, "
		"\"first_wrong_status\": %u, \"lost\": %llu, \"late\": %llu, \"rows\": %llu, "
		"\"wall_s\": %.6f, "
		"\"cpu_s\": %.6f, \"histogram_ns\": [", l->kind->name, l->window, l->nends,
		(unsigned long long)l->sent, (unsigned long long)l->answers,
		(unsigned long long)l->wrong, l->first_status, (unsigned long long)l->lost,
		(unsigned long long)l->late, (unsigned long long)l->rows, wall_s, cpu_s);
	for (unsigned i = 0; i < BINS; i++)
		if (l->bins[i]) {
			printf("%s[%.0f, %u]", first ? "" : ", ", bin_ns(i), l->bins[i]);
			first = false;
		}
	printf("]}\n");
}

static double
number_read(const char *text, double least, double most)
{
	char *end;
	double v = strtod(text, &end);

	if (*end || end == text || !(v >= least && v <= most)) {
		fprintf(stderr, "sa-load: '%s' is no number from %g to %g\n", text, least, most);
		exit(2);
	}
	return v;
}

static void
read_options(struct load *l, int argc, char **argv)
{
	static const struct option options[] = {
		{ "window", required_argument, NULL, 'w' },
			{ "seconds", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'n' }, { "rate", required_argument, NULL, 'r' },
		{ "groups", required_argument, NULL, 'g' }, { "key", required_argument, NULL, 'k' },
		{ "timeout", required_argument, NULL, 't' }, { "wait", no_argument, NULL, 'b' },
			{ 0 },
	};
	bool key = false;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'w': l->window = (unsigned)number_read(optarg, 1, WINDOW_MAX); break;
		case 's': l->seconds = number_read(optarg, 0.001, 3600); break;
		case 'n': l->count = (uint64_t)number_read(optarg, 1, 1e9); break;
		case 'r': l->rate = number_read(optarg, 0, 1e7); break;
		case 'g': l->groups = (unsigned)number_read(optarg, 1, 16383); break;
		case 'k': l->key = strtoull(optarg, NULL, 0); key = true; break;
		case 't': l->timeout_ms = (int)number_read(optarg, 1, 3600000); break;
		case 'b': l->wait = true; break;
		default: exit(2);
		}
	for (size_t i = 0; optind == argc - 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[optind], kinds[i].name) == 0)
			l->kind = &kinds[i];
	if (!l->kind) {
		fprintf(stderr, "usage: sa-load [OPTION]... lid | gid | join | table\n");
		exit(2);
	}
	if (!key && l->kind->method == METHOD_SET)
		l->key = 1;
}

int
main(int argc, char **argv)
{
	static struct load l = { .window = 64, .seconds = 2, .groups = 1000, .timeout_ms = 20000 };
	int64_t start, cpu;

	read_options(&l, argc, argv);
	load_begin(&l);
	start = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (l.rate > 0)
		open_loop(&l, start);
	else
		closed_loop(&l, start);
	requests_drain(&l);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	print_result(&l, (double)(l.last_ns - start) / 1e9, (double)cpu / 1e9);
	umad_close_port(l.fd);
	return l.wrong || l.lost ? 1 : 0;
}
