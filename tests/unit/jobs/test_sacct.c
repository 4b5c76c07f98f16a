/* SPDX-License-Identifier: BSD-3-Clause */
/* What is believed of sacct's rows, each oddity for itself and together, and lines that are none. */
#define _GNU_SOURCE
#include "tap.h"

#include <errno.h>
#include <math.h>

#include "jobs/sacct.h"
#include "jobs/sacct_cells.h"
#include "jobs/sacct_survey.h"

static const char header[] = "JobID|JobIDRaw|Cluster|User|Account|Submit|Start|End|ElapsedRaw|"
                             "State|ExitCode|NNodes|NodeList|"
                             "ConsumedEnergyRaw|MaxRSS|JobName";

struct seen {
    size_t count;
    enum wtl_sacct_doubt doubt;
    double energy_j, half_j;
    bool lower, has_record;
    char unit[128], name[256], node[256], id[128], state[24];
    int64_t nodes, record_nodes;
    int64_t exit_status, exit_signal, rss;
};

static int take(void *arg, const struct wtl_sacct_job *job)
{
    struct seen *seen = arg;
    const struct wtl_job_record *record = job->record;
    seen->count++;
    seen->doubt = job->doubt;
    seen->has_record = record != NULL;
    snprintf(seen->id, sizeof seen->id, "%s", job->id);
    if (!record)
        return 0;
    seen->energy_j = record->charged_j;
    seen->half_j = record->resolution_j;
    seen->lower = record->lower_bound;
    seen->exit_status = record->exit_status;
    seen->exit_signal = record->exit_signal;
    seen->rss = record->max_rss_bytes;
    snprintf(seen->unit, sizeof seen->unit, "%s", record->unit);
    snprintf(seen->name, sizeof seen->name, "%s", record->name);
    snprintf(seen->node, sizeof seen->node, "%s", record->node);
    seen->nodes = record->nodes;
    seen->record_nodes = record->record_nodes;
    snprintf(seen->state, sizeof seen->state, "%s", record->slurm_state);
    ok(wtl_job_record_check(record, NULL) == 0, "a record that the database takes");
    return 0;
}

/* The lines after the header, of one job. */
static struct seen read_lines(const char *lines)
{
    struct seen seen = {.energy_j = NAN};
    struct wtl_sacct *sacct = NULL;
    struct wattle_error err = {""};
    if (wtl_sacct_create(take, &seen, &sacct) < 0)
        return seen;
    int rc = wtl_sacct_line(sacct, header, strlen(header), &err);
    while (rc == 0 && *lines) {
        size_t n = strcspn(lines, "\n");
        rc = wtl_sacct_line(sacct, lines, n, &err);
        lines += n + (lines[n] == '\n');
    }
    rc = rc == 0 ? wtl_sacct_end(sacct, &err) : rc;
    is_int(rc, 0, "read: %s", err.text);
    wtl_sacct_destroy(sacct);
    return seen;
}

#define T "1764064800|1764064800|"
#define JOB(id, end, elapsed, state, nodes, energy) \
    id "|" id "|c|u|a|" T end "|" elapsed "|" state "|0:0|" nodes "|n1|" energy "||name"
#define STEP(id, begin, end, elapsed, energy)                                                      \
    id "|" id "|c|||1764064800|" begin "|" end "|" elapsed "|COMPLETED|0:0|1|n1|" energy "|1234K|" \
       "s"

