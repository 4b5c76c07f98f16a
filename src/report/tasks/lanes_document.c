/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes as JSON: see lanes_document.h. */
#include "report/tasks/lanes_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/grow.h"
#include "report/packed.h"

static const char *const by_words[] = {"task", "region", NULL};

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* ---- lanes, types, tiles ---- */

static const struct wtl_member of_lane[] = {
    {"process", WTL_UNSIGNED_AT(struct wtl_activity_lane, pid), .meaning = "its number"},
    {"thread", WTL_UNSIGNED_AT(struct wtl_activity_lane, tid), .meaning = "its number"},
    {"name", WTL_TEXT_OR_NULL(struct wtl_activity_lane, name),
     .meaning = "name of the thread, or command of its process"},
    {"rank", WTL_INT_OR_NULL(struct wtl_activity_lane, rank), .meaning = "of MPI"},
    {"core", WTL_INT_OR_NULL(struct wtl_activity_lane, core),
     .meaning = "CPU whose time the lane shows; null: the lane is that of a thread"},
    {.key = NULL}};
static const struct wtl_noun lane_noun = {"lane", of_lane};

WTL_MEMBER_GET(type_kind)
{
    wtl_value_text(ret, wtl_activity_kind_name(((const struct wtl_activity_type *)of)->kind));
}

WTL_MEMBER_GET(type_works)
{
    wtl_value_bool(ret, wtl_activity_type_works((const struct wtl_activity_type *)of));
}

static const struct wtl_member of_type[] = {
    {"name", WTL_TEXT_AT(struct wtl_activity_type, name),
     .meaning = "of the task, the function, the call; empty: unknown"},
    {"kind", WTL_MEMBER_TEXT, .get = type_kind,
     .meaning = "`task`, `region`, or a state such as `MPI`, `idle`"},
    {"works", WTL_MEMBER_BOOLEAN, .get = type_works,
     .meaning = "a thread that does this works; false: it waits"},
    {"count", WTL_COUNT_AT(struct wtl_activity_type, count), .meaning = "how often it began"},
    {"time_s", WTL_SECONDS_AT(struct wtl_activity_type, time_ns),
     .meaning = "while nothing else was above it, sum over the threads"},
    {.key = NULL}};
static const struct wtl_noun type_noun = {"activity type", of_type};

static const struct wtl_member of_tile[] = {
    {"level", WTL_UNSIGNED_AT(struct wtl_report_tile, level), .meaning = "0 covers everything"},
    {"index", WTL_COUNT_AT(struct wtl_report_tile, index),
     .meaning = "from 0; tile i of a level has the tiles 4 i to 4 i + 3 of the next level inside"},
    {"data", WTL_TEXT_AT(struct wtl_report_tile, data), .meaning = "base64, below"},
    {.key = NULL}};
static const struct wtl_noun tile_noun = {"tile", of_tile};

/* ---- inefficient stretches ---- */

struct stretch {
    const struct wtl_waste_stretch *of;
    double begin_s, end_s;
    int64_t type;
};

WTL_MEMBER_GET(stretch_type)
{
    const struct stretch *stretch = of;
    wtl_value_integer(ret, stretch->type, stretch->type >= 0);
}

static const struct wtl_member of_stretch[] = {
    {"begin_s", WTL_NUMBER_AT(struct stretch, begin_s), .meaning = "when"},
    {"end_s", WTL_NUMBER_AT(struct stretch, end_s), .meaning = "likewise"},
    {"energy_j", WTL_NUMBER_AT(struct wtl_waste_stretch, energy_j), WTL_VIA(struct stretch, of),
     .meaning = "of the total"},
    {"mean_w", WTL_NUMBER_AT(struct wtl_waste_stretch, mean_w), WTL_VIA(struct stretch, of),
     .meaning = "of the total"},
    {"working", WTL_NUMBER_AT(struct wtl_waste_stretch, working), WTL_VIA(struct stretch, of),
     .meaning = "threads that work, on average"},
    {"waiting_j", WTL_NUMBER_AT(struct wtl_waste_stretch, waiting_j), WTL_VIA(struct stretch, of),
     .meaning = "`energy_j` x (1 - `working` / `full_threads`)"},
    {"type", WTL_MEMBER_INTEGER, .nullable = true, .get = stretch_type,
     .meaning = "what the threads that did not work did most, index in `types`; null: nothing is "
                "known"},
    {.key = NULL}};
static const struct wtl_noun stretch_noun = {"inefficient stretch", of_stretch};

