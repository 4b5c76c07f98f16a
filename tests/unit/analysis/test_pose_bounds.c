/* SPDX-License-Identifier: BSD-3-Clause */
/* Which measured loads become Pmin and Pmax, and what is refused. */
#include "analysis/pose/pose_bounds.h"

#include <errno.h>
#include <math.h>

#include "tap.h"

#define FLOORS                                                                \
    "omp_serial_w = 90\nomp_parallel_w = 181.14\nomp_parallel_half_w = 0.5\n" \
    "mpi_parallel_w = 167.76\n"
#define CEILING \
    "fma_w = 330\nfirestarter_w = 345.57\nfirestarter_half_w = 1.25\nstress_ng_w = 290\n"

static const struct row {
    int line;
    const char *text;  /* content of the section */
    const char *floor; /* requested */
    double pmin, pmin_half, pmax, pmax_half;
    const char *pmin_name, *pmax_name; /* NULL: refused */
    enum wattle_quality quality;
    bool simulated, settled;
    int rc;
    const char *said;
} rows[] = {
    {__LINE__, FLOORS CEILING, NULL, 167.76, NAN, 345.57, 1.25, "mpi_parallel", "firestarter",
     WATTLE_DERIVED, false, true, 0, ""},
    {__LINE__, FLOORS CEILING "quality = measured\nsimulated = yes\n", "auto", 167.76, NAN, 345.57,
     1.25, "mpi_parallel", "firestarter", WATTLE_MEASURED, true, true, 0, ""},
    {__LINE__, FLOORS CEILING "quality = estimated\nfma_settled = no\n", "omp_parallel", 181.14,
     0.5, 345.57, 1.25, "omp_parallel", "firestarter", WATTLE_ESTIMATED, false, true, 0, ""},
    {__LINE__, /* 3 W from the runs and 4 W from the model; the model only, on its wider side */
     "omp_parallel_w = 100\nomp_parallel_half_w = 3\nomp_parallel_low_w = 96\n"
     "omp_parallel_high_w = 102\nfma_w = 200\nfma_low_w = 190\nfma_high_w = 260\n"
     "quality = estimated\n",
     NULL, 100, 5, 200, 60, "omp_parallel", "fma", WATTLE_ESTIMATED, false, true, 0, ""},
    {__LINE__,
     "omp_parallel_w = 100\nfma_w = 200\nfma_low_w = 190\nfma_high_w = x\nquality = estimated\n",
     NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false, -EBADMSG, "fma_high_w = x is not a power"},
    {__LINE__, FLOORS "fma_w = 330\nfma_settled = no\n", "omp_serial", 90, NAN, 330, NAN,
     "omp_serial", "fma", WATTLE_DERIVED, false, false, 0, ""},
    {__LINE__, "omp_parallel_w = 100\ncommand_w = 200\nomp_parallel_settled = no\n", NULL, 100, NAN,
     200, NAN, "omp_parallel", "command", WATTLE_DERIVED, false, false, 0, ""},
    {__LINE__, FLOORS CEILING, "mpi_serial", 0, 0, 0, 0, NULL, NULL, 0, false, false, -ENOENT,
     "has no mpi_serial for Pmin; it has: omp_serial, omp_parallel, mpi_parallel."},
    {__LINE__, "omp_serial_w = 90\n" CEILING, NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false,
     -ENOENT, "has no omp_parallel and no mpi_parallel for Pmin; it has: omp_serial."},
    {__LINE__, CEILING, NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false, -ENOENT, "it has: none"},
    {__LINE__, FLOORS CEILING, "omp_paralel", 0, 0, 0, 0, NULL, NULL, 0, false, false, -EINVAL,
     "did you mean \"omp_parallel\"?"},
    {__LINE__, FLOORS CEILING, "idle", 0, 0, 0, 0, NULL, NULL, 0, false, false, -EINVAL,
     "no micro-benchmark \"idle\" for Pmin: use auto, omp_serial"},
    {__LINE__, FLOORS, NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false, -ENOENT,
     "has no load for Pmax"},
    {__LINE__, FLOORS "fma_w = 150\n", NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false, -EBADMSG,
     "Pmin of mpi_parallel, 167.76 W, is not below Pmax of fma, 150 W"},
    {__LINE__, "omp_parallel_w = 12,5\n" CEILING, NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false,
     -EBADMSG, "omp_parallel_w = 12,5 is not a power in watts"},
    {__LINE__, "omp_parallel_w = -1\n" CEILING, NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false,
     -EBADMSG, "omp_parallel_w = -1 is not a power"},
    {__LINE__, FLOORS "fma_w = nan\n", NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false, -EBADMSG,
     "fma_w = nan is not a power"},
    {__LINE__, FLOORS "fma_w = 300\nfma_half_w = x\n", NULL, 0, 0, 0, 0, NULL, NULL, 0, false,
     false, -EBADMSG, "fma_half_w = x is not a power"},
    {__LINE__, FLOORS CEILING "quality = good\n", NULL, 0, 0, 0, 0, NULL, NULL, 0, false, false,
     -EBADMSG, "quality = good is not measured, derived or"},
};