static const struct {
    int line;
    const char *lines;
    enum wtl_sacct_doubt doubt;
    double energy_j;
    bool lower;
} rows[] = {
#define ROW(lines, doubt, j, lower)      \
    {                                    \
        __LINE__, lines, doubt, j, lower \
    }
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "100000"),
        WTL_SACCT_BELIEVED,
        100000,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", ""), WTL_SACCT_EMPTY, NAN, false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "0"), WTL_SACCT_ZERO, NAN, false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "18446744073709551614"),
        WTL_SACCT_NO_VALUE,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "18446744073709551611"),
        WTL_SACCT_NO_VALUE,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "100", "4294967294"),
        WTL_SACCT_NO_VALUE,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "99999999999999999999999"),
        WTL_SACCT_OVERFLOW,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "-5"), WTL_SACCT_NOT_A_NUMBER, NAN, false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "1e99"), WTL_SACCT_OVERFLOW, NAN, false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "0x10"),
        WTL_SACCT_NOT_A_NUMBER,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "1.23M"),
        WTL_SACCT_BELIEVED,
        1.23e6,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "2K"), WTL_SACCT_BELIEVED, 2000, false),
    /* 100 kW of a node: 10^8 J in 1000 s, and of two nodes twice that. */
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "100000001"),
        WTL_SACCT_OVERFLOW,
        NAN,
        false),
    /* 18 kW and 2 W of a node over 1000 s, and of two nodes; a moment may have more */
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "2", "100000001"),
        WTL_SACCT_TOO_MUCH,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "2", "36000000"),
        WTL_SACCT_BELIEVED,
        36000000,
        false),
    ROW(JOB("1", "1764064859", "59", "COMPLETED", "1", "2000000"),
        WTL_SACCT_BELIEVED,
        2000000,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "96", "190000"),
        WTL_SACCT_TOO_LITTLE,
        NAN,
        false),
    ROW(JOB("1", "1764065400", "600", "COMPLETED", "1", "37"), WTL_SACCT_TOO_LITTLE, NAN, false),
    ROW(JOB("1", "1764064830", "30", "COMPLETED", "1", "37"), WTL_SACCT_BELIEVED, 37, false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "") "\n" STEP("1.extern",
                                                                       "1764064800",
                                                                       "1764065800",
                                                                       "1000",
                                                                       "504"),
        WTL_SACCT_TOO_LITTLE,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "NODE_FAIL", "1", "5000"), WTL_SACCT_NODE_FAIL, 5000, true),
    ROW(JOB("1", "1764065800", "1000", "NODE_FAIL", "1", "0"), WTL_SACCT_ZERO, NAN, false),
    ROW(JOB("1", "1764065800", "1000", "CANCELLED by 0", "1", "5000"),
        WTL_SACCT_BELIEVED,
        5000,
        false),
    /* left out */
    ROW(JOB("1", "Unknown", "1000", "RUNNING", "1", "5000"), WTL_SACCT_STATE, NAN, false),
    ROW(JOB("1", "1764060000", "1000", "COMPLETED", "1", "5000"), WTL_SACCT_TIMES, NAN, false),
    ROW(JOB("123+", "1764065800", "1000", "COMPLETED", "1", "5000"), WTL_SACCT_ID, NAN, false),
    ROW(JOB("", "1764065800", "1000", "COMPLETED", "1", "5000"), WTL_SACCT_ID, NAN, false),
    ROW(JOB("5_[1-3]", "Unknown", "0", "PENDING", "1", ""), WTL_SACCT_STATE, NAN, false),
    ROW(JOB("8+1", "1764065800", "1000", "COMPLETED", "1", "5000"),
        WTL_SACCT_BELIEVED,
        5000,
        false),
    ROW("1|1|c|u|a|1764064800|Unknown|1764065800|0|CANCELLED|0:0|1|None assigned|||n",
        WTL_SACCT_NOT_RUN,
        NAN,
        false),
    ROW("1|1|c", WTL_SACCT_ROW, NAN, false),
    ROW(STEP("9.0", "1764064800", "1764065800", "1000", "5"), WTL_SACCT_ORPHAN, NAN, false),
    /* with steps */
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "") "\n" STEP("1.batch",
                                                                       "1764064800",
                                                                       "1764065800",
                                                                       "1000",
                                                                       "0"),
        WTL_SACCT_EMPTY,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "0") "\n" STEP("1.extern",
                                                                        "1764064800",
                                                                        "1764065800",
                                                                        "1000",
                                                                        "504000"),
        WTL_SACCT_EXTERN,
        504000,
        false),
    ROW(JOB("1", "1764065800", "1000", "NODE_FAIL", "1", "") "\n" STEP("1.extern",
                                                                       "1764064800",
                                                                       "1764065800",
                                                                       "1000",
                                                                       "504000"),
        WTL_SACCT_EXTERN,
        504000,
        true),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "") "\n" STEP(
            "1.batch",
            "1764064800",
            "1764065800",
            "1000",
            "501000") "\n" STEP("1.0", "1764064800", "1764065800", "500", "250000"),
        WTL_SACCT_LARGEST_STEP,
        501000,
        true),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "400000") "\n" STEP("1.0",
                                                                             "1764064800",
                                                                             "1764065800",
                                                                             "1000",
                                                                             "501000"),
        WTL_SACCT_LESS_THAN_STEP,
        NAN,
        false),
    /* two steps of 1000 s within 1000 s, summed up; not if .extern has the whole job, nor one after the other */
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "1002000") "\n" STEP(
            "1.0",
            "1764064800",
            "1764065800",
            "1000",
            "501000") "\n" STEP("1.1", "1764064800", "1764065800", "1000", "501000"),
        WTL_SACCT_TWICE,
        NAN,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "1002000") "\n" STEP(
            "1.0",
            "1764064800",
            "1764065300",
            "500",
            "501000") "\n" STEP("1.1", "1764065300", "1764065800", "500", "501000"),
        WTL_SACCT_BELIEVED,
        1002000,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "1002000") "\n" STEP(
            "1.extern",
            "1764064800",
            "1764065800",
            "1000",
            "1002000") "\n" STEP("1.0",
                                 "1764064800",
                                 "1764065800",
                                 "1000",
                                 "501000") "\n" STEP("1.1",
                                                     "1764064800",
                                                     "1764065800",
                                                     "1000",
                                                     "501000"),
        WTL_SACCT_BELIEVED,
        1002000,
        false),
    ROW(JOB("1", "1764065800", "1000", "COMPLETED", "1", "") "\n" STEP("1.0",
                                                                       "1764064800",
                                                                       "1764065800",
                                                                       "1000",
                                                                       "99999999999"),
        WTL_SACCT_EMPTY,
        NAN,
        false), /* a step that overflowed is no lower bound */
};

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        struct seen seen = read_lines(rows[i].lines);
        is_int(seen.count, 1, "one job");
        is_str(wtl_sacct_doubt_text(seen.doubt), wtl_sacct_doubt_text(rows[i].doubt), "doubt");
        is_int(seen.has_record, !wtl_sacct_drops_job(rows[i].doubt), "a record");
        ok(isnan(rows[i].energy_j) ? isnan(seen.energy_j)
                                   : fabs(seen.energy_j - rows[i].energy_j) < 1e-6,
           "energy %g", seen.energy_j);
        is_int(seen.lower, rows[i].lower, "lower bound");
    }
    tap_line = 0;
}

