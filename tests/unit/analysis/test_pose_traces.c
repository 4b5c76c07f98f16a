/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes from traces whose content is known: run time, energy, spread, remarks, and everything that
 * is refused. */
#include "analysis/pose/pose_traces.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "trace/writer.h"

#include "tap.h"

#define SECOND UINT64_C(1000000000)

/* A node with two packages and a memory, each at constant power; 10 samples per second. */
struct made {
    double seconds;
    double package_w[2], dram_w;
    const char *host, *command, *exit_code;
    enum wattle_quality quality;
    bool simulated, no_energy, board_only, no_dram, unfinished;
    bool no_ratio; /* an estimate without a stated accuracy */
    int gap;       /* reason + 1 over gap_s, from 2 s on, of package 0 */
    double gap_s;
    double region_s; /* "solve", from 1 s on; 0 = no regions */
};

static const struct made plain = {.seconds = 10,
                                  .package_w = {50, 30},
                                  .dram_w = 8,
                                  .host = "n1",
                                  .command = "./app",
                                  .region_s = 4};

static struct wattle_channel channel_of(const char *domain_name, int index)
{
    struct wattle_channel c = {.sensor = "powercap",
                               .index = index,
                               .sub = -1,
                               .quantity = WATTLE_ENERGY,
                               .kind = WATTLE_COUNTER,
                               .flags = WATTLE_CHANNEL_PRIMARY,
                               .scale = 1e-6,
                               .refresh_ns = 1000000};
    (void)snprintf(c.name, sizeof c.name, "powercap:%s-%d", domain_name, index);
    for (int d = 0; d < WATTLE_DOMAIN_COUNT; d++) {
        if (strcmp(wattle_domain_name((enum wattle_domain)d), domain_name) == 0)
            c.domain = (enum wattle_domain)d;
    }
    return c;
}

static void make_marks(struct wtl_trace_writer *w, double seconds)
{
    struct wtl_trace_process process = {.pid = 77, .rank = -1, .command = "app"};
    int p = wtl_trace_writer_process(w, &process);
    struct wtl_trace_thread thread = {.process = (uint32_t)p, .tid = 78, .name = ""};
    uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "solve");
    struct wtl_mark marks[] = {
        {.time_ns = 101 * SECOND, .thread = t, .name = name, .kind = WTL_MARK_BEGIN},
        {.time_ns = 101 * SECOND + (uint64_t)(seconds * 1e9),
         .thread = t,
         .name = name,
         .kind = WTL_MARK_END}};
    (void)wtl_trace_writer_marks(w, marks, 2);
}

static uint32_t add_channel(struct wtl_trace_writer *w,
                            const struct made *made,
                            struct wattle_channel c)
{
    c.quality = made->quality;
    if (made->quality == WATTLE_ESTIMATED && !made->no_ratio) {
        c.ratio_low = 0.8;
        c.ratio_high = 1.3;
    }
    if (made->simulated)
        c.flags |= WATTLE_CHANNEL_SIMULATED;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &c);
    return id;
}

static void make_samples(struct wtl_trace_writer *w, const struct made *made, size_t n)
{
    struct wattle_channel heat = {.name = "thermal:core-0",
                                  .sensor = "thermal",
                                  .domain = WATTLE_DOMAIN_CORE,
                                  .sub = -1,
                                  .quantity = WATTLE_TEMPERATURE,
                                  .kind = WATTLE_GAUGE,
                                  .scale = 1};
    double power[3] = {made->package_w[0], made->package_w[1], made->dram_w};
    uint32_t ids[3];
    if (made->no_energy)
        ids[0] = ids[1] = ids[2] = (uint32_t)wtl_trace_writer_channel(w, &heat);
    else if (made->board_only) {
        ids[0] = add_channel(w, made, channel_of("board", 0));
        ids[1] = add_channel(w, made, channel_of("board", 1));
    } else {
        ids[0] = add_channel(w, made, channel_of("package", 0));
        ids[1] = add_channel(w, made, channel_of("package", 1));
        if (!made->no_dram)
            ids[2] = add_channel(w, made, channel_of("dram", 0));
        (void)wtl_trace_writer_channel(w, &heat);
    }
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, n, 0);
    struct wtl_clock_pair pair = {99 * SECOND, 99 * SECOND, 1700000000 * SECOND};
    (void)wtl_trace_writer_clocks(w, &pair);
    (void)wtl_trace_writer_window_begin(w, 100 * SECOND);
    uint64_t step = SECOND / 10, end = 100 * SECOND + (uint64_t)(made->seconds * 1e9);
    uint64_t gap_from = 102 * SECOND, gap_to = gap_from + (uint64_t)(made->gap_s * 1e9);
    bool ended = false;
    for (uint64_t now = 99 * SECOND; now <= end + SECOND; now += step) {
        uint64_t ticks[3];
        uint8_t missing[3] = {made->gap && now > gap_from && now < gap_to};
        for (size_t k = 0; k < n; k++)
            ticks[k] = (uint64_t)(power[k] * (double)(now - 99 * SECOND) * 1e-3);
        if (now > end && !ended && !made->unfinished) {
            (void)wtl_trace_writer_window_end(w, end);
            ended = true;
        }
        if (made->gap && now == gap_to) {
            struct wtl_gap gap = {.channel = ids[0],
                                  .reason = (enum wtl_gap_reason)(made->gap - 1),
                                  .begin_ns = gap_from,
                                  .end_ns = gap_to};
            (void)wtl_trace_writer_gap(w, &gap);
        }
        (void)wtl_trace_writer_row(w, group, now, ticks, missing);
    }
}

