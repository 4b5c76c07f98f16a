/* SPDX-License-Identifier: BSD-3-Clause */
/* How regions, bounds and candidates of a POSE chart look: see pose_chart.h. */
#include "report/pose/pose_looks.h"

const char *const wtl_pose_region_titles[WTL_POSE_DEGRADATION + 1] = {
    [WTL_POSE_STRONG_RUN_TIME] = "strong run-time optimisation",
    [WTL_POSE_WEAK_RUN_TIME] = "weak run-time optimisation",
    [WTL_POSE_POWER] = "power optimisation",
    [WTL_POSE_DEGRADATION] = "degradation",
};

const char *const wtl_pose_curve_titles[WTL_POSE_CURVES] = {
    [WTL_POSE_CURVE_PMIN] = "minimum power",
    [WTL_POSE_CURVE_PMAX] = "maximum power",
    [WTL_POSE_CURVE_OPTIMISATION_BOUND] = "optimisation bound",
    [WTL_POSE_CURVE_CONTRIBUTION_BOUND] = "contribution bound",
    [WTL_POSE_CURVE_OPTIMISATION_LIMIT] = "optimisation limit",
};

/* Tints of very different lightness, and a hatch on every other one, for prints without colours. */
static const struct {
    uint32_t color;
    enum wtl_hatch hatch;
    double tint;
} fills[WTL_POSE_DEGRADATION + 1] = {
    [WTL_POSE_STRONG_RUN_TIME] = {0x009e73, WTL_HATCH_RISING, 0.22},
    [WTL_POSE_WEAK_RUN_TIME] = {0x56b4e9, WTL_FULL, 0.3},
    [WTL_POSE_POWER] = {0xe69f00, WTL_HATCH_FALLING, 0.25},
    [WTL_POSE_DEGRADATION] = {0x8c8c8c, WTL_FULL, 0.13},
};

struct wtl_paint wtl_pose_region_paint(enum wtl_pose_region region)
{
    bool hatched = fills[region].hatch != WTL_FULL;
    return (struct wtl_paint){
        .stroke = WTL_NO_COLOR,
        .fill = wtl_palette_tint(fills[region].color, hatched ? 0.65 : fills[region].tint),
        .hatch = fills[region].hatch};
}

uint32_t wtl_pose_region_below(enum wtl_pose_region region)
{
    return fills[region].hatch == WTL_FULL
               ? 0
               : wtl_palette_tint(fills[region].color, fills[region].tint);
}

struct wtl_look wtl_pose_region_look(enum wtl_pose_region region)
{
    static const struct wtl_look looks[WTL_POSE_DEGRADATION + 1] = {
        [WTL_POSE_STRONG_RUN_TIME] = {.color = 0x006b4e, .marker = WTL_MARKER_TRIANGLE},
        [WTL_POSE_WEAK_RUN_TIME] = {.color = 0x0072b2, .marker = WTL_MARKER_SQUARE},
        [WTL_POSE_POWER] = {.color = 0xb85c00, .marker = WTL_MARKER_DIAMOND},
        [WTL_POSE_DEGRADATION] = {.color = 0x595959, .marker = WTL_MARKER_CROSS},
    };
    return looks[region];
}

struct wtl_paint wtl_pose_curve_paint(enum wtl_pose_curve curve, uint32_t color)
{
    static const struct wtl_paint paints[WTL_POSE_CURVES] = {
        [WTL_POSE_CURVE_PMIN] = {.stroke = WTL_INK, .width = 0.9},
        [WTL_POSE_CURVE_PMAX] = {.stroke = WTL_INK, .width = 0.9},
        [WTL_POSE_CURVE_OPTIMISATION_BOUND] = {.stroke = 0xd55e00, .width = 1.1},
        [WTL_POSE_CURVE_CONTRIBUTION_BOUND] = {.stroke = 0x0072b2, .width = 1, .dash = WTL_DASHED},
        [WTL_POSE_CURVE_OPTIMISATION_LIMIT] = {.stroke = 0x006b4e,
                                               .width = 1,
                                               .dash = WTL_DASH_DOT},
    };
    struct wtl_paint paint = paints[curve];
    paint.fill = WTL_NO_COLOR;
    if (color != WTL_NO_COLOR)
        paint.stroke = color;
    return paint;
}

struct wtl_paint wtl_pose_front_paint(void)
{
    return (struct wtl_paint){
        .stroke = WTL_INK, .fill = WTL_NO_COLOR, .width = 0.7, .dash = WTL_DOTTED};
}

struct wtl_paint wtl_pose_path_paint(void)
{
    return (struct wtl_paint){.stroke = 0x8c8c8c, .fill = WTL_NO_COLOR, .width = 0.6};
}
