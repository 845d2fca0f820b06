/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * show.c - prints answers of heddled as text.
 * Room: cli.  One function per command; see show.h.
 */
#include <config.h>
#include <stdbool.h>
#include <string.h>
#include "cli/show.h"

#define LABEL "%-15s: "

/* Prints text that may come from the fabric; control characters become '?'. */
static void
put_text(FILE *f, const char *s)
{
	for (; *s; s++)
		fputc((unsigned char)*s < 32 || *s == 127 ? '?' : *s, f);
}

static const char *
text_of(const json_t *o, const char *member)
{
	const char *s = json_string_value(json_object_get(o, member));

	return s ? s : "?";
}

static bool
has_value(const json_t *o, const char *member)
{
	const json_t *v = json_object_get(o, member);

	return v && !json_is_null(v);
}

static json_int_t
number_of(const json_t *o, const char *member)
{
	return json_integer_value(json_object_get(o, member));
}

static double
real_of(const json_t *o, const char *member)
{
	return json_number_value(json_object_get(o, member));
}

/* "1 switch", "2 switches": 'more' is appended to the word unless the number is 1. */
static void
put_count(FILE *f, const json_t *o, const char *member, const char *one, const char *more)
{
	json_int_t n = number_of(o, member);

	fprintf(f, "%" JSON_INTEGER_FORMAT " %s%s", n, one, n == 1 ? "" : more);
}

static void
put_duration(FILE *f, double s)
{
	if (s < 10)
		fprintf(f, "%.2f s", s);
	else if (s < 120)
		fprintf(f, "%.0f s", s);
	else if (s < 7200)
		fprintf(f, "%.0f min", s / 60);
	else if (s < 172800)
		fprintf(f, "%.0f h", s / 3600);
	else
		fprintf(f, "%.0f days", s / 86400);
}

/* The words of OpenSM's console for the states. */
static const char *
state_word(const char *state)
{
	static const char *const words[][2] = {
		{ "not_active", "Not Active" }, { "discovering", "Discovering" },
			{ "standby", "Standby" },
		{ "master", "Master" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i][0], state) == 0)
			return words[i][1];
	return state;
}

static void
show_verdict(FILE *f, const json_t *s)
{
	const char *subnet = text_of(s, "subnet");

	fprintf(f, LABEL, "Subnet");
	if (strcmp(subnet, "up") == 0)
		fputs("UP", f);
	else if (strcmp(subnet, "partial") == 0)
		fputs("UP IN PART, see the troubles below", f);
	else
		fputs("NOT UP", f);
	if (has_value(s, "waiting")) {
		fputs(": ", f);
		put_text(f, text_of(s, "waiting"));
	} else if (json_is_true(json_object_get(s, "sweeping"))) {
		fputs(", a sweep is under way", f);
	}
	fputc('\n', f);
}

static void
show_manager(FILE *f, const json_t *s)
{
	const json_t *m = json_object_get(s, "master");

	fprintf(f, LABEL, "SM State");
	put_text(f, state_word(text_of(s, "state")));
	if (has_value(s, "master")) {
		fputs(" of ", f);
		put_text(f, text_of(m, "guid"));
		fprintf(f, ", priority %" JSON_INTEGER_FORMAT, number_of(m, "priority"));
	}
	if (has_value(s, "disabled_by")) {
		fputs(", disabled by master ", f);
		put_text(f, text_of(s, "disabled_by"));
	}
	fprintf(f, "\n" LABEL "%" JSON_INTEGER_FORMAT "\n", "SM Priority",
		number_of(s, "priority"));
	fprintf(f, LABEL, "SM Port");
	if (has_value(s, "port_guid")) {
		put_text(f, text_of(s, "ca"));
		fprintf(f, " port %" JSON_INTEGER_FORMAT ", ", number_of(s, "port"));
		put_text(f, text_of(s, "port_guid"));
		if (has_value(s, "lid"))
			fprintf(f, ", LID %" JSON_INTEGER_FORMAT, number_of(s, "lid"));
	} else {
		fputs("none", f);
	}
	fputc('\n', f);
}