static void make(const char *path, struct made made)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *w;
    if (wtl_trace_writer_create(path, &options, &w, NULL) < 0)
        exit(1);
    if (made.host)
        (void)wtl_trace_writer_meta(w, "host.name", made.host);
    if (made.command)
        (void)wtl_trace_writer_meta(w, "run.command", made.command);
    if (made.exit_code)
        (void)wtl_trace_writer_meta(w, "run.exit_code", made.exit_code);
    make_samples(w, &made, made.no_energy ? 1 : made.board_only || made.no_dram ? 2 : 3);
    if (made.region_s > 0)
        make_marks(w, made.region_s);
    if (!made.unfinished) {
        if (wtl_trace_writer_finish(w, NULL) < 0)
            exit(1);
        return;
    }
    (void)wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
}

static char path_1[] = "pose-1.wtl", path_2[] = "pose-2.wtl", path_3[] = "pose-3.wtl";
static char *const paths[] = {path_1, path_2, path_3};

static const char *flag_of(const struct wtl_pose_subject *subject, const char *name)
{
    for (size_t i = 0; i < subject->flag_count; i++) {
        if (strcmp(subject->flags[i].name, name) == 0)
            return subject->flags[i].text;
    }
    return NULL;
}

/* ---- reading ---- */

static void test_one(void)
{
    static const struct {
        int line;
        const char *channel, *region;
        double t_s, power_w;
        const char *contains;
    } rows[] = {
        {__LINE__, NULL, NULL, 10, 88, "package of 2 sockets + dram of 1 socket"},
        {__LINE__, "total", NULL, 10, 88, "package of 2 sockets + dram of 1 socket"},
        {__LINE__, "powercap:package-1", NULL, 10, 30, "powercap:package-1"},
        {__LINE__, "package", NULL, 10, 80, "package: sum of 2 channels"},
        {__LINE__, "dram", NULL, 10, 8, "powercap:dram-0"},
        {__LINE__, NULL, "solve", 4, 88, "package of 2 sockets + dram of 1 socket"},
        {__LINE__, "package", "solve", 4, 80, "package: sum of 2 channels"},
    };
    make(paths[0], plain);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_pose_subject s;
        struct wattle_error err = {""};
        if (!is_int(wtl_pose_subject_of_traces(paths, 1, rows[i].channel, rows[i].region, &s, &err),
                    0, "read %s", err.text))
            continue;
        is_double(s.code.t_s, rows[i].t_s, 1e-9, "run time");
        is_double(s.code.e_j, rows[i].t_s * rows[i].power_w, s.doubt.e_resolution_j + 1e-3,
                  "energy");
        ok(s.doubt.e_resolution_j > 0 && s.doubt.e_resolution_j < 0.01 * s.code.e_j,
           "resolution: %g J", s.doubt.e_resolution_j);
        ok(isnan(s.code.pmin_w) && isnan(s.code.pmax_w), "the bounds are for others to fill");
        is_str(s.contains, rows[i].contains, "of what");
        is_str(s.region, rows[i].region, "region");
        is_str(s.label, "./app", "the command is its name");
        is_str(s.group, "n1", "the node its group");
        is_int(s.origin, WTL_POSE_TRACE, "origin");
        is_int(s.quality, WATTLE_MEASURED, "quality");
        ok(!s.simulated, "not simulated");
        is_int(s.doubt.runs, 1, "one run");
        is_str(s.traces[0], paths[0], "its path");
        is_str(s.results[0].trace, paths[0], "its result");
        const char *few = flag_of(&s, "FEW_RUNS");
        ok(few && strstr(few, "run-to-run variation is unknown: 1 run,"), "says: %s",
           few ? few : "nothing");
        is_int(s.flag_count, 1, "and no more");
        wtl_pose_subject_fini(&s);
    }
    tap_line = 0;
}