static void test_fields(void)
{
    struct seen seen =
        read_lines("5_2|7|c|u|a|" T "1764065800|1000|FAILED|3:9|2|n[1-2]|1.23M||a|b||c\r\n"
                   "5_2.batch|7.batch|c|||" T "1764065800|1000|FAILED|3:9|1|n1|0|1234K|batch");
    is_str(seen.name, "a|b||c", "a name with separators, in the last column");
    is_str(seen.unit, "7.1764064800.0", "unit");
    is_str(seen.node, "n[1-2]", "nodes");
    is_int(seen.exit_status, 3, "exit status");
    is_int(seen.exit_signal, 9, "signal");
    is_int(seen.rss, 1234 * 1024, "MaxRSS of a step, with units of 1024");
    is_double(seen.half_j, 5000, 1e-9, "1.23M leaves 5 kJ open");
    is_int(seen.nodes, 2, "its nodes");
    is_int(seen.record_nodes, 2, "of which only the sum is known");
    is_str(seen.state, "FAILED", "how it ended");
    is_double(wtl_sacct_cpu_time("1-02:03:04"), 93784, 1e-9, "days");
    is_double(wtl_sacct_cpu_time("03:04.567"), 184.567, 1e-9, "minutes");
    ok(isnan(wtl_sacct_cpu_time("")) && isnan(wtl_sacct_cpu_time("1")) &&
           isnan(wtl_sacct_cpu_time("-1:2:3")) && isnan(wtl_sacct_cpu_time("1:2:3:4")),
       "no times");
    is_int(wtl_sacct_bytes("1.5M"), 1572864, "memory");
    ok(wtl_sacct_bytes("") == -1 && wtl_sacct_bytes("K") == -1 && wtl_sacct_bytes("999999P") == -1,
       "no memory");
}