static void
show_ports(FILE *f, const json_t *p)
{
	static const char *const states[] = { "active", "armed", "init", "down", "unlinked" };
	bool any = false;

	fprintf(f, LABEL, "Ports");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (number_of(p, states[i]) == 0 && i > 0)
			continue;
		fprintf(f, "%s%" JSON_INTEGER_FORMAT " %s", any ? ", " : "",
			number_of(p, states[i]), states[i]);
		any = true;
	}
	fputc('\n', f);
}

static void
show_fabric(FILE *f, const json_t *s)
{
	fprintf(f, LABEL, "Fabric");
	put_count(f, s, "nodes", "node", "s");
	fputs(": ", f);
	put_count(f, s, "switches", "switch", "es");
	fputs(", ", f);
	put_count(f, s, "hosts", "host port", "s");
	fputs("; ", f);
	put_count(f, s, "links", "link", "s");
	fputs(", ", f);
	put_count(f, s, "lids", "LID", "s");
	fputc('\n', f);
	show_ports(f, json_object_get(s, "ports"));
}

/* What auto saw, why engines refused that were tried first, and options without effect. */
static void
show_choice(FILE *f, const json_t *c)
{
	const json_t *row;
	size_t i;

	if (has_value(c, "shape")) {
		fprintf(f, LABEL, "Fabric Shape");
		put_text(f, text_of(c, "shape"));
		fputc('\n', f);
	}
	json_array_foreach(json_object_get(c, "tried"), i, row)
		if (has_value(row, "refusal")) {
			fprintf(f, LABEL, "Engine Refused");
			put_text(f, text_of(row, "refusal"));
			fputc('\n', f);
		}
	json_array_foreach(json_object_get(c, "remarks"), i, row) {
		fprintf(f, LABEL, "Routing Options");
		put_text(f, json_is_string(row) ? json_string_value(row) : "?");
		fputc('\n', f);
	}
}

static void
show_routing(FILE *f, const json_t *s)
{
	const json_t *v = json_object_get(s, "verify");

	fprintf(f, LABEL, "Routing Engine");
	if (!has_value(s, "engine")) {
		fputs("none yet\n", f);
		return;
	}
	put_text(f, text_of(s, "engine"));
	if (json_is_true(json_object_get(v, "ok")))
		fputs(", verified", f);
	else if (has_value(s, "verify"))
		fprintf(f, ", REFUSED: %" JSON_INTEGER_FORMAT " unreachable, %" JSON_INTEGER_FORMAT
			" loops, %" JSON_INTEGER_FORMAT " credit loops",
			number_of(v, "unreachable"), number_of(v, "loops"),
			number_of(v, "credit_loops"));
	else
		fputs(", not verified yet", f);
	if (json_is_true(json_object_get(s, "held")))
		fputs(", HELD as they were found (heddlectl topology show)", f);
	fputc('\n', f);
	show_choice(f, json_object_get(s, "choice"));
}

static void
show_sweep(FILE *f, const json_t *s)
{
	const json_t *w = json_object_get(s, "last_sweep");

	fprintf(f, LABEL, "Last Sweep");
	if (!has_value(s, "last_sweep")) {
		fputs("none yet\n", f);
		return;
	}
	fprintf(f, "number %" JSON_INTEGER_FORMAT " (", number_of(w, "number"));
	put_text(f, text_of(w, "reason"));
	fputs("), took ", f);
	put_duration(f, real_of(w, "took_s"));
	fputs(", ended ", f);
	put_duration(f, real_of(w, "ended_s_ago"));
	fputs(" ago\n", f);
}