static void test_repeats(void)
{
    struct wtl_pose_subject s;
    struct wattle_error err = {""};
    struct made made = plain;
    make(paths[0], made);
    made.seconds = 11;
    made.package_w[0] = 52;
    make(paths[1], made);
    made.seconds = 12;
    make(paths[2], made);
    if (!is_int(wtl_pose_subject_of_traces(paths, 3, NULL, NULL, &s, &err), 0, "three runs %s",
                err.text))
        return;
    /* 880, 990, 1080 J: their sum of squares around 983.333 is 20066.667 */
    is_double(s.code.t_s, 11, 1e-9, "mean run time");
    is_double(s.code.e_j, 2950.0 / 3, 0.2, "mean energy");
    is_double(s.doubt.t_sd_s, 1, 1e-9, "spread of run time");
    is_double(s.doubt.e_sd_j, sqrt(20066.667 / 2), 0.2, "spread of energy");
    is_double(s.doubt.correlation, 200 / sqrt(2 * 20066.667), 1e-3, "correlation");
    is_int(s.doubt.runs, 3, "runs");
    is_int(s.flag_count, 0, "nothing to say");
    wtl_pose_subject_fini(&s);
    is_int(wtl_pose_subject_of_traces(paths, 2, NULL, NULL, &s, &err), 0, "two runs %s", err.text);
    ok(isnan(s.doubt.t_sd_s) && flag_of(&s, "FEW_RUNS"), "have no spread, which is said");
    wtl_pose_subject_fini(&s);
}

static void test_estimated(void)
{
    struct wtl_pose_subject one, two;
    struct wattle_error err = {""};
    struct made made = plain;
    made.quality = WATTLE_ESTIMATED;
    made.simulated = true;
    make(paths[0], made);
    make(paths[1], made);
    if (!is_int(wtl_pose_subject_of_traces(paths, 1, NULL, NULL, &one, &err), 0, "estimated %s",
                err.text) ||
        !is_int(wtl_pose_subject_of_traces(paths, 2, NULL, NULL, &two, &err), 0, "two %s",
                err.text))
        return;
    is_int(one.quality, WATTLE_ESTIMATED, "is said");
    ok(one.simulated, "as is that it is simulated");
    is_double(one.doubt.e_resolution_j, 880 * 0.25, 1, "its model may be wrong by -20 to +30 %%");
    is_double(two.doubt.e_resolution_j, 880 * 0.25, 1, "also over two runs");
    is_double(two.doubt.e_low_j, 880 * 0.8, 1, "lopsided: from");
    is_double(two.doubt.e_high_j, 880 * 1.3, 1, "to");
    wtl_pose_subject_fini(&one);
    wtl_pose_subject_fini(&two);
}

/* ---- remarks ---- */