/* ---- jobs beside each other ---- */

struct doubts {
    enum wtl_sacct_doubt of[64];
    bool known[64];
    bool is_known[64]; /* to the database */
    size_t count;
};

static int take_doubt(void *arg, const struct wtl_sacct_job *job)
{
    struct doubts *doubts = arg;
    doubts->known[doubts->count] = job->record && !isnan(job->record->charged_j);
    doubts->of[doubts->count++] = job->doubt;
    return 0;
}

static void pass(struct wtl_sacct *sacct, const char *lines)
{
    struct wattle_error err = {""};
    int rc = wtl_sacct_line(sacct, header, strlen(header), &err);
    for (; rc == 0 && *lines; lines += strcspn(lines, "\n") + 1)
        rc = wtl_sacct_line(sacct, lines, strcspn(lines, "\n"), &err);
    is_int(rc == 0 ? wtl_sacct_end(sacct, &err) : rc, 0, "read: %s", err.text);
    wtl_sacct_destroy(sacct);
}

/* Each line ends with a line break; known: of a database, until one without a unit. */
static struct doubts survey_with(const char *lines,
                                 const struct wtl_sacct_known *known,
                                 char *shared,
                                 size_t shared_size)
{
    struct doubts doubts = {.count = 0};
    struct wtl_sacct_survey *survey = NULL;
    struct wtl_sacct *first = NULL, *second = NULL;
    if (wtl_sacct_survey_create("", &survey) < 0 ||
        wtl_sacct_create(wtl_sacct_survey_take, survey, &first) < 0 ||
        wtl_sacct_create(take_doubt, &doubts, &second) < 0)
        return doubts;
    pass(first, lines);
    struct wtl_sacct_found found = {.count = 0};
    for (; known->unit; known++)
        is_int(wtl_sacct_survey_know(survey, known), 0, "%s of the database", known->unit);
    is_int(wtl_sacct_survey_end(survey, &found), 0, "surveyed");
    wtl_sacct_use(second, found.doubts, found.count);
    pass(second, lines);
    shared[0] = '\0';
    for (size_t i = 0; i < found.shared_count && strlen(shared) + 80 < shared_size; i++)
        (void)snprintf(shared + strlen(shared), shared_size - strlen(shared), "%s%s", i ? " " : "",
                       found.shared[i].unit);
    for (size_t i = 0; i < found.count && i < sizeof doubts.is_known / sizeof *doubts.is_known; i++)
        doubts.is_known[i] = found.known[i];
    wtl_sacct_survey_destroy(survey);
    return doubts;
}

static struct doubts survey_lines(const char *lines)
{
    static const struct wtl_sacct_known none = {.unit = NULL};
    char shared[8];
    return survey_with(lines, &none, shared, sizeof shared);
}

/* Begin and end in seconds after T's time; 300 W of one node, unless said. */
#define RUN(id, begin, end, elapsed, list, energy)                                                \
    id "|" id "|c|u|a|1764060000|176406" begin "|176406" end "|" elapsed "|COMPLETED|0:0|1|" list \
       "|" energy "||name\n"

