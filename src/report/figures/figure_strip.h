/* SPDX-License-Identifier: BSD-3-Clause */
/* The strip under the power: which regions were open when, a line for each thread and depth. */
#ifndef WTL_REPORT_FIGURE_STRIP_H
#define WTL_REPORT_FIGURE_STRIP_H

#include "analysis/regions/bands.h"
#include "report/figures/figure_kind.h"

struct wtl_figure_strip {
    struct wtl_bands bands; /* row_count 0 = the program recorded no regions */
};

int wtl_figure_strip_read(struct wtl_figure *figure,
                          struct wtl_figure_strip *strip,
                          struct wattle_error *err);
void wtl_figure_strip_fini(struct wtl_figure_strip *strip);

/* Points; 0 = none. */
double wtl_figure_strip_height(const struct wtl_figure_strip *strip);

/* Fill entries, at most names and one for those that were joined: their number. */
size_t wtl_figure_strip_legend(const struct wtl_figure_strip *strip, struct wtl_legend *entries);

/* Into a panel whose y goes from 0 to 1. */
void wtl_figure_strip_draw(const struct wtl_figure *figure,
                           const struct wtl_figure_strip *strip,
                           const struct wtl_axes *axes,
                           const struct wtl_panel *panel);

void wtl_figure_strip_say(struct wtl_figure *figure, const struct wtl_figure_strip *strip);

#endif