static bool next_stretch(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_report_lanes *lanes = of;
    if (*cursor >= lanes->waste.count)
        return false;
    const struct wtl_waste_stretch *at = &lanes->waste.stretches[(*cursor)++];
    const struct stretch stretch = {.of = at,
                                    .begin_s =
                                        (double)(int64_t)(at->begin_ns - lanes->start_ns) * 1e-9,
                                    .end_s = (double)(int64_t)(at->end_ns - lanes->start_ns) * 1e-9,
                                    .type = at->type == UINT32_MAX ? -1 : (int64_t)at->type};
    wtl_value_copy(ret, &stretch, sizeof stretch);
    return true;
}

static const struct wtl_member of_waste[] = {
    {"problem", WTL_TEXT_OR_NULL(struct wtl_report_lanes, waste.problem),
     .meaning = "why the rule could not be applied; null: it was"},
    {"activity", WTL_NUMBER_AT(struct wtl_report_lanes, waste.rule.activity),
     .meaning = "the rule: at most this share of `full_threads` works ..."},
    {"power", WTL_NUMBER_AT(struct wtl_report_lanes, waste.rule.power),
     .meaning = "... at no less than this share of `full_w`"},
    {"cell_s", WTL_SECONDS_AT(struct wtl_report_lanes, waste.cell_ns),
     .meaning = "length of the parts that were judged"},
    {"full_threads", WTL_NUMBER_OR_NULL(struct wtl_report_lanes, waste.full_threads),
     .meaning = "95th percentile of the threads that work"},
    {"full_w", WTL_NUMBER_OR_NULL(struct wtl_report_lanes, waste.full_w),
     .meaning = "median power of the total while at least 90 % of them work"},
    {"time_s", WTL_NUMBER_AT(struct wtl_report_lanes, waste.time_s),
     .meaning = "of all inefficient stretches"},
    {"energy_j", WTL_NUMBER_AT(struct wtl_report_lanes, waste.energy_j), .meaning = "likewise"},
    {"waiting_j", WTL_NUMBER_AT(struct wtl_report_lanes, waste.waiting_j), .meaning = "likewise"},
    {"stretches", WTL_MEMBER_LIST, .next = next_stretch, .of = &stretch_noun,
     .meaning = "the most `waiting_j` first"},
    {"left_out", WTL_SIZE_AT(struct wtl_report_lanes, waste.left_out),
     .meaning = "stretches left out (at most 100 are listed)"},
    {.key = NULL}};
static const struct wtl_noun waste_noun = {"inefficiency", of_waste};

/* ---- the whole ---- */

WTL_MEMBER_GET(bin_ns)
{
    wtl_value_count(ret, ((const struct wtl_report_lanes *)of)->lanes.pyramid.bin_ns);
}

WTL_MEMBER_GET(pieces)
{
    wtl_value_count(ret, wtl_piece_store_count(((const struct wtl_report_lanes *)of)->lanes.store));
}