static void test_said(void)
{
    static const struct {
        int line;
        int gap;
        double gap_s;
        const char *exit_code;
        bool unfinished;
        const char *flag, *said;
    } rows[] = {
        {__LINE__, 1 + WTL_GAP_READ_FAILED, 2, NULL, false, "GAPS",
         "pose-1.wtl: powercap:package-0 has no readings over 2 s of 1000 s; its counter kept "
         "counting"},
        {__LINE__, 1 + WTL_GAP_STALLED, 0.3, NULL, false, "GAPS",
         "pose-1.wtl: the energy of 0.3 s of 1000 s is missing from powercap:package-0; the "
         "intervals include this"},
        {__LINE__, 0, 0, "3", false, "FAILED", "pose-1.wtl: the command ended with status 3"},
        {__LINE__, 0, 0, NULL, true, "UNFINISHED", "counted up to the last sample"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_pose_subject s;
        struct wattle_error err = {""};
        struct made made = plain;
        made.seconds = 1000;
        made.gap = rows[i].gap;
        made.gap_s = rows[i].gap_s;
        made.exit_code = rows[i].exit_code;
        made.unfinished = rows[i].unfinished;
        make(paths[0], made);
        if (!is_int(wtl_pose_subject_of_traces(paths, 1, NULL, NULL, &s, &err), 0, "read %s",
                    err.text))
            continue;
        const char *text = flag_of(&s, rows[i].flag);
        ok(text && strstr(text, rows[i].said), "%s: %s", rows[i].flag, text ? text : "nothing");
        is_double(s.code.e_j / s.code.t_s, 88, 0.1, "mean power");
        is_int(s.flag_count, 2, "no more but the number of runs");
        if (rows[i].gap == 1 + WTL_GAP_STALLED)
            ok(s.doubt.e_resolution_j > 88000 * 3e-4, "the interval holds it: %g J",
               s.doubt.e_resolution_j);
        wtl_pose_subject_fini(&s);
    }
    tap_line = 0;
}

/* Missing energy is in no interval if there is none. */
static void test_gap_without_interval(void)
{
    struct wtl_pose_subject s;
    struct wattle_error err = {""};
    struct made made = plain;
    made.seconds = 1000;
    made.gap = 1 + WTL_GAP_STALLED;
    made.gap_s = 0.3;
    made.quality = WATTLE_ESTIMATED;
    made.no_ratio = true;
    make(paths[0], made);
    if (!is_int(wtl_pose_subject_of_traces(paths, 1, NULL, NULL, &s, &err), 0, "read %s", err.text))
        return;
    const char *text = flag_of(&s, "GAPS");
    ok(isnan(s.doubt.e_resolution_j), "there is no interval");
    ok(text && strstr(text, "the intervals do not include this"), "GAPS: %s",
       text ? text : "nothing");
    wtl_pose_subject_fini(&s);
}

static void test_doubtful_repeats(void)
{
    struct wtl_pose_subject s;
    struct wattle_error err = {""};
    struct made made = plain;
    make(paths[0], made);
    made.command = "./other";
    make(paths[1], made);
    if (is_int(wtl_pose_subject_of_traces(paths, 2, NULL, NULL, &s, &err), 0, "read %s",
               err.text)) {
        is_str(
            flag_of(&s, "COMMANDS"),
            "pose-1.wtl ran \"./app\" but pose-2.wtl ran \"./other\": check that they are repeats",
            "says so");
        wtl_pose_subject_fini(&s);
    }
}

/* ---- refusals ---- */

static void test_refused(void)
{
    static const struct {
        int line;
        struct made made;
        const char *channel, *region;
        int rc;
        const char *said;
    } rows[] = {
        {__LINE__,
         {.seconds = 10, .no_energy = true},
         NULL,
         NULL,
         -ENODATA,
         "pose-1.wtl: no energy or power channel was recorded, only: thermal:core-0; run \"wattle "
         "sensors\""},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .board_only = true},
         NULL,
         NULL,
         -ENODATA,
         "select one with --channel: powercap:board-0, powercap:board-1"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .board_only = true},
         "board",
         NULL,
         -ENODATA,
         "pose-1.wtl: the 2 channels of \"board\" may contain each other"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}},
         "powercap:package-7",
         NULL,
         -ENODATA,
         "available: powercap:package-0, powercap:package-1, powercap:dram-0; did you mean "
         "\"powercap:package-0\"?"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}},
         "gpu",
         NULL,
         -ENODATA,
         "no energy channel or domain \"gpu\""},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}},
         "thermal:core-0",
         NULL,
         -ENODATA,
         "channel thermal:core-0 measures temperature, not energy"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .gap = 1 + WTL_GAP_RESET, .gap_s = 2},
         NULL,
         NULL,
         -ENODATA,
         "powercap:package-0 has gaps of 2 s in the run of 10 s (20 %), so the energy of the "
         "code is unknown"},
        {__LINE__, {.seconds = 10}, NULL, NULL, -ENODATA, "no energy counted in 10 s"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}},
         NULL,
         "solve",
         -ENODATA,
         "no region \"solve\": the program recorded no regions"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .region_s = 3},
         NULL,
         "solv",
         -ENODATA,
         "no region \"solv\"; available: solve; did you mean \"solve\"?"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .region_s = 3},
         NULL,
         "",
         -ENODATA,
         "no region \"\""},
        {__LINE__,
         {.seconds = 10,
          .package_w = {50, 30},
          .region_s = 3,
          .gap = 1 + WTL_GAP_RESET,
          .gap_s = 0.5},
         NULL,
         "solve",
         -ENODATA,
         "the energy of region \"solve\" is unknown because of gaps"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_pose_subject s = {.label = NULL};
        struct wattle_error err = {""};
        make(paths[0], rows[i].made);
        is_int(wtl_pose_subject_of_traces(paths, 1, rows[i].channel, rows[i].region, &s, &err),
               rows[i].rc, "refused");
        ok(strstr(err.text, rows[i].said), "says: %s", err.text);
        ok(!s.results && !s.traces, "nothing was filled");
    }
    tap_line = 0;
}

