/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saquery.c - queries the SA for records: the command line.
 * Room: diags/tools. saquery_ask.c sends the query, saquery_show.c shows the records.
 */
#include <config.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/tools/saquery.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/wire/gid.h"
#include "util/xalloc.h"

/* The largest value of NumbPath, a field of 7 bits. */
#define PATHS_MAX 0x7f

/* Long options without a letter. */
enum {
	SRC_TO_DST = DIAG_LONG + 1, SGID_TO_DGID, SMKEY, SLID, DLID, MLID, SGID, DGID, GID, MGID,
	PKEY, SL, LIFE, SCOPE, SERVICE,
};

/* Options that set components of path and group queries, by component name in each record (NULL:
 * the record has no such component). As in infiniband-diags, the value 0 sets nothing for PLAIN
 * options. A SELECTED value has its selector in the two bits above it. */
enum kind { PLAIN, CHOICE, SELECTED, ADDRESS };
static const struct wish {
	int id;
	const char *path, *group;
	uint64_t max;
	enum kind kind;
} wishes[] = {
#define W(i, p, g, m, k) { .id = i, .path = p, .group = g, .max = m, .kind = k },
	W(SERVICE, "service_id", NULL, UINT64_MAX, PLAIN)
	W(SGID, "sgid", NULL, 0, ADDRESS)
	W(DGID, "dgid", NULL, 0, ADDRESS)
	W(GID, NULL, "port_gid", 0, ADDRESS)
	W(MGID, NULL, "mgid", 0, ADDRESS)
	W(SLID, "slid", NULL, UINT16_MAX, PLAIN)
	W(DLID, "dlid", NULL, UINT16_MAX, PLAIN)
	W(MLID, NULL, "mlid", UINT16_MAX, PLAIN)
	W('r', "reversible", NULL, 1, CHOICE)
	W('n', "num_path", NULL, PATHS_MAX, CHOICE)
	W(PKEY, "pkey", "pkey", UINT16_MAX, PLAIN)
	W('Q', "qos_class", NULL, 0xfff, CHOICE)
	W(SL, "sl", "sl", 15, CHOICE)
	W('M', "mtu", "mtu", 255, SELECTED)
	W('R', "rate", "rate", 255, SELECTED)
	W(LIFE, "life", "life", 255, SELECTED)
	W('q', NULL, "qkey", UINT32_MAX, PLAIN)
	W('T', "tclass", "tclass", 255, PLAIN)
	W('F', "flow_label", "flow_label", 0xfffff, PLAIN)
	W('H', "hop_limit", "hop_limit", 255, CHOICE)
	W(SCOPE, NULL, "scope", 15, PLAIN)
	W('J', NULL, "join_state", 15, PLAIN)
	W('X', NULL, "proxy_join", 1, CHOICE)
#undef W
};
#define NWISHES (sizeof(wishes) / sizeof(wishes[0]))
_Static_assert(NWISHES <= SAQUERY_WISHES, "a value for each");

/* Query types: name, alias, operands, and the components that the parts of an operand "LID/A/B"
 * set, for up to two operands. Every operand is optional, so saquery's run function parses the
 * words itself; 'ops' serves --help and the manual page. */
