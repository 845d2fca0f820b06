/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * object.c - protection domains, address handles, XRC domains: mainly counts of users.
 * Room: verbs/soft/core.  Pure.
 */
#include <config.h>
#include "verbs/soft/core/core.h"

/* True when 'h' can send along 'a'. */
bool
soft_av_ok(const struct soft_hca *h, const struct ibv_ah_attr *a)
{
	(void)h;
	if (a->port_num < 1 || a->port_num > SOFT_PORTS || a->sl > 15 || a->src_path_bits)
		return false;
	if (!a->dlid || a->dlid == 0xffff)
		return false;
	return !a->is_global || a->grh.sgid_index < SOFT_GIDS;
}

int
soft_pd_alloc(struct verbs_dev *pub, struct verbs_pd **out)
{
	struct soft_dev *d = SOFT_DEV(pub);
	struct soft_pd *p;

	if (d->hca->fatal)
		return -EIO;
	p = xcalloc(1, sizeof(*p));
	p->pub.dev = pub;
	d->live.pd++;
	*out = &p->pub;
	return 0;
}

int
soft_pd_dealloc(struct verbs_pd *pub)
{
	struct soft_pd *p = SOFT_PD(pub);

	if (p->users)
		return -EBUSY;
	SOFT_DEV(pub->dev)->live.pd--;
	free(p);
	return 0;
}

int
soft_ah_create(struct verbs_pd *pub, const struct ibv_ah_attr *attr, struct verbs_ah **out)
{
	struct soft_dev *d = SOFT_DEV(pub->dev);
	struct soft_ah *a;

	if (d->hca->fatal)
		return -EIO;
	if (!soft_av_ok(d->hca, attr))
		return -EINVAL;
	a = xcalloc(1, sizeof(*a));
	a->pub = (struct verbs_ah){ .dev = pub->dev, .ibv = &a->ibv };
	a->pd = SOFT_PD(pub);
	a->pd->users++;
	a->attr = *attr;
	d->live.ah++;
	*out = &a->pub;
	return 0;
}

int
soft_ah_destroy(struct verbs_ah *pub)
{
	struct soft_ah *a = SOFT_AH(pub);

	a->pd->users--;
	SOFT_DEV(pub->dev)->live.ah--;
	free(a);
	return 0;
}

int
soft_xrcd_open(struct verbs_dev *pub, struct verbs_xrcd **out)
{
	struct soft_dev *d = SOFT_DEV(pub);
	struct soft_xrcd *x;

	if (d->hca->fatal)
		return -EIO;
	if (!(pub->caps & VERBS_CAP(XRC)))
		return -ENOTSUP;
	x = xcalloc(1, sizeof(*x));
	x->pub.dev = pub;
	d->live.xrcd++;
	*out = &x->pub;
	return 0;
}

int
soft_xrcd_close(struct verbs_xrcd *pub)
{
	struct soft_xrcd *x = SOFT_XRCD(pub);

	if (x->users)
		return -EBUSY;
	SOFT_DEV(pub->dev)->live.xrcd--;
	free(x);
	return 0;
}