static void test_other_channel(void)
{
    struct wtl_pose_subject s;
    struct wattle_error err = {""};
    struct made made = plain;
    made.gap = 1 + WTL_GAP_RESET;
    made.gap_s = 2;
    make(paths[0], made);
    if (is_int(wtl_pose_subject_of_traces(paths, 1, "powercap:package-1", NULL, &s, &err), 0,
               "a channel without the gap is read %s", err.text)) {
        is_double(s.code.e_j, 300, 0.5, "its energy");
        wtl_pose_subject_fini(&s);
    }
    made.region_s = 0.9;
    make(paths[0], made);
    if (is_int(wtl_pose_subject_of_traces(paths, 1, NULL, "solve", &s, &err), 0,
               "a region in front of the gap is read %s", err.text)) {
        is_double(s.code.e_j, 0.9 * 88, s.doubt.e_resolution_j + 0.1, "its energy");
        wtl_pose_subject_fini(&s);
    }
}

static void test_no_repeats(void)
{
    static const struct {
        int line;
        struct made other;
        const char *said;
    } rows[] = {
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .host = "n2", .command = "./app"},
         "pose-1.wtl and pose-2.wtl are not repeats: they are from the nodes \"n1\" and \"n2\""},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .command = "./app"},
         "from the nodes \"n1\" and \"unknown\""},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .host = "n1", .quality = WATTLE_ESTIMATED},
         "the energy is measured and estimated"},
        {__LINE__,
         {.seconds = 10, .package_w = {50, 30}, .host = "n1", .simulated = true},
         "one of them is simulated"},
    };
    make(paths[0], plain);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct wtl_pose_subject s;
        struct wattle_error err = {""};
        make(paths[1], rows[i].other);
        is_int(wtl_pose_subject_of_traces(paths, 2, NULL, NULL, &s, &err), -EXDEV, "refused");
        ok(strstr(err.text, rows[i].said), "says: %s", err.text);
    }
    tap_line = 0;
    struct wtl_pose_subject s;
    struct wattle_error err = {""};
    char no_such[] = "no-such.wtl";
    char *const missing[] = {no_such};
    ok(wtl_pose_subject_of_traces(missing, 1, NULL, NULL, &s, &err) < 0, "no file: %s", err.text);
    is_int(wtl_pose_subject_of_traces(missing, 0, NULL, NULL, &s, &err), -EINVAL, "no trace: %s",
           err.text);
    struct made fewer = plain;
    fewer.dram_w = 0;
    fewer.no_dram = true;
    make(paths[1], fewer);
    is_int(wtl_pose_subject_of_traces(paths, 2, NULL, NULL, &s, &err), -EXDEV, "other contents");
    ok(strstr(err.text,
              "is that of \"package of 2 sockets + dram of 1 socket\" and of \"package of 2 "
              "sockets\"; select a common"),
       "says: %s", err.text);
    if (is_int(wtl_pose_subject_of_traces(paths, 2, "package", NULL, &s, &err), 0,
               "what both have is read %s", err.text))
        wtl_pose_subject_fini(&s);
    struct made board = plain;
    board.board_only = true;
    make(paths[1], board);
    is_int(wtl_pose_subject_of_traces(paths, 2, NULL, NULL, &s, &err), -ENODATA,
           "no total in one of them: %s", err.text);
    ok(strstr(err.text, "pose-2.wtl"), "by its name");
}

int main(void)
{
    test_one();
    test_repeats();
    test_estimated();
    test_said();
    test_gap_without_interval();
    test_doubtful_repeats();
    test_refused();
    test_other_channel();
    test_no_repeats();
    for (size_t i = 0; i < 3; i++)
        (void)unlink(paths[i]);
    return done_testing();
}