#define QUERIES(Q) \
	Q("ClassPortInfo", "CPI", "", CLASS_PORT_INFO_ID, { { NULL } }) \
	Q("NodeRecord", "NR", "[lid]", NODE_RECORD_ID, { { "lid" } }) \
	Q("PortInfoRecord", "PIR", "[[lid]/[port]/[options]]", PORT_INFO_RECORD_ID, { { "lid", "port", "options" } }) \
	Q("SL2VLTableRecord", "SL2VL", "[[lid]/[in_port]/[out_port]]", SLVL_RECORD_ID, { { "lid", "in_port", "out_port" } }) \
	Q("PKeyTableRecord", "PKTR", "[[lid]/[port]/[block]]", PKEY_RECORD_ID, { { "lid", "port", "block" } }) \
	Q("VLArbitrationTableRecord", "VLAR", "[[lid]/[port]/[block]]", VLARB_RECORD_ID, { { "lid", "port", "block" } }) \
	Q("InformInfoRecord", "IIR", "[subscriber_gid]", INFORM_INFO_RECORD_ID, { { NULL } }) \
	Q("LinkRecord", "LR", "[[from_lid]/[from_port]] [[to_lid]/[to_port]]", LINK_RECORD_ID, \
		{ { "from_lid", "from_port" }, { "to_lid", "to_port" } }) \
	Q("ServiceRecord", "SR", "", SERVICE_RECORD_ID, { { NULL } }) \
	Q("PathRecord", "PR", "", PATH_RECORD_ID, { { NULL } }) \
	Q("MCMemberRecord", "MCMR", "", MCMEMBER_RECORD_ID, { { NULL } }) \
	Q("LFTRecord", "LFTR", "[[lid]/[block]]", LFT_RECORD_ID, { { "lid", "block" } }) \
	Q("MFTRecord", "MFTR", "[[mlid]/[position]/[block]]", MFT_RECORD_ID, { { "lid", "position", "block" } }) \
	Q("GUIDInfoRecord", "GIR", "[[lid]/[block]]", GUID_INFO_RECORD_ID, { { "lid", "block" } }) \
	Q("SwitchInfoRecord", "SWIR", "[lid]", SWITCH_INFO_RECORD_ID, { { "lid" } }) \
	Q("SMInfoRecord", "SMIR", "[lid]", SM_INFO_RECORD_ID, { { "lid" } }) \
	Q("TraceRecord", "TR", "[from_lid] [to_lid]", TRACE_RECORD_ID, { { "slid" }, { "dlid" } })

struct query {
	const char *name, *alias;
	uint16_t attr_id;
	const char *parts[2][3];
};
static const struct query queries[] = {
#define Q(name, alias, operands, id, ...) { name, alias, id, __VA_ARGS__ },
	QUERIES(Q)
#undef Q
};
static const struct diag_op ops[] = {
#define Q(name, alias, operands, id, ...) { name, alias, operands, NULL },
	QUERIES(Q)
#undef Q
	{ NULL, NULL, NULL, NULL },
};
#define NQUERIES (sizeof(queries) / sizeof(queries[0]))

/* ---- options ---- */

/* Parses a key. Values such as "x" prompt for it on the terminal. */
static bool
take_key(const char *prompt, const char *value, uint64_t max, uint64_t *v)
{
	if (!isxdigit((unsigned char)value[0]))
		value = getpass(prompt);
	return value && diag_number(value, max, v);
}

static int
take_wish(struct diag *d, const struct wish *w, const char *value)
{
	struct saquery *my = diag_state(d);
	struct saquery_value *x = &my->wish[w - wishes];
	bool good;

	if (w->kind == ADDRESS)
		good = inet_pton(AF_INET6, value, x->bytes) == 1;
	else if (w->id == PKEY || w->id == 'q')
		good = take_key(w->id == PKEY ? "P_Key: " : "Q_Key: ", value, w->max, &x->v);
	else
		good = diag_number(value, w->max, &x->v);
	x->given = x->v || w->kind == CHOICE || w->kind == ADDRESS;
	return good ? 0 : diag_usage(d, "\"%s\" is not a value of that option", value);
}

static const struct wish *
wish_of(int id)
{
	for (size_t i = 0; i < NWISHES; i++)
		if (wishes[i].id == id)
			return &wishes[i];
	return NULL;
}

static void
set_wish(struct saquery *my, int id, uint64_t v)
{
	struct saquery_value *x = &my->wish[wish_of(id) - wishes];

	x->given = true;
	x->v = v;
}

static void
all_paths(struct saquery *my)
{
	set_wish(my, 'n', PATHS_MAX);
	my->attr_id = PATH_RECORD_ID;
}

static int
take_gids(struct diag *d, const char *value)
{
	char *copy = strdup(value), *dash = copy ? strchr(copy, '-') : NULL;
	int r;

	if (!dash) {
		free(copy);
		return diag_usage(d, "--sgid-to-dgid needs two addresses, SGID-DGID");
	}
	*dash = '\0';
	r = take_wish(d, wish_of(SGID), copy);
	if (!r)
		r = take_wish(d, wish_of(DGID), dash + 1);
	free(copy);
	all_paths(diag_state(d));
	return r;
}