static void same(double got, double want, const char *what)
{
    if (isnan(want))
        ok(isnan(got), "%s is unknown", what);
    else
        is_double(got, want, 0, "%s", what);
}

static void check(const struct row *row)
{
    struct wattle_error err = {""};
    struct wtl_calibration *calibration = NULL;
    struct wtl_pose_bounds bounds;
    char text[1024];
    (void)snprintf(text, sizeof text, "[pose n total]\n%s", row->text);
    is_int(wtl_calibration_text("f", text, strlen(text), &calibration, &err), 0, "read %s",
           err.text);
    if (!calibration)
        return;
    int rc = wtl_pose_bounds_of(wtl_calibration_section(calibration, 0), row->floor, &bounds, &err);
    is_int(rc, row->rc, "bounds %s", err.text);
    if (rc == 0 && row->pmin_name) {
        is_str(bounds.pmin.name, row->pmin_name, "Pmin's load");
        is_str(bounds.pmax.name, row->pmax_name, "Pmax's load");
        same(bounds.pmin.power_w, row->pmin, "Pmin");
        same(bounds.pmax.power_w, row->pmax, "Pmax");
        same(bounds.pmin.half_w, row->pmin_half, "Pmin's interval");
        same(bounds.pmax.half_w, row->pmax_half, "Pmax's interval");
        is_int(bounds.quality, row->quality, "quality");
        is_int(bounds.simulated, row->simulated, "simulated");
        is_int(bounds.settled, row->settled, "settled");
    } else {
        ok(strstr(err.text, row->said), "says: %s", err.text);
    }
    wtl_calibration_destroy(calibration);
}

