/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * load.c - the commands of `heddle-sim ctl` for counters and VLs: traffic, errors, counter values.
 * Room: sim/serve.
 *
 * The commands translate words into calls of sim/hw, which computes traffic and counters.  The rows
 * of the commands, with usage and help, are in commands.c.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sm_attr.h"
#include "sim/serve/control.h"

#define SECONDS_MAX 31536000.0
#define MBITS_MAX 10000000              /* ten terabits per second */
#define DEFAULT_SHARE_PPM 100000        /* a tenth */

static const char *const kinds[] = {
#define T(name, word) [HW_TRAFFIC_##name] = word,
	HW_TRAFFIC_KINDS(T)
#undef T
};

/* Parses a rate: "30%" of the rate of a link, or a number of megabits per second. */
static int
arg_rate(const char *word, struct hw_traffic *t, char why[CONTROL_WHY])
{
	char *end;
	double v = strtod(word, &end);

	if (end != word && !strcmp(end, "%") && v >= 0 && v <= 100) {
		t->share_ppm = (uint32_t)(v * 10000 + 0.5);
		t->rate_mbps = 0;
		return 0;
	}
	if (end != word && !*end && v >= 1 && v <= MBITS_MAX) {
		t->rate_mbps = (uint64_t)v;
		return 0;
	}
	snprintf(why, CONTROL_WHY,
		"'%.60s' is not a rate; expected a percentage (20%%), or 1 to %d Mbit/s", word, MBITS_MAX);
	return -EINVAL;
}

static int
arg_seconds(const char *word, int64_t *us, char why[CONTROL_WHY])
{
	char *end;
	double v = strtod(word, &end);

	if (end == word || *end || !(v > 0 && v <= SECONDS_MAX)) {
		snprintf(why, CONTROL_WHY, "'%.60s' is not a number of seconds", word);
		return -EINVAL;
	}
	*us = (int64_t)(v * 1e6 + 0.5);
	return 0;
}

/* Parses NODE:PORT, or NODE for its first port. */
static int
arg_target(struct server *s, const char *word, struct hw_traffic *t, char why[CONTROL_WHY])
{
	t->hot_port = 1;
	if (!hw_node_find(s->hw, word, &t->hot_node))
		return 0;
	return strrchr(word, ':') ? control_arg_port(s, word, &t->hot_node, &t->hot_port, why) :
		control_arg_node(s, word, &t->hot_node, why);
}

static int
arg_option(struct server *s, const char *option, const char *value, struct hw_traffic *t,
	char why[CONTROL_WHY])
{
	int64_t n = 0;
	int r;

	if (!strcmp(option, "--rate"))
		return arg_rate(value, t, why);
	if (!strcmp(option, "--seconds"))
		return arg_seconds(value, &t->lasts_us, why);
	if (!strcmp(option, "--to"))
		return arg_target(s, value, t, why);
	if (!strcmp(option, "--sl")) {
		r = control_arg_number(value, 15, &n, why);
		t->sl = (uint8_t)n;
		return r;
	}
	if (!strcmp(option, "--seed")) {
		r = control_arg_number(value, INT64_MAX, &n, why);
		t->seed = (uint64_t)n;
		return r;
	}
	snprintf(why, CONTROL_WHY,
		"unknown option '%.60s'; the options are --rate, --seconds, --to, --sl and --seed",
		option);
	return -EINVAL;
}

static json_t *
traffic_json(struct server *s)
{
	struct hw_traffic_view v;

	hw_traffic_view(s->hw, server_now(), &v);
	return json_pack("{s:{s:s,s:i,s:I,s:I,s:i}}", "traffic", "kind", v.on ? kinds[v.spec.kind] :
		"off",
		"hosts", (int)(v.on ? v.hosts : 0), "offered_mbps", (json_int_t)v.offered_mbps,
		"carried_mbps", (json_int_t)v.carried_mbps, "full_ports", (int)v.full);
}

int
load_traffic(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	struct hw_traffic t = { .share_ppm = DEFAULT_SHARE_PPM, .seed = s->conf.seed,
		.hot_node = TOPO_NONE };
	unsigned kind = 0;
	int r = 0;

	if (n && !strcmp(args[0], "off")) {
		hw_traffic_stop(s->hw, server_now());
	} else if (n) {
		while (kind < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[kind], args[0]))
			kind++;
		if (kind == sizeof(kinds) / sizeof(kinds[0]) || n % 2 == 0) {
			snprintf(why, CONTROL_WHY,
				kind < sizeof(kinds) / sizeof(kinds[0]) ?
					"'%.60s' requires a value" :
					"'%.60s' is not one of uniform, permutation, hotspot, off",
				kind < sizeof(kinds) / sizeof(kinds[0]) ? args[n - 1] : args[0]);
			return -EINVAL;
		}
		t.kind = (enum hw_traffic_kind)kind;
		for (unsigned i = 1; !r && i + 1 < n; i += 2)
			r = arg_option(s, args[i], args[i + 1], &t, why);
		if (!r && t.kind == HW_TRAFFIC_HOTSPOT && t.hot_node == TOPO_NONE) {
			snprintf(why, CONTROL_WHY,
				"hotspot requires --to NODE[:PORT], the destination of all hosts");
			r = -EINVAL;
		}
		if (r)
			return r;
		r = hw_traffic_start(s->hw, &t, server_now());
		if (r)
			snprintf(why, CONTROL_WHY, "%s", r == -ENOENT ?
				"the destination is not a linked port of a host" :
				"traffic requires two linked ports of hosts");
	}
	if (!r)
		*result = traffic_json(s);
	return r;
}