static int
take_special(struct diag *d, int id, const char *value)
{
	struct saquery *my = diag_state(d);

	switch (id) {
	case SRC_TO_DST:
		if (!strchr(value, ':'))
			return diag_usage(d, "--src-to-dst needs two nodes, SRC:DST");
		free(my->src_to_dst);
		my->src_to_dst = strdup(value);
		all_paths(my);
		return 0;
	case SGID_TO_DGID:
		return take_gids(d, value);
	case SMKEY:
		return take_key("SM_Key: ", value, UINT64_MAX, &diag_settings_mut(d)->sa_key) ? 0 :
			diag_usage(d, "cannot get SM_Key");
	}
	return -ENOENT;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct saquery *my = diag_state(d);
	static const struct {
		int id;
		uint16_t attr_id;
		enum saquery_command command;
		enum saquery_nodes nodes;
	} modes[] = {
		{ 'p', PATH_RECORD_ID, BY_QUERY, ALL }, { 'x', LINK_RECORD_ID, BY_QUERY, ALL },
		{ 'S', SERVICE_RECORD_ID, BY_QUERY, ALL },
		{ 'I', INFORM_INFO_RECORD_ID, BY_QUERY, ALL }, { 'c', 0, CLASS_PORT_INFO, ALL },
		{ 's', 0, ISSM, ALL },
		{ 'g', 0, GROUPS, ALL }, { 'm', 0, MEMBERS, ALL }, { 'N', 0, NODES, ALL },
		{ 'L', 0, NODES, LIDS },
		{ 'l', 0, NODES, UNIQUE_LID }, { 'G', 0, NODES, GUIDS },
		{ 'O', 0, NODES, NAME_OF_LID }, { 'U', 0, NODES, NAME_OF_GUID },
		{ 'D', 0, NODES, DESCRIPTIONS },
	};
	const struct wish *w = wish_of(id);

	if (w)
		return take_wish(d, w, value);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (modes[i].id != id)
			continue;
		if (modes[i].attr_id)
			my->attr_id = modes[i].attr_id;
		else
			my->command = modes[i].command;
		if (modes[i].nodes != ALL)
			my->nodes = modes[i].nodes;
		return 0;
	}
	return take_special(d, id, value);
}

/* ---- the query ---- */

/* Parses "LID/A/B": each part that is present sets its component. */
static int
take_parts(struct diag *d, struct sa_ask *a, const char *const parts[3], char *text)
{
	char *slash;
	uint64_t v;
	uint16_t lid;
	int r;

	for (unsigned i = 0; i < 3 && text; i++, text = slash) {
		slash = strchr(text, '/');
		if (slash)
			*slash++ = '\0';
		if (!parts[i])
			return diag_usage(d, "\"%s\" is more than this query takes", text);
		if (!*text)
			continue;
		if (i == 0) {
			r = sa_ask_lid(d, text, &lid);
			if (r)
				return r;
			v = lid;
		} else if (!diag_number(text, UINT16_MAX, &v)) {
			return diag_usage(d, "\"%s\" is not a number", text);
		}
		sa_ask_for(a, parts[i], v);
	}
	return 0;
}

/* Parses the two nodes of --src-to-dst. */
static int
take_ends(struct diag *d)
{
	struct saquery *my = diag_state(d);
	static const int ends[] = { SLID, DLID };
	char *text = my->src_to_dst, *next;
	uint16_t lid;
	int r = 0;

	for (unsigned i = 0; i < 2 && text && !r; i++, text = next) {
		next = strchr(text, ':');
		if (next && !i)
			*next++ = '\0';
		if (!*text)
			continue;
		r = sa_ask_lid(d, text, &lid);
		if (!r)
			set_wish(my, ends[i], lid);
	}
	return r;
}

static void
take_wishes(const struct saquery *my, struct sa_ask *a)
{
	bool paths = a->desc->attr->id == PATH_RECORD_ID;

	for (const struct wish *w = wishes; w < wishes + NWISHES; w++) {
		const struct saquery_value *x = &my->wish[w - wishes];
		const char *name = paths ? w->path : w->group;

		if (!x->given || !name)
			continue;
		if (w->kind == ADDRESS) {
			sa_ask_for_gid(a, name, x->bytes);
		} else if (w->kind == SELECTED) {
			sa_ask_for_selected(a, name, (uint8_t)x->v);
		} else if (w->id == SERVICE) {
			sa_ask_for(a, "service_id[0]", x->v >> 32);
			sa_ask_for(a, "service_id[1]", x->v & UINT32_MAX);
		} else {
			sa_ask_for(a, name, x->v);
		}
	}
}