static void
show_reroute(FILE *f, const json_t *s)
{
	const json_t *r = json_object_get(s, "last_reroute"), *m = json_object_get(r, "moves");

	if (!has_value(s, "last_reroute"))
		return;
	fprintf(f, LABEL "sweep %" JSON_INTEGER_FORMAT " (", "Last Reroute",
		number_of(r, "number"));
	put_text(f, text_of(r, "reason"));
	fputs("), ", f);
	put_duration(f, real_of(r, "ended_s_ago"));
	fprintf(f,
		" ago: of %" JSON_INTEGER_FORMAT " paths between hosts %" JSON_INTEGER_FORMAT
		" moved that were broken, %" JSON_INTEGER_FORMAT
		" that were whole; %" JSON_INTEGER_FORMAT " restored, %" JSON_INTEGER_FORMAT
		" lost; %" JSON_INTEGER_FORMAT " blocks\n",
		number_of(m, "pairs"), number_of(m, "broken"), number_of(m, "needless"),
		number_of(m, "restored"), number_of(m, "lost"), number_of(m, "blocks"));
}

static void
show_service(FILE *f, const json_t *s)
{
	const json_t *m = json_object_get(s, "mads"), *store = json_object_get(s, "store");

	fprintf(f, LABEL "%" JSON_INTEGER_FORMAT " sent, %" JSON_INTEGER_FORMAT
		" received, %" JSON_INTEGER_FORMAT
		" retried, %" JSON_INTEGER_FORMAT " timed out\n", "MADs", number_of(m, "sent"),
		number_of(m, "received"), number_of(m, "retried"), number_of(m, "timed_out"));
	fprintf(f, LABEL, "Store");
	if (json_is_true(json_object_get(store, "ok"))) {
		fputs("ok, ", f);
		put_text(f, text_of(store, "path"));
	} else {
		bool read = strcmp(text_of(store, "state"), "read_only") == 0;

		fputs(read ? "READ ONLY: " : "FAILS: ", f);
		put_text(f, text_of(store, "why"));
		fputs(" (", f);
		put_text(f, text_of(store, "path"));
		fputs(read ? "); changes are kept in memory only" :
			"); LIDs are kept in memory only", f);
	}
	fprintf(f, "\n" LABEL "heddled ", "Version");
	put_text(f, text_of(s, "version"));
	fprintf(f, ", process %" JSON_INTEGER_FORMAT ", running for ", number_of(s, "pid"));
	put_duration(f, real_of(s, "uptime_s"));
	fputc('\n', f);
}

static void
show_problem(FILE *f, const json_t *t)
{
	fputs("  ", f);
	put_text(f, has_value(t, "guid") ? text_of(t, "guid") : "unknown node");
	if (has_value(t, "description") && *text_of(t, "description")) {
		fputs(" \"", f);
		put_text(f, text_of(t, "description"));
		fputc('"', f);
	}
	if (has_value(t, "path")) {
		fputs(" at ", f);
		put_text(f, text_of(t, "path"));
	}
	fputs(": ", f);
	put_text(f, text_of(t, "reason"));
	fputc('\n', f);
}

static void
show_missing_one(FILE *f, const json_t *m)
{
	fputs("  ", f);
	put_text(f, text_of(m, "kind"));
	fputc(' ', f);
	put_text(f, text_of(m, "name"));
	if (has_value(m, "guid")) {
		fputs(" (", f);
		put_text(f, text_of(m, "guid"));
		fputs(") behind ", f);
	} else {
		fputs(" - ", f);
	}
	put_text(f, text_of(m, "place"));
	fputs(" since ", f);
	put_text(f, text_of(m, "since"));
	fputs(" (", f);
	put_duration(f, real_of(m, "missing_s"));
	fputs("): ", f);
	put_text(f, text_of(m, "reason"));
	fputc('\n', f);
}

static void
show_flapping_one(FILE *f, const json_t *l)
{
	fputs("  link ", f);
	put_text(f, text_of(l, "link"));
	fprintf(f, ": %" JSON_INTEGER_FORMAT " changes, since ", number_of(l, "changes"));
	put_text(f, text_of(l, "since"));
	fputs(", quiet for ", f);
	put_duration(f, real_of(l, "quiet_s"));
	fputc('\n', f);
}

/* Prints a list that holds only the first entries, and the total number; nothing if the total is
 * 0. */