static const struct wtl_member of_lanes[] = {
    {"by", WTL_WORD_AT(struct wtl_report_lanes, lanes.by, by_words),
     .meaning = "`task`: tasks and states; `region`: regions, since there are no tasks"},
    {"lanes", WTL_LIST_AT(struct wtl_report_lanes, lanes.lanes, lanes.lane_count, lane_noun),
     .meaning = "threads, then cores if it is known on which ones the threads were"},
    {"types", WTL_LIST_AT(struct wtl_report_lanes, lanes.types, lanes.type_count, type_noun),
     .meaning = "what they did"},
    {"begin_s", WTL_NUMBER_AT(struct wtl_report_lanes, begin_s),
     .meaning = "begin of the tile of level 0"},
    {"bin_ns", WTL_MEMBER_INTEGER, .unit = "ns", .get = bin_ns,
     .meaning = "length of a bin of level 0; of each next level a quarter"},
    {"pieces", WTL_MEMBER_INTEGER, .get = pieces,
     .meaning = "uninterrupted pieces of the time of the lanes"},
    {"tiles", WTL_LIST_AT(struct wtl_report_lanes, tiles, tile_count, tile_noun),
     .meaning = "coarse ones first, below"},
    {"complete", WTL_BOOLEAN_AT(struct wtl_report_lanes, complete),
     .meaning = "all tiles are there; false: the finest would have made the file too large"},
    {"served", WTL_BOOLEAN_AT(struct wtl_report_lanes, served),
     .meaning = "the page comes from `wattle report --serve`, which has all tiles"},
    {"summary_s", WTL_SECONDS_AT(struct wtl_report_lanes, lanes.summary_ns),
     .meaning = "`--tasks=summary`: within parts of this length only the times of the types are "
                "known, not their order; 0: the order is known"},
    {"ends_missing", WTL_COUNT_AT(struct wtl_report_lanes, lanes.faults.ends_missing),
     .meaning = "activities whose end was not recorded"},
    {"begins_missing", WTL_COUNT_AT(struct wtl_report_lanes, lanes.faults.begins_missing),
     .meaning = "ends without a begin"},
    {"cut_processes", WTL_COUNT_AT(struct wtl_report_lanes, lanes.faults.cut_processes),
     .meaning = "processes whose tasks were not recorded beyond the size limit"},
    {"waste", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &waste_noun,
     .meaning = "inefficient stretches: low activity at high power, below"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_lanes = {"task lanes", of_lanes};
/* NOLINTEND(bugprone-macro-parentheses) */

/* The tiles of a level below those of `parents`, whose indices become the level's; bytes are counted down. */
struct walk {
    struct wtl_report_lanes *lanes;
    struct wtl_tile_bytes bytes;
    uint64_t *next; /* tiles with others below */
    size_t next_count;
    uint64_t left;
    struct wattle_error *err;
};

static int add_tile(struct walk *walk, unsigned level, uint64_t index)
{
    struct wtl_report_lanes *lanes = walk->lanes;
    bool leaf;
    int rc = wtl_activity_tile(&lanes->lanes.pyramid, level, index, &walk->bytes, &leaf, walk->err);
    if (rc < 0)
        return rc;
    if (walk->bytes.size > walk->left && level > 0) {
        lanes->complete = false;
        return 0;
    }
    walk->left -= walk->bytes.size < walk->left ? walk->bytes.size : walk->left;
    if (wtl_grow(&lanes->tiles, lanes->tile_count, sizeof *lanes->tiles) < 0)
        return -ENOMEM;
    struct wtl_report_tile tile = {level, index, wtl_base64(walk->bytes.data, walk->bytes.size)};
    if (!tile.data)
        return -ENOMEM;
    lanes->tiles[lanes->tile_count++] = tile;
    if (leaf)
        return 0;
    if (wtl_grow(&walk->next, walk->next_count, sizeof *walk->next) < 0)
        return -ENOMEM;
    walk->next[walk->next_count++] = index;
    return 0;
}

/* Level by level, until there is no room. */
static int add_tiles(struct wtl_report_lanes *lanes, uint64_t most_bytes, struct wattle_error *err)
{
    struct walk walk = {.lanes = lanes, .left = most_bytes, .err = err};
    lanes->complete = true;
    int rc = add_tile(&walk, 0, 0);
    for (unsigned level = 1; rc == 0 && walk.next_count > 0 && lanes->complete; level++) {
        uint64_t *parents = walk.next;
        size_t count = walk.next_count;
        walk.next = NULL;
        walk.next_count = 0;
        for (size_t i = 0; rc == 0 && i < count * WTL_TILE_PARTS && lanes->complete; i++)
            rc = add_tile(&walk, level,
                          parents[i / WTL_TILE_PARTS] * WTL_TILE_PARTS + i % WTL_TILE_PARTS);
        free(parents);
    }
    free(walk.next);
    free(walk.bytes.data);
    return rc;
}

int wtl_report_lanes_read(struct wtl_report_lanes *lanes,
                          struct wtl_trace_reader *reader,
                          const struct wtl_result *result,
                          uint64_t start_ns,
                          uint64_t most_bytes,
                          struct wattle_error *err)
{
    const struct wtl_waste_rule rule = WTL_WASTE_RULE;
    *lanes = (struct wtl_report_lanes){.start_ns = start_ns, .served = lanes->served};
    int rc = wtl_activity_lanes_read(reader, &lanes->lanes, err);
    if (rc < 0 || lanes->lanes.lane_count == 0)
        return rc;
    lanes->begin_s = (double)(int64_t)(lanes->lanes.pyramid.begin_ns - start_ns) * 1e-9;
    rc = wtl_waste_find(reader, &lanes->lanes, result, &rule, &lanes->waste, err);
    return rc < 0 ? rc : add_tiles(lanes, most_bytes, err);
}

void wtl_report_lanes_fini(struct wtl_report_lanes *lanes)
{
    wtl_waste_fini(&lanes->waste);
    if (lanes->lanes.store)
        wtl_activity_lanes_fini(&lanes->lanes);
    for (size_t i = 0; i < lanes->tile_count; i++)
        free(lanes->tiles[i].data);
    free(lanes->tiles);
    *lanes = (struct wtl_report_lanes){0};
}