/* Builds the query from operands and options. */
static int
take_ask(struct diag *d, const struct query *q, struct sa_ask *a, int argc, char **argv)
{
	uint8_t gid[16];
	int r = 0;

	*a = sa_ask_new(q->attr_id);
	if (q->attr_id == INFORM_INFO_RECORD_ID && argc > 0) {
		if (inet_pton(AF_INET6, argv[0], gid) != 1)
			return diag_fail(d, EXIT_USAGE, "usage",
				"Invalid SubscriberGID specified: \"%s\"", argv[0]);
		sa_ask_for_gid(a, "subscriber_gid", gid);
	}
	for (int i = 0; i < 2 && i < argc && q->parts[i][0] && !r; i++)
		r = take_parts(d, a, q->parts[i], argv[i]);
	if (!r)
		r = take_ends(d);
	if (a->desc->attr->id == PATH_RECORD_ID || q->attr_id == MCMEMBER_RECORD_ID)
		take_wishes(diag_state(d), a);
	return r;
}

/* Reports that nothing matches the name in a query, which is a finding. */
static int
nothing_found(struct diag *d, const char *what)
{
	diag_finding(d, "warning", "not_found", what, NULL, "no %s is what was asked for", what);
	return EXIT_FINDINGS;
}

/* ---- the commands ---- */

static void
show_row(struct diag *d, uint16_t id, const uint8_t *image)
{
	char name[DIAG_NAME_BYTES];

	if (!diag_is_text(d))
		sa_show_row(d, id, image, id == NODE_RECORD_ID ? sa_show_name(d, image, name) :
			NULL, NULL);
}

static int
run_query(struct diag *d, const struct query *q, int argc, char **argv)
{
	uint8_t info[CLASS_PORT_INFO_BYTES];
	bool mft_top = false;
	struct sa_rows rows;
	struct sa_ask a;
	int r;

	if (q->attr_id == CLASS_PORT_INFO_ID || q->attr_id == SWITCH_INFO_RECORD_ID) {
		r = sa_ask_class_port_info(d, info);
		if (r)
			return r;
		if (q->attr_id == CLASS_PORT_INFO_ID) {
			sa_show_class_port_info(d, info);
			return EXIT_OK;
		}
		mft_top = class_port_info_decode(info).capability_mask2 & SA_CLASS_CAP2_MFT_TOP;
	}
	r = take_ask(d, q, &a, argc, argv);
	if (!r)
		r = sa_ask_table(d, &a, &rows);
	if (r)
		return r;
	for (size_t i = 0; i < rows.n; i++) {
		sa_show(d, q->attr_id, sa_rows_at(&rows, i), mft_top);
		show_row(d, q->attr_id, sa_rows_at(&rows, i));
	}
	if (!rows.n && a.mask)
		r = nothing_found(d, q->name);
	sa_rows_clear(&rows);
	return r;
}

/* Shows one node in its short form; 'image' is its NodeRecord. */
static void
show_node(struct diag *d, const uint8_t *image, const char *name)
{
	struct saquery *my = diag_state(d);
	struct node_record n = node_record_decode(image);

	switch (my->nodes) {
	case LIDS: case UNIQUE_LID:
		diag_text(d, "%u\n", n.lid);
		break;
	case GUIDS:
		diag_text(d, "0x%016" PRIx64 "\n", n.info.port_guid);
		break;
	case NAME_OF_LID: case NAME_OF_GUID:
		diag_text(d, "%s\n", name);
		break;
	case DESCRIPTIONS:
		diag_text(d, "%6d  \"%s\"\n", n.lid, name);
		break;
	case ALL:
		sa_show(d, NODE_RECORD_ID, image, false);
		break;
	}
	sa_show_row(d, NODE_RECORD_ID, image, name, NULL);
}

/* Reports whether the short form shows this node; 'wanted' is the operand, and 'number' its
 * value. */
static bool
is_wanted(enum saquery_nodes nodes, const uint8_t *image, const char *name, const char *wanted,
	uint64_t number)
{
	struct node_record n = node_record_decode(image);

	switch (nodes) {
	case DESCRIPTIONS:
		return n.info.node_type == 1;
	case NAME_OF_LID:
		return n.lid == number;
	case NAME_OF_GUID:
		return n.info.port_guid == number;
	case ALL: case LIDS: case UNIQUE_LID: case GUIDS:
		break;
	}
	return !wanted || !strncmp(wanted, (const char *)n.desc.text, sizeof(n.desc.text)) ||
		!strncmp(wanted, name, sizeof(n.desc.text));
}