static void
show_list(FILE *f, const char *label, const json_t *list, json_int_t total,
	void (*show_one)(FILE *, const json_t *))
{
	const json_t *one;
	size_t i;

	if (total == 0)
		return;
	fprintf(f, LABEL "%" JSON_INTEGER_FORMAT "\n", label, total);
	json_array_foreach(list, i, one)
		show_one(f, one);
	if ((json_int_t)json_array_size(list) < total)
		fprintf(f, "  and %" JSON_INTEGER_FORMAT " more\n",
			total - (json_int_t)json_array_size(list));
}

static void
show_untrusted(FILE *f, const json_t *strangers)
{
	const json_t *t;
	size_t i;

	json_array_foreach(strangers, i, t) {
		fprintf(f, LABEL, "Other SM");
		put_text(f, text_of(t, "guid"));
		fprintf(f, ", priority %" JSON_INTEGER_FORMAT ", ", number_of(t, "priority"));
		put_text(f, text_of(t, "state"));
		fputs(": ", f);
		put_text(f, text_of(t, "reason"));
		fputc('\n', f);
	}
}

static void
show_lid_changes(FILE *f, const json_t *changes)
{
	const json_t *c;
	size_t i;

	if (!number_of(changes, "total"))
		return;
	fprintf(f, LABEL "%" JSON_INTEGER_FORMAT "\n", "LID changes", number_of(changes, "total"));
	json_array_foreach(json_object_get(changes, "last"), i, c) {
		fputs("  ", f);
		put_duration(f, real_of(c, "ago_s"));
		fputs(" ago: ", f);
		put_text(f, text_of(c, "port"));
		fprintf(f, ": %" JSON_INTEGER_FORMAT " -> %" JSON_INTEGER_FORMAT ": ",
			number_of(c, "from"), number_of(c, "to"));
		put_text(f, text_of(c, "reason"));
		fputc('\n', f);
	}
}

static void
show_standbys(FILE *f, const json_t *standbys)
{
	const json_t *t;
	size_t i;

	json_array_foreach(standbys, i, t) {
		fprintf(f, LABEL, "Standby");
		put_text(f, text_of(t, "guid"));
		fprintf(f, ", priority %" JSON_INTEGER_FORMAT ", %s for ", number_of(t, "priority"),
			json_is_true(json_object_get(t, "alive")) ? "alive" : "LOST");
		put_duration(f, real_of(t, "since_s"));
		fputc('\n', f);
	}
}

