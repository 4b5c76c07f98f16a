/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tasks/platform_document.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define FOUND(kind, field)    kind(struct wtl_platform_found, field)
#define DOCUMENT(kind, field) kind(struct wtl_platform_document, field)

static const struct wtl_member of_found[] = {
    {"channel", FOUND(WTL_TEXT_AT, name), .meaning = "total, or a power channel"},
    {"idle_w", FOUND(WTL_NUMBER_OR_NULL, idle_w), .meaning = "P_Y: the idle machine"},
    {"idle_half_w", FOUND(WTL_NUMBER_OR_NULL, idle_half_w),
     .meaning = "half its 95 % interval; null: one round"},
    {"static_w", FOUND(WTL_NUMBER_OR_NULL, static_w),
     .meaning = "P_S: what it takes more as soon as anything runs; negative, something else ran, "
                "and 0 is stored"},
    {"static_half_w", FOUND(WTL_NUMBER_OR_NULL, static_half_w), .meaning = "likewise"},
    {"alpha_w", FOUND(WTL_NUMBER_OR_NULL, line.alpha_w), .meaning = "P(c) = alpha + core c"},
    {"core_w", FOUND(WTL_NUMBER_OR_NULL, line.beta_w), .meaning = "of each further busy core"},
    {"core_half_w", FOUND(WTL_NUMBER_OR_NULL, line.beta_half_w), .meaning = "likewise"},
    {"spread", FOUND(WTL_NUMBER_AT, spread), .unit = "",
     .meaning = "the most that a round is off the median of its number of threads: 0.05 = 5 %"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_platform_row = {"platform channel", of_found};

static const struct wtl_member of_document[] = {
    {"node", DOCUMENT(WTL_TEXT_OR_NULL, node), .meaning = "whose calibration this is"},
    {"date", DOCUMENT(WTL_TEXT_AT, date), .meaning = "when it was measured"},
    {"path", DOCUMENT(WTL_TEXT_AT, path), .meaning = "the file that it is stored in"},
    {"quality", DOCUMENT(WTL_TEXT_AT, quality), .meaning = "of the power"},
    {"simulated", DOCUMENT(WTL_BOOLEAN_AT, simulated), .meaning = "of a simulated node"},
    {"threads", DOCUMENT(WTL_UNSIGNED_AT, threads), .meaning = "most threads of the load"},
    {"runs", DOCUMENT(WTL_UNSIGNED_AT, rounds), .meaning = "rounds"},
    {"busy_cpus", DOCUMENT(WTL_NUMBER_OR_NULL, busy_cpus), .unit = "",
     .meaning = "that other programs used while the idle machine was measured"},
    {"channels", WTL_LIST_AT(struct wtl_platform_document, found, count, wtl_noun_platform_row),
     .meaning = "below"},
    {.key = NULL}};
/* NOLINTEND(bugprone-macro-parentheses) */
const struct wtl_noun wtl_noun_platform = {"calibration of tasks", of_document};