static int
run_nodes(struct diag *d, int argc, char **argv)
{
	struct saquery *my = diag_state(d);
	struct sa_ask a = sa_ask_new(NODE_RECORD_ID);
	const char *wanted = argc ? argv[0] : NULL;
	const uint8_t *image;
	char name[DIAG_NAME_BYTES];
	uint64_t number = 0;
	struct sa_rows rows;
	size_t shown = 0;
	int r;

	if (my->nodes != ALL && my->nodes != DESCRIPTIONS && !wanted)
		return diag_usage(d, "%s not specified", my->nodes == NAME_OF_LID ? "lid" :
			my->nodes == NAME_OF_GUID ? "guid" : "name");
	if (my->nodes == NAME_OF_LID && (!diag_number(wanted, UINT16_MAX, &number) || !number))
		return diag_usage(d, "lid invalid");
	if (my->nodes == NAME_OF_GUID && !diag_number(wanted, UINT64_MAX, &number))
		return diag_usage(d, "guid invalid");
	r = sa_ask_table(d, &a, &rows);
	if (r)
		return r;
	if (my->nodes == DESCRIPTIONS)
		diag_text(d, "   LID \"name\"\n================\n");
	for (size_t i = 0; i < rows.n && !(my->nodes == UNIQUE_LID && shown); i++) {
		image = sa_rows_at(&rows, i);
		sa_show_name(d, image, name);
		if (!is_wanted(my->nodes, image, name, wanted, number))
			continue;
		show_node(d, image, name);
		shown++;
	}
	sa_rows_clear(&rows);
	return wanted && my->nodes != DESCRIPTIONS && !shown ? nothing_found(d, "node") : EXIT_OK;
}

static int
run_issm(struct diag *d)
{
	static const struct { uint32_t cap; const char *title, *role; } kinds[] = {
		{ PORT_CAP_IS_SM, "IsSM ports\n", "IsSM" },
		{ PORT_CAP_SM_DISABLED, "\nIsSMdisabled ports\n", "IsSMdisabled" },
	};
	struct sa_rows rows;
	int r;

	for (unsigned k = 0; k < 2; k++) {
		struct sa_ask a = sa_ask_new(PORT_INFO_RECORD_ID);

		a.modifier = PORT_INFO_RECORD_CAP_MATCH;
		sa_ask_for(&a, "info.capability_mask", kinds[k].cap);
		r = sa_ask_table(d, &a, &rows);
		if (r)
			return r;
		diag_text(d, "%s", kinds[k].title);
		for (size_t i = 0; i < rows.n; i++) {
			sa_show_issm(d, sa_rows_at(&rows, i));
			sa_show_row(d, PORT_INFO_RECORD_ID, sa_rows_at(&rows, i), NULL,
				kinds[k].role);
		}
		sa_rows_clear(&rows);
	}
	return EXIT_OK;
}

/* NodeRecords by port GUID: each of the many group members of a large subnet needs a name. */
struct host {
	uint64_t port_guid;
	size_t row;
};

static int
by_guid(const void *a, const void *b)
{
	uint64_t x = ((const struct host *)a)->port_guid, y = ((const struct host *)b)->port_guid;

	return x < y ? -1 : x > y;
}

static struct host *
hosts_sorted(const struct sa_rows *rows)
{
	struct host *hosts = xcalloc(rows->n + 1, sizeof(*hosts));

	for (size_t i = 0; i < rows->n; i++)
		hosts[i] = (struct host){ node_record_decode(sa_rows_at(rows, i)).info.port_guid,
			i };
	qsort(hosts, rows->n, sizeof(*hosts), by_guid);
	return hosts;
}

/* Returns the name of the node that has the port of a member's GID, or NULL. */
static const char *
member_name(struct diag *d, const struct sa_rows *rows, const struct host *hosts,
	const uint8_t port_gid[16],
	char name[static DIAG_NAME_BYTES])
{
	struct host key = { .port_guid = gid_guid(port_gid) };
	const struct host *h = bsearch(&key, hosts, rows->n, sizeof(*hosts), by_guid);

	return h ? sa_show_name(d, sa_rows_at(rows, h->row), name) : NULL;
}