static void test_shared_nodes(void)
{
    struct doubts d = survey_lines(RUN("1", "4800", "5800", "1000", "n001",
                                       "300000") RUN("2", "5800", "6800", "1000", "n001", "300000")
                                       RUN("3", "4800", "5800", "1000", "n[002-004]", "300000"));
    is_int(d.count, 3, "three jobs");
    ok(d.of[0] == WTL_SACCT_BELIEVED && d.of[1] == WTL_SACCT_BELIEVED &&
           d.of[2] == WTL_SACCT_BELIEVED,
       "one after the other on a node, and beside it on others");
    d = survey_lines(RUN("1", "4800", "8800", "4000", "n[001-096]", "9900000")
                         RUN("2", "5800", "6800", "1000", "m1,n[095]", "300000")
                             RUN("3", "7000", "8000", "1000", "n002", "")
                                 RUN("4", "8800", "9800", "1000", "n001", "300000"));
    is_int(d.count, 4, "four jobs");
    is_int(d.of[0], WTL_SACCT_SHARED, "a job that shares a node with others");
    is_int(d.of[1], WTL_SACCT_SHARED, "and one of these");
    is_int(d.of[2], WTL_SACCT_EMPTY, "the other has no energy");
    is_int(d.of[3], WTL_SACCT_BELIEVED, "a later one had it alone");
    ok(!d.known[0] && !d.known[1] && d.known[3], "what is shared is unknown");
    d = survey_lines(RUN("1", "4800", "5800", "1000", "n001",
                         "300000") "2|2|c|u|a|1764060000|1764065000|"
                                   "Unknown|1000|RUNNING|0:0|1|n001|||name\n");
    is_int(d.of[0], WTL_SACCT_SHARED, "with one that has not ended");
    d = survey_lines(RUN("1", "4800", "5800", "1000", "n001", "300000")
                         RUN("1", "4800", "5800", "1000", "n001", "300000"));
    is_int(d.of[0], WTL_SACCT_BELIEVED, "a job that is listed twice does not share");
}

#define AT_NS(second) (INT64_C(1764060000) + (second)) * INT64_C(1000000000)
#define KNOWN(unit_, number, node_, begin, end)                                             \
    .cluster = "c", .unit = (unit_), .raw_job_id = (number), .job_id = "", .node = (node_), \
    .begin_ns = AT_NS(begin), .end_ns = AT_NS(end), .had_nodes = true

/* Nodes that a job of the file and one of the database had at the same time. RUN's times are after 1764060000, too. */
static void test_known(void)
{
    static const struct wtl_sacct_known known[] = {
        {KNOWN("ledger", 11, "n1", 5000, 6000)},
        {KNOWN("imported", 12, "n[2-3]", 5000, 6000), .is_imported = true, .has_energy = true},
        {KNOWN("unknown", 13, "n4", 5000, 6000), .is_imported = true},
        {KNOWN("same", 5, "n5", 4800, 5804), .is_imported = true, .has_energy = true},
        {KNOWN("late", 14, "n6", 4000, 4803)},
        {KNOWN("a", 15, "n7", 1000, 2000), .is_imported = true, .has_energy = true},
        {KNOWN("b", 16, "n7", 1500, 2500), .is_imported = true, .has_energy = true},
        {.cluster = "c",
         .unit = "run",
         .job_id = "7",
         .node = "n8",
         .begin_ns = AT_NS(5000),
         .end_ns = AT_NS(5100)},
        {.unit = NULL}};
    char shared[200];
    struct doubts d = survey_with(RUN("1", "4800", "5800", "1000", "n1",
                                      "300000") RUN("2", "4800", "5800", "1000", "n3", "300000")
                                      RUN("3", "4800", "5800", "1000", "n4", "300000")
                                          RUN("5", "4800", "5800", "1000", "n5", "300000")
                                              RUN("6", "4800", "5800", "1000", "n6", "300000")
                                                  RUN("8", "4800", "5800", "1000", "n8", "300000"),
                                  known, shared, sizeof shared);
    is_int(d.count, 6, "six jobs beside those of a database");
    is_int(d.of[0], WTL_SACCT_SHARED, "with a job of the ledger");
    is_int(d.of[1], WTL_SACCT_SHARED, "with one that was imported, on one of its nodes");
    is_int(d.of[2], WTL_SACCT_SHARED, "with one whose energy is unknown");
    is_int(d.of[3], WTL_SACCT_BELIEVED, "not with itself");
    ok(d.is_known[3] && !d.is_known[0] && !d.is_known[1], "which is known already");
    is_int(d.of[4], WTL_SACCT_BELIEVED, "nor with a job whose epilog ended a little later");
    is_int(d.of[5], WTL_SACCT_BELIEVED, "nor with a run within it");
    is_str(shared, "imported a b",
           "imported jobs of the database that shared, also with each other");
    d = survey_with(RUN("5", "4800", "5800", "1000", "n5", "300000")
                        RUN("9", "5000", "5800", "800", "n5", "300000"),
                    &known[3], shared, sizeof shared);
    ok(d.of[0] == WTL_SACCT_SHARED && d.of[1] == WTL_SACCT_SHARED, "a known one and a new one");
    is_str(shared, "same a b", "what the file says of a job is true of it in the database");
}