/* Executes "COUNTER=+N" or "COUNTER=RATE". */
static int
one_error(struct server *s, uint32_t node, uint8_t port, const char *word, char why[CONTROL_WHY])
{
	const char *eq = strchr(word, '=');
	char name[64], *end;
	int counter, r;
	double v;

	if (!eq || (size_t)(eq - word) >= sizeof(name)) {
		snprintf(why, CONTROL_WHY, "'%.60s' is not COUNTER=+N or COUNTER=RATE", word);
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(eq - word), word);
	counter = hw_counter_find(name);
	if (counter < 0) {
		snprintf(why, CONTROL_WHY,
			"no counter '%.60s'; expected a name that perfquery prints, such as SymbolErrorCounter",
			name);
		return counter;
	}
	v = strtod(eq + 1, &end);
	if (end == eq + 1 || *end || !(v >= 0 && v <= 1e9)) {
		snprintf(why, CONTROL_WHY,
			"'%.60s': expected a number from 0 to 1000000000 after '='", word);
		return -EINVAL;
	}
	if (eq[1] == '+')
		r = hw_error_add(s->hw, node, port, (unsigned)counter, (uint64_t)v, server_now());
	else
		r = hw_error_rate(s->hw, node, port, (unsigned)counter, (uint64_t)(v * 1000 + 0.5),
			server_now());
	if (r)
		snprintf(why, CONTROL_WHY, "%s", strerror(-r));
	return r;
}

int
load_errors(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	uint32_t node;
	uint8_t port;
	int r = control_arg_port(s, args[0], &node, &port, why);

	(void)result;
	for (unsigned i = 1; !r && i < n; i++)
		r = one_error(s, node, port, args[i], why);
	return r;
}

/* Shows the named counters, or without names all of PortCountersExtended and the others that are
 * not 0. */
int
load_counters(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	json_t *list;
	uint32_t node;
	uint8_t port;
	int core = hw_counter_find("QP1Dropped"), r = control_arg_port(s, args[0], &node, &port,
		why);

	if (r)
		return r;
	list = json_object();
	for (unsigned i = 1; !r && i < n; i++) {
		r = hw_counter_find(args[i]);
		if (r < 0)
			snprintf(why, CONTROL_WHY, "no counter '%.60s'", args[i]);
		else
			r = 0;
	}
	for (unsigned c = 0; !r; c++) {
		char buf[48];
		const char *name = hw_counter_name(c, buf);
		bool wanted = n == 1;
		uint64_t v = 0;

		if (!name)
			break;
		for (unsigned i = 1; i < n; i++)
			wanted |= hw_counter_find(args[i]) == (int)c;
		hw_counter_get(s->hw, node, port, c, server_now(), &v);
		if (wanted && (n > 1 || v || (int)c <= core))
			json_object_set_new(list, name, json_integer((json_int_t)(v & INT64_MAX)));
	}
	if (r)
		json_decref(list);
	else
		*result = json_pack("{s:o}", "counters", list);
	return r;
}

/* ---- VL tables, in the notation of heddled's qos_* keys ---- */

static json_t *
slvl_json(const uint8_t w[static SLVL_TABLE_BYTES])
{
	char text[64];
	size_t n = 0;

	for (unsigned sl = 0; sl < 16; sl++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", sl ? "," : "",
			(int)slvl_table_vl(w, sl));
	return json_string(text);
}

/* Returns both blocks of a list, up to the last entry that is not 0. */
static json_t *
vlarb_json(const struct hw *h, uint32_t node, uint8_t port, unsigned block)
{
	uint8_t w[2][VLARB_TABLE_BYTES] = { { 0 } };
	unsigned entries = 0, vl[64], weight[64];
	struct vlarb_table t;
	char text[640] = "";
	size_t n = 0;

	for (unsigned i = 0; i < 64; i++) {
		if (i % 32 == 0) {
			hw_vlarb(h, node, port, block + i / 32, w[i / 32]);
			t = vlarb_table_decode(w[i / 32]);
		}
		vl[i] = t.vl[i % 32];
		weight[i] = t.weight[i % 32];
		if (vl[i] || weight[i])
			entries = i + 1;
	}
	for (unsigned i = 0; i < entries; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u:%u", i ? "," : "", vl[i],
			weight[i]);
	return json_string(text);
}

int
load_vl_tables(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY])
{
	json_t *sl2vl;
	uint32_t node;
	uint8_t port, w[SLVL_TABLE_BYTES];
	int r = control_arg_port(s, args[0], &node, &port, why);

	(void)n;
	if (r)
		return r;
	sl2vl = json_object();
	for (unsigned in = 0; in <= 255 && !hw_slvl(s->hw, node, (uint8_t)in, port, w); in++) {
		char key[8];

		snprintf(key, sizeof(key), "%u", in);
		json_object_set_new(sl2vl, key, slvl_json(w));
	}
	*result = json_pack("{s:o,s:{s:o,s:o}}", "sl2vl", sl2vl, "vlarb", "high",
		vlarb_json(s->hw, node, port, 3),
		"low", vlarb_json(s->hw, node, port, 1));
	return 0;
}