static void
show_member(struct diag *d, const uint8_t *image, const char *name, bool short_form)
{
	char gid[INET6_ADDRSTRLEN];
	struct mcmember_record m = mcmember_record_decode(image);

	if (short_form)
		diag_text(d, "\t\tPortGid.................%s (%s)\n",
			inet_ntop(AF_INET6, m.port_gid, gid, sizeof(gid)), name ? name :
			"<unknown>");
	else
		sa_show_member(d, image, name ? name : "<unknown>");
	sa_show_row(d, MCMEMBER_RECORD_ID, image, name, NULL);
}

static int
run_members(struct diag *d, int argc, char **argv)
{
	struct sa_ask a = sa_ask_new(MCMEMBER_RECORD_ID), b = sa_ask_new(NODE_RECORD_ID);
	struct sa_rows members, node_rows = { .n = 0 };
	const uint8_t *image;
	struct host *hosts;
	char name[DIAG_NAME_BYTES];
	uint64_t mlid = 0;
	size_t shown = 0;
	int r;

	if (argc && !diag_number(argv[0], UINT16_MAX, &mlid))
		return diag_usage(d, "\"%s\" is not a multicast LID", argv[0]);
	r = sa_ask_table(d, &a, &members);
	if (!r)
		r = sa_ask_table(d, &b, &node_rows);
	hosts = hosts_sorted(&node_rows);
	for (size_t i = 0; i < members.n && !r; i++) {
		struct mcmember_record m;

		image = sa_rows_at(&members, i);
		m = mcmember_record_decode(image);
		if (argc && m.mlid != mlid)
			continue;
		shown++;
		show_member(d, image, member_name(d, &node_rows, hosts, m.port_gid, name),
			argc > 0);
	}
	free(hosts);
	sa_rows_clear(&node_rows);
	sa_rows_clear(&members);
	return !r && argc && !shown ? nothing_found(d, "group") : r;
}

static int
run_groups(struct diag *d)
{
	struct sa_ask a = sa_ask_new(MCMEMBER_RECORD_ID);
	struct sa_rows rows;
	int r = sa_ask_table(d, &a, &rows);

	for (size_t i = 0; i < rows.n; i++) {
		sa_show_group(d, sa_rows_at(&rows, i));
		sa_show_row(d, MCMEMBER_RECORD_ID, sa_rows_at(&rows, i), NULL, NULL);
	}
	sa_rows_clear(&rows);
	return r;
}

static const struct query *
query_of(uint16_t id, const char *word)
{
	for (const struct query *q = queries; q < queries + NQUERIES; q++)
		if (word ? !strcasecmp(q->name, word) || !strcasecmp(q->alias, word) :
		    q->attr_id == id)
			return q;
	return NULL;
}

static int
saquery_run(struct diag *d, int argc, char **argv)
{
	struct saquery *my = diag_state(d);
	static const char *const words[] = {
		[NODES] = "NodeRecord", [CLASS_PORT_INFO] = "ClassPortInfo",
		[ISSM] = "PortInfoRecord",
		[GROUPS] = "MCMemberRecord", [MEMBERS] = "MCMemberRecord",
	};
	const struct query *q = NULL;

	if (my->command != BY_QUERY) {
		q = query_of(0, words[my->command]);
	} else if (my->attr_id) {
		q = query_of(my->attr_id, NULL);
	} else {
		q = argc ? query_of(0, argv[0]) : NULL;
		if (q) {
			argc--;
			argv++;
		} else {
			q = query_of(NODE_RECORD_ID, NULL);
		}
	}
	json_object_set_new(diag_doc(d), "query", json_string(q->name));
	if (q->attr_id != CLASS_PORT_INFO_ID)
		json_object_set_new(diag_doc(d), "records", json_array());
	switch (my->command) {
	case NODES: return run_nodes(d, argc, argv);
	case ISSM: return run_issm(d);
	case GROUPS: return run_groups(d);
	case MEMBERS: return run_members(d, argc, argv);
	case CLASS_PORT_INFO: case BY_QUERY: break;
	}
	return run_query(d, q, argc, argv);
}