static void test_usual(void)
{
    char lines[64 * 120];
    size_t used = 0;
    for (int i = 0; i < 20; i++)
        used += (size_t)snprintf(lines + used, sizeof lines - used,
                                 RUN("%d", "4800", "5800", "1000", "n%d", "%d"), i + 1, i + 1, i,
                                 (300 + 10 * i) * 1000);
    (void)snprintf(lines + used, sizeof lines - used,
                   RUN("21", "4800", "5800", "1000", "m1", "5000000")
                       RUN("22", "4800", "5800", "1000", "m2", "20000"));
    struct doubts d = survey_lines(lines);
    is_int(d.count, 22, "twenty jobs of 300 to 490 W, one of 5 kW, one of 20 W");
    ok(d.of[0] == WTL_SACCT_BELIEVED && d.of[19] == WTL_SACCT_BELIEVED, "the usual ones");
    ok(d.of[20] == WTL_SACCT_UNUSUAL && d.known[20], "far more than others: doubted, recorded");
    ok(d.of[21] == WTL_SACCT_UNUSUAL && d.known[21], "far less");
}

static int read_header(const char *line)
{
    struct seen seen = {.count = 0};
    struct wtl_sacct *sacct = NULL;
    struct wattle_error err = {""};
    if (wtl_sacct_create(take, &seen, &sacct) < 0)
        return -1;
    int rc = line ? wtl_sacct_line(sacct, line, strlen(line), &err) : wtl_sacct_end(sacct, &err);
    wtl_sacct_destroy(sacct);
    return rc;
}

static void test_headers(void)
{
    ok(read_header("JobID|Submit") == -EBADMSG, "columns are missing");
    ok(read_header("") == -EBADMSG && read_header(NULL) == -EBADMSG, "no header");
    ok(read_header("JobID|Submit|Start|End|State|") == -EBADMSG, "no energy");
    is_int(read_header("state|jobid|submit|start|end|consumedenergy|"), 0,
           "other order and case, --parsable");
    ok(wtl_sacct_is_final("CANCELLED by 1000") && wtl_sacct_is_final("COMPLETED") &&
           wtl_sacct_is_final("REQUEUED") && !wtl_sacct_is_final("COMPLETING") &&
           !wtl_sacct_is_final("") && !wtl_sacct_is_final("RUNNING"),
       "final states");
}

int main(void)
{
    test_rows();
    test_fields();
    test_shared_nodes();
    test_known();
    test_usual();
    test_headers();
    return done_testing();
}
