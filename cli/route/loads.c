#include <config.h>
#include "cli/route/loads.h"
void
loads_draw(struct tool *t, const struct view *v)
{
	(void)t; (void)v;
}