#define TYPED " If it is not a number (\"x\"), the tool prompts for it"
static const struct diag_option options[] = {
	{ 'p', "p", NULL, "get PathRecord info" },
	{ 'N', "N", NULL, "get NodeRecord info" },
	{ 'L', "L", NULL, "return the Lids of the name specified" },
	{ 'l', "l", NULL, "return the unique Lid of the name specified" },
	{ 'G', "G", NULL, "return the Guids of the name specified" },
	{ 'O', "O", NULL, "return name for the Lid specified" },
	{ 'U', "U", NULL, "return name for the Guid specified" },
	{ 's', "s", NULL,
		"return the ports that say they run a subnet manager, or have one that is disabled" },
	{ 'g', "g", NULL, "get multicast group info" },
	{ 'm', "m", NULL, "get multicast member info (of one group: saquery -m 0xC000)" },
	{ 'x', "x", NULL, "get LinkRecord info" },
	{ 'c', "c", NULL, "get the SA's class port info" },
	{ 'S', "S", NULL, "get ServiceRecord info" },
	{ 'I', "I", NULL, "get InformInfoRecord (subscription) info" },
	{ 'D', "list", NULL, "the node descriptions of the CAs" },
	{ SRC_TO_DST, "src-to-dst", "<src:dst>",
		"get the PathRecords from src to dst, which are node names or LIDs" },
	{ SGID_TO_DGID, "sgid-to-dgid", "<sgid-dgid>",
		"get the PathRecords from sgid to dgid, in IPv6 format" },
	{ SMKEY, "smkey", "<val>",
		"SM_Key for the query; default: sa_key of the configuration, otherwise 0 (not "
		"trusted)." TYPED },
	{ SLID, "slid", "<lid>", "Source LID (PathRecord)" },
	{ DLID, "dlid", "<lid>", "Destination LID (PathRecord)" },
	{ MLID, "mlid", "<lid>", "Multicast LID (MCMemberRecord)" },
	{ SGID, "sgid", "<gid>", "Source GID (IPv6 format) (PathRecord)" },
	{ DGID, "dgid", "<gid>", "Destination GID (IPv6 format) (PathRecord)" },
	{ GID, "gid", "<gid>", "Port GID (MCMemberRecord)" },
	{ MGID, "mgid", "<gid>", "Multicast GID (MCMemberRecord)" },
	{ 'r', "reversible", "<val>", "Reversible path (PathRecord)" },
	{ 'n', "numb_path", "<val>", "Number of paths (PathRecord)" },
	{ PKEY, "pkey", "<val>", "P_Key (PathRecord, MCMemberRecord)." TYPED },
	{ 'Q', "qos_class", "<val>", "QoS Class (PathRecord)" },
	{ SL, "sl", "<val>", "Service level (PathRecord, MCMemberRecord)" },
	{ 'M', "mtu", "<val>", "MTU and selector (PathRecord, MCMemberRecord)" },
	{ 'R', "rate", "<val>", "Rate and selector (PathRecord, MCMemberRecord)" },
	{ LIFE, "pkt_lifetime", "<val>",
		"Packet lifetime and selector (PathRecord, MCMemberRecord)" },
	{ 'q', "qkey", "<val>", "Q_Key (MCMemberRecord)." TYPED },
	{ 'T', "tclass", "<val>", "Traffic Class (PathRecord, MCMemberRecord)" },
	{ 'F', "flow_label", "<val>", "Flow Label (PathRecord, MCMemberRecord)" },
	{ 'H', "hop_limit", "<val>", "Hop limit (PathRecord, MCMemberRecord)" },
	{ SCOPE, "scope", "<val>", "Scope (MCMemberRecord)" },
	{ 'J', "join_state", "<val>", "Join state (MCMemberRecord)" },
	{ 'X', "proxy_join", "<val>", "Proxy join (MCMemberRecord)" },
	{ SERVICE, "service_id", "<val>", "ServiceID (PathRecord)" },
	{ 0, NULL, NULL, NULL },
};

static void
state_clear(void *state)
{
	struct saquery *my = state;

	free(my->src_to_dst);
	free(my->leads);
}

const struct diag_tool diag_tool = {
	.name = "saquery", .operands = "[query-name] [<name> | <lid> | <guid>]",
	.about = "queries records of the subnet administration",
	.masked = "DGLsy", .options = options, .ops = ops, .flags = DIAG_NAMES, .rows = "records",
	.option = option, .run = saquery_run,
	.state_bytes = sizeof(struct saquery), .clear = state_clear,
};