/* Two packages. */
static void test_sum(void)
{
    static const char text[] = "[pose n p0]\nomp_parallel_w = 80\nomp_parallel_half_w = 1\n"
                               "mpi_parallel_w = 60\nfma_w = 150\nfma_half_w = 2\n"
                               "quality = measured\ncontains = one\n"
                               "[pose n p1]\nomp_parallel_w = 70\nomp_parallel_half_w = 3\n"
                               "fma_w = 140\nfirestarter_w = 160\nsimulated = yes\n"
                               "quality = estimated\nfma_settled = no\n";
    struct wattle_error err = {""};
    struct wtl_calibration *calibration = NULL;
    struct wtl_pose_bounds bounds;
    is_int(wtl_calibration_text("f", text, sizeof text - 1, &calibration, &err), 0, "read %s",
           err.text);
    if (!calibration)
        return;
    const struct wtl_calibration_section *both[] = {wtl_calibration_section(calibration, 0),
                                                    wtl_calibration_section(calibration, 1)};
    if (is_int(wtl_pose_bounds_of_sum(both, 2, WTL_POSE_WANT_BOTH, NULL, &bounds, &err), 0,
               "a sum %s", err.text)) {
        is_str(bounds.pmin.name, "omp_parallel", "the floor that both have");
        is_double(bounds.pmin.power_w, 150, 0, "added up");
        is_double(bounds.pmin.half_w, 4, 0, "as is its interval");
        is_str(bounds.pmax.name, "fma", "the ceiling that both have");
        is_double(bounds.pmax.power_w, 290, 0, "added up");
        ok(isnan(bounds.pmax.half_w), "its interval is unknown where one is");
        is_int(bounds.quality, WATTLE_ESTIMATED, "the weakest quality");
        ok(bounds.simulated && !bounds.settled, "what one says holds for both");
        is_str(bounds.contains, "", "the words of one are not those of both");
    }
    is_int(wtl_pose_bounds_of_sum(both, 2, WTL_POSE_WANT_BOTH, "mpi_parallel", &bounds, &err),
           -ENOENT, "a floor that one lacks");
    ok(strstr(err.text, "it has: omp_parallel."), "says: %s", err.text);
    if (is_int(wtl_pose_bounds_of_sum(both, 2, WTL_POSE_WANT_PMAX, "mpi_parallel", &bounds, &err),
               0, "Pmax alone needs no floor")) {
        ok(isnan(bounds.pmin.power_w) && !bounds.pmin.name[0], "which is unknown");
        ok(!bounds.settled, "its own drift is said");
    }
    is_int(wtl_pose_bounds_of_sum(both, 2, WTL_POSE_WANT_PMIN, NULL, &bounds, &err), 0,
           "Pmin alone");
    ok(isnan(bounds.pmax.power_w) && bounds.settled, "does not tell of the drift of Pmax");
    is_int(wtl_pose_bounds_of(both[0], NULL, &bounds, &err), 0, "one alone");
    is_str(bounds.contains, "one", "has its words");
    wtl_calibration_destroy(calibration);
}

/* Conditions of the calibration compared with those of a run. */
static void test_conditions(void)
{
    static const struct {
        int line;
        const char *section;
        struct wtl_result run;
        const char *said; /* NULL: nothing */
    } cases[] = {
        {__LINE__,
         "governor = performance\n",
         {.governor = "powersave", .turbo = -1},
         "governor powersave instead of performance"},
        {__LINE__,
         "governor = performance\nturbo = yes\n",
         {.governor = "performance", .turbo = 0},
         "turbo no instead of yes"},
        {__LINE__,
         "cpu = A\nmax_khz = 3000000\n",
         {.cpu = "B", .turbo = -1, .max_khz = 2000000},
         "processor B instead of A, highest frequency [kHz] 2000000 instead of 3000000"},
        {__LINE__,
         "governor = performance\nturbo = yes\nepp = x\n",
         {.governor = "performance", .turbo = 1},
         NULL},
        {__LINE__, "", {.governor = "powersave", .cpu = "A", .turbo = 1, .min_khz = 1}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600], said[200];
        struct wtl_calibration *calibration = NULL;
        struct wtl_pose_bounds bounds = {.settled = false};
        struct wattle_error err = {""};
        (void)snprintf(text, sizeof text, "[pose h total]\n" FLOORS CEILING "%s", cases[i].section);
        if (wtl_calibration_text("c", text, strlen(text), &calibration, &err) < 0 ||
            wtl_pose_bounds_of(wtl_calibration_section(calibration, 0), NULL, &bounds, &err) < 0)
            ok(false, "line %d: %s", cases[i].line, err.text);
        bool differs = wtl_pose_bounds_differ(&bounds, &cases[i].run, said, sizeof said);
        ok(differs == (cases[i].said != NULL), "line %d: %s", cases[i].line, said);
        if (cases[i].said)
            is_str(said, cases[i].said, "line %d", cases[i].line);
        wtl_calibration_destroy(calibration);
    }
}

int main(void)
{
    test_conditions();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        check(&rows[i]);
    }
    tap_line = 0;
    test_sum();
    return done_testing();
}