/* Prints protected ports, then whichever of the other counts are not 0. */
static void
show_keys(FILE *f, const json_t *keys)
{
	static const struct {
		const char *key, *text;
	} others[] = { { "unprotected", "unprotected" },
		{ "foreign", "protected by a foreign key" }, { "unknown", "not read" } };

	if (!json_is_object(keys))
		return;
	fprintf(f, LABEL, "M_Key");
	put_text(f, text_of(keys, "m_key"));
	if (strcmp(text_of(keys, "m_key"), "none"))
		fprintf(f, ", lease %" JSON_INTEGER_FORMAT " s", number_of(keys, "lease_s"));
	fprintf(f, ": %" JSON_INTEGER_FORMAT " ports protected", number_of(keys, "protected"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (number_of(keys, others[i].key))
			fprintf(f, ", %" JSON_INTEGER_FORMAT " %s", number_of(keys, others[i].key),
				others[i].text);
	if (strcmp(text_of(keys, "released"), "no"))
		fprintf(f, "; release %s", strcmp(text_of(keys, "released"), "done") ? "under way" :
			"done");
	fputc('\n', f);
}

void
show_released(FILE *f, const json_t *status)
{
	show_keys(f, json_object_get(status, "keys"));
}

void
show_key(FILE *f, const json_t *key)
{
	put_text(f, text_of(key, "m_key"));
	fputc('\n', f);
}

void
show_status(FILE *f, const json_t *s)
{
	show_verdict(f, s);
	show_manager(f, s);
	show_fabric(f, s);
	show_routing(f, s);
	show_sweep(f, s);
	show_reroute(f, s);
	show_service(f, s);
	show_keys(f, json_object_get(s, "keys"));
	show_standbys(f, json_object_get(s, "standbys"));
	show_untrusted(f, json_object_get(s, "strangers"));
	show_lid_changes(f, json_object_get(s, "lid_changes"));
	show_list(f, "Missing", json_object_get(s, "missing"), number_of(s, "missing_total"),
		show_missing_one);
	show_list(f, "Flapping", json_object_get(s, "flapping"), number_of(s, "flapping_total"),
		show_flapping_one);
	show_list(f, "Troubles", json_object_get(s, "troubles"), number_of(s, "troubles_total"),
		show_problem);
}

/* A map from GUID to description, to print peers by name. */
static json_t *
names_of(const json_t *nodes)
{
	json_t *names = json_object();
	const json_t *n;
	size_t i;

	json_array_foreach(nodes, i, n) {
		const char *guid = json_string_value(json_object_get(n, "guid"));
		json_t *name = json_object_get(n, "description");

		if (guid && json_is_string(name))
			json_object_set(names, guid, name);
	}
	return names;
}

static void
show_port(FILE *f, const json_t *p, const json_t *names)
{
	const json_t *peer = json_object_get(p, "peer");

	fprintf(f, "  %3" JSON_INTEGER_FORMAT "  ", number_of(p, "port"));
	put_text(f, text_of(p, "state"));
	if (has_value(p, "lid") && number_of(p, "lid") != 0)
		fprintf(f, "  LID %" JSON_INTEGER_FORMAT, number_of(p, "lid"));
	if (has_value(p, "peer")) {
		const char *guid = text_of(peer, "guid");

		fputs("  -> ", f);
		put_text(f, guid);
		fputs(" \"", f);
		put_text(f, text_of(names, guid));
		fprintf(f, "\" port %" JSON_INTEGER_FORMAT, number_of(peer, "port"));
	}
	fputc('\n', f);
}

void
show_snapshot(FILE *f, const json_t *s)
{
	const json_t *nodes = json_object_get(s, "nodes"), *n, *p;
	json_t *names = names_of(nodes);
	size_t i, k;

	fprintf(f, "Sweep %" JSON_INTEGER_FORMAT ": %zu nodes, ", number_of(s, "sweep"),
		json_array_size(nodes));
	put_count(f, s, "switches", "switch", "es");
	fputs(", ", f);
	put_count(f, s, "hosts", "host port", "s");
	fputs(", ", f);
	put_count(f, s, "links", "link", "s");
	fputs("; seen from ", f);
	put_text(f, text_of(s, "port_guid"));
	fputc('\n', f);
	json_array_foreach(nodes, i, n) {
		fputc('\n', f);
		put_text(f, text_of(n, "type"));
		fputc(' ', f);
		put_text(f, text_of(n, "guid"));
		fputs(" \"", f);
		put_text(f, text_of(n, "description"));
		fputs("\" path ", f);
		put_text(f, text_of(n, "path"));
		fputc('\n', f);
		json_array_foreach(json_object_get(n, "ports"), k, p)
			show_port(f, p, names);
	}
	json_decref(names);
}

static void
show_end(FILE *f, const char *label, const json_t *e)
{
	fprintf(f, "%s LID %" JSON_INTEGER_FORMAT "  ", label, number_of(e, "lid"));
	put_text(f, text_of(e, "guid"));
	fputs(" \"", f);
	put_text(f, text_of(e, "description"));
	fprintf(f, "\" port %" JSON_INTEGER_FORMAT "\n", number_of(e, "port"));
}

static void
show_pkeys(FILE *f, const char *whose, const json_t *keys)
{
	const json_t *key;
	size_t i;

	fprintf(f, "  P_Keys of the %s:", whose);
	json_array_foreach(keys, i, key) {
		const char *word = json_string_value(key);

		fputc(' ', f);
		put_text(f, word ? word : "?");
	}
	fputs(json_array_size(keys) ? "\n" : " none\n", f);
}

static void
show_partition(FILE *f, const json_t *p)
{
	if (json_is_true(json_object_get(p, "allowed"))) {
		fputs("allowed by P_Key ", f);
		put_text(f, text_of(p, "pkey"));
		fputc('\n', f);
		return;
	}
	fputs("FORBIDDEN BY PARTITIONS: ", f);
	put_text(f, text_of(p, "why"));
	fputc('\n', f);
	show_pkeys(f, "source", json_object_get(p, "source_pkeys"));
	show_pkeys(f, "destination", json_object_get(p, "destination_pkeys"));
}

void
show_trace(FILE *f, const json_t *t)
{
	const json_t *h;
	size_t i;

	show_end(f, "From", json_object_get(t, "source"));
	json_array_foreach(json_object_get(t, "hops"), i, h) {
		fprintf(f, "%4zu ", i);
		fprintf(f, number_of(h, "in_port") ? "[%3" JSON_INTEGER_FORMAT "] " : "      ",
			number_of(h, "in_port"));
		put_text(f, text_of(h, "guid"));
		fprintf(f, number_of(h, "out_port") ? " [%3" JSON_INTEGER_FORMAT "] " : "       ",
			number_of(h, "out_port"));
		put_text(f, text_of(h, "description"));
		fputc('\n', f);
	}
	show_end(f, "To  ", json_object_get(t, "destination"));
	if (json_is_true(json_object_get(t, "reached"))) {
		fputs("reached\n", f);
	} else {
		fputs("NOT REACHED: ", f);
		put_text(f, text_of(t, "why"));
		fputc('\n', f);
	}
	if (json_is_object(json_object_get(t, "partition")))
		show_partition(f, json_object_get(t, "partition"));
}

/* ---- the intended topology ---- */

static void
show_counts(FILE *f, const char *label, const json_t *t, const char *member)
{
	const json_t *c = json_object_get(t, member);

	fprintf(f, LABEL, label);
	if (!json_is_object(c)) {
		fputs("unknown\n", f);
		return;
	}
	put_count(f, c, "switches", "switch", "es");
	fputs(", ", f);
	put_count(f, c, "links", "link", "s");
	fputs(" between them, ", f);
	put_count(f, c, "hosts", "host port", "s");
	fputc('\n', f);
}

void
show_topology_counts(FILE *f, const json_t *t)
{
	show_counts(f, "Intended", t, "intended");
	show_counts(f, "Present", t, "present");
}

static void
show_change(FILE *f, const json_t *c)
{
	fputs("  ", f);
	put_text(f, text_of(c, "kind"));
	fputs(": ", f);
	put_text(f, text_of(c, "text"));
	fputs(" (", f);
	put_text(f, text_of(c, "guid"));
	fputs(")\n", f);
}

static void
show_topology_state(FILE *f, const json_t *t)
{
	const char *state = text_of(t, "state"), *command = text_of(t, "command");

	fprintf(f, LABEL, "Topology");
	if (strcmp(state, "none") == 0)
		fputs("none yet: it is learned when the whole fabric answers", f);
	else if (strcmp(state, "foreign") == 0)
		fputs("OF ANOTHER FABRIC, not used until topology adopt", f);
	else
		put_text(f, state);
	if (strcmp(command, "none") != 0) {
		fputs(", being changed: ", f);
		put_text(f, command);
	}
	fputc('\n', f);
	if (json_is_true(json_object_get(t, "held"))) {
		fprintf(f, LABEL, "Routes");
		fputs("HELD as they were found, until topology adopt or rebalance\n", f);
	}
	if (!has_value(t, "unread"))
		return;
	fprintf(f, LABEL, "Store");
	put_text(f, text_of(t, "unread"));
	fputc('\n', f);
}

void
show_topology(FILE *f, const json_t *t)
{
	show_topology_state(f, t);
	show_topology_counts(f, t);
	show_list(f, "Missing", json_object_get(t, "missing"), number_of(t, "missing_total"),
		show_change);
	show_list(f, "Pending", json_object_get(t, "pending"), number_of(t, "pending_total"),
		show_change);
}
