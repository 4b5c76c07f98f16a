/* SPDX-License-Identifier: BSD-3-Clause */
/* Single records in a store: hostile ones, boots and nodes that come later, senders, what is purged. See test_store.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store_records.h"
#include "tap.h"

static struct wattle_error err;
static const int64_t begin_ns = INT64_C(1700000000000000000), day_ns = INT64_C(86400000000000);

static int count_row(void *arg, const struct wtl_total_row *row)
{
    *(int64_t *)arg += row->jobs;
    return 0;
}

static int64_t jobs_in(struct wtl_store *store,
                       const struct wtl_job_query *query,
                       enum wtl_store_group group)
{
    int64_t n = 0;
    if (wtl_store_totals(store, query, group, count_row, &n, &err) < 0)
        diag("%s", err.text);
    return n;
}

void test_forgetting(struct wtl_store *store, int64_t before)
{
    const struct wtl_job_query old = {.to_ns = before}, all = {0}, nameless = {.user = "anonymous"};
    int64_t n, old_jobs = jobs_in(store, &old, WTL_GROUP_ALL),
               jobs_before = jobs_in(store, &all, WTL_GROUP_ALL);
    is_int(wtl_store_anonymise(store, before, &n, &err), 0, "anonymise");
    is_int(n, old_jobs, "as many as there were");
    is_int(jobs_in(store, &nameless, WTL_GROUP_ALL), old_jobs, "they are nobody's");
    ok(jobs_in(store, &nameless, WTL_GROUP_NODE) >= old_jobs, "also in the sums of nodes");
    is_int(jobs_in(store, &all, WTL_GROUP_ACCOUNT), jobs_before, "sums by account are as before");
    is_int(wtl_store_purge(store, before, &n, &err), 0, "purge");
    is_int(n, old_jobs, "as many as there were");
    is_int(jobs_in(store, &nameless, WTL_GROUP_ALL), 0, "gone from the sums");
    is_int(jobs_in(store, &nameless, WTL_GROUP_NODE), 0, "also of nodes");
    is_int(jobs_in(store, &all, WTL_GROUP_PROGRAM), jobs_before - old_jobs, "the others are there");
}

struct sender_check {
    size_t rows;
    int64_t backlog, seen_ns;
};

static int check_sender(void *arg, const struct wtl_store_sender *sender)
{
    struct sender_check *check = (struct sender_check *)arg;
    check->rows++;
    if (strcmp(sender->node, "n1") == 0) {
        check->backlog = sender->backlog_records;
        check->seen_ns = sender->seen_ns;
    }
    return 0;
}

void test_senders(struct wtl_store *store)
{
    struct wtl_store_sender sender = {
        .cluster = "c1", .node = "n1", .version = "1", .backlog_records = 7};
    struct sender_check check = {0, 0, 0};
    int64_t now = (int64_t)time(NULL);
    is_int(wtl_store_seen(store, &sender, &err), 0, "a node tells of itself");
    sender.node = "n2";
    is_int(wtl_store_seen(store, &sender, &err), 0, "another one");
    sender.node = "n1";
    sender.backlog_records = 3;
    is_int(wtl_store_seen(store, &sender, &err), 0, "the first one again");
    is_int(wtl_store_senders(store, check_sender, &check, &err), 0, "ask for them");
    is_int(check.rows, 2, "a row each");
    is_int(check.backlog, 3, "what was said last");
    ok(llabs(check.seen_ns / 1000000000 - now) < 300, "at the time of the database");
}

/* The hostile, the absurd, and what must not enter. */
void test_hostile(struct wtl_store *store)
{
    struct wtl_job_record record;
    const struct wtl_job_query of_unit = {.unit = "'; DROP TABLE job; --"};
    size_t n = 9;
    int64_t jobs_before, count = 0;
    const struct wtl_job_query all = {0};
    jobs_before = jobs_in(store, &all, WTL_GROUP_ALL);
    wtl_job_record_init(&record);
    (void)wtl_job_text_set(record.unit, sizeof record.unit, of_unit.unit);
    (void)wtl_job_text_set(record.node, sizeof record.node, "n\xff\x1b[31m$1\"'\\");
    (void)wtl_job_text_set(record.user, sizeof record.user,
                           "Robert'); DELETE FROM job WHERE ('1' = '1");
    record.energy_j = record.charged_j = 1e15;
    record.begin_ns = INT64_C(3000000000000000000);
    record.end_ns = 1; /* a clock that jumped */
    is_int(wtl_store_put(store, &record, 1, &n, &err), 0, "hostile texts are texts");
    is_int(n, 1, "one row");
    is_int(jobs_in(store, &all, WTL_GROUP_ALL), jobs_before + 1, "nothing else changed");
    is_int(wtl_store_put(store, &record, 1, &n, &err), 0, "again");
    is_int(n, 0, "idempotent");
    record.charged_j = INFINITY;
    is_int(wtl_store_put(store, &record, 1, &n, &err), -EBADMSG, "infinite energy is refused");
    record.charged_j = -1;
    is_int(wtl_store_put(store, &record, 1, &n, &err), -EBADMSG, "negative energy is refused");
    record.charged_j = NAN;
    record.unit[0] = '\0';
    is_int(wtl_store_put(store, &record, 1, &n, &err), -EBADMSG, "no unit is refused");
    is_int(jobs_in(store, &all, WTL_GROUP_ALL), jobs_before + 1, "and changed nothing");
    is_int(wtl_store_purge(store, 2, &count, &err), 0, "gone again");
    is_int(count, 1, "one row");
}

struct row_check {
    int64_t jobs, lower;
    bool is_lower, estimated;
};

static int take_lower(void *arg, const struct wtl_job_row *row)
{
    ((struct row_check *)arg)->is_lower = row->lower_bound;
    return 0;
}

static int add_sums(void *arg, const struct wtl_total_row *row)
{
    struct row_check *check = (struct row_check *)arg;
    check->jobs += row->jobs;
    check->lower += row->jobs_lower;
    check->estimated |= row->estimated;
    return 0;
}

/* Two nodes; one has booted in between and has two records, the other is unknown. */
void test_boots(struct wtl_store *store)
{
    static const struct {
        const char *node, *boot;
        double joules;
    } parts[] = {{"n1", "a", 5}, {"n1", "b", 6}, {"n2", "a", NAN}};
    const struct wtl_job_query query = {.cluster = "boots"}, of_unit = {.unit = "boots"};
    struct row_check check = {0, 0, false, false};
    int64_t count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct wtl_job_record record;
        wtl_job_record_init(&record);
        (void)wtl_job_text_set(record.cluster, sizeof record.cluster, query.cluster);
        (void)wtl_job_text_set(record.unit, sizeof record.unit, of_unit.unit);
        (void)wtl_job_text_set(record.node, sizeof record.node, parts[i].node);
        (void)wtl_job_text_set(record.boot_id, sizeof record.boot_id, parts[i].boot);
        record.nodes = 2;
        record.end_ns = 1;
        record.charged_j = parts[i].joules;
        (void)wtl_job_text_set(record.quality, sizeof record.quality,
                               i == 1 ? "estimated" : "measured");
        if (wtl_store_put(store, &record, 1, NULL, &err) < 0)
            diag("%s", err.text);
    }
    is_int(wtl_store_totals(store, &query, WTL_GROUP_ALL, add_sums, &check, &err), 0, "sums");
    is_int(check.jobs, 1, "two boots of a node are one job");
    ok(check.estimated, "of which a part is an estimate");
    is_int(check.lower, 1, "its unknown node makes the sum a lower bound");
    is_int(wtl_store_jobs(store, &of_unit, take_lower, &check, &err), 0, "the job");
    ok(check.is_lower, "and the job");
    is_int(wtl_store_purge(store, 2, &count, &err), 0, "gone again");
}

/* ---- records that know nothing ---- */

static int take_job(void *arg, const struct wtl_job_row *row)
{
    *(struct wtl_job_row *)arg = *row; /* its texts are not used later */
    return 0;
}

struct way_sums {
    size_t rows;
    struct wtl_total_row row;
};

static int take_way(void *arg, const struct wtl_total_row *row)
{
    struct way_sums *way = (struct way_sums *)arg;
    way->rows++;
    way->row = *row;
    return 0;
}

/* Cluster "way" has one job of 5 J on each of its nodes that are known. */
static void check_way(struct wtl_store *store, int known, int seen, const char *when)
{
    static const enum wtl_store_group by[] = {WTL_GROUP_USER, WTL_GROUP_PROGRAM, WTL_GROUP_CLUSTER};
    const struct wtl_job_query query = {.cluster = "way"};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        struct way_sums way = {0};
        ok(wtl_store_totals(store, &query, by[i], take_way, &way, &err) == 0 && way.rows == 1 &&
               way.row.jobs == 1 && way.row.jobs_unknown == (known == 0) &&
               way.row.jobs_lower == (known > 0 && known < 2) &&
               (known == 0 || close_to(way.row.charged_j, 5.0 * known)),
           "%s: sums %zu: %zu rows, %d jobs, %d unknown, %d lower, %g J", when, i, way.rows,
           (int)way.row.jobs, (int)way.row.jobs_unknown, (int)way.row.jobs_lower,
           way.row.charged_j);
    }
    struct wtl_job_row row = {0};
    (void)wtl_store_jobs(store, &query, take_job, &row, &err);
    ok(row.nodes_seen == seen && row.nodes_known == known, "%s: %d nodes of %d are known", when,
       (int)row.nodes_known, (int)row.nodes_seen);
}

static size_t put_way(struct wtl_store *store, const char *node, const char *boot, double joules)
{
    struct wtl_job_record record;
    size_t added = 9;
    wtl_job_record_init(&record);
    (void)wtl_job_text_set(record.cluster, sizeof record.cluster, "way");
    (void)wtl_job_text_set(record.unit, sizeof record.unit, "7.0.0");
    (void)wtl_job_text_set(record.user, sizeof record.user, "u");
    (void)wtl_job_text_set(record.node, sizeof record.node, node);
    (void)wtl_job_text_set(record.boot_id, sizeof record.boot_id, boot);
    record.state = isnan(joules) ? WTL_JOB_UNKNOWN : WTL_JOB_ENDED;
    record.energy_j = record.charged_j = joules;
    record.nodes = 2;
    record.begin_ns = isnan(joules) ? 0 : begin_ns;
    record.end_ns = begin_ns + (isnan(joules) ? 2 * day_ns : 1000000000);
    if (wtl_store_put(store, &record, 1, &added, &err) < 0)
        diag("%s", err.text);
    return added;
}

void test_giving_way(struct wtl_store *store)
{
    is_int(put_way(store, "n1", "b", NAN), 1, "wattled of n1 did not answer");
    check_way(store, 0, 1, "unknown");
    is_int(put_way(store, "n2", "b", NAN), 1, "nor that of n2");
    check_way(store, 0, 2, "twice");
    is_int(put_way(store, "n1", "b", 5), 1, "n1 knows it later");
    check_way(store, 1, 2, "one node");
    is_int(put_way(store, "n1", "b", NAN), 0, "nothing is known again");
    is_int(put_way(store, "n1", "b2", NAN), 0, "nor by another boot of it");
    is_int(put_way(store, "n1", "b", 6), 0, "what is known stays");
    check_way(store, 1, 2, "still");
    is_int(put_way(store, "n2", "b0", 5), 1, "n2 knows it until its crash");
    check_way(store, 2, 2, "both");
}

enum { SMALL = 300, LARGE = 5, TOP = 10 };

struct top {
    size_t rows;
    double joules[2 * TOP];
};

static int take_energy(void *arg, const struct wtl_job_row *row)
{
    struct top *top = (struct top *)arg;
    if (top->rows < 2 * TOP)
        top->joules[top->rows] = row->charged_j;
    top->rows++;
    return 0;
}

/* A job of one node is small; large ones are so by their second node. */
static void put_small(struct wtl_store *store)
{
    static struct wtl_job_record records[SMALL + 2 * LARGE];
    size_t n = 0, added = 0;
    for (int i = 0; i < SMALL + LARGE; i++)
        for (int node = 0; node <= (i >= SMALL); node++) {
            struct wtl_job_record *record = &records[n++];
            wtl_job_record_init(record);
            (void)snprintf(record->unit, sizeof record->unit, "small%d", i);
            (void)snprintf(record->node, sizeof record->node, node ? "large" : "small");
            (void)snprintf(record->partition, sizeof record->partition, "small");
            record->state = WTL_JOB_ENDED;
            record->begin_ns = 1;
            record->end_ns = 2 + i;
            record->charged_j = record->energy_j = node ? 1e12 + i : 1e-6 * i;
        }
    is_int(wtl_store_put(store, records, n, &added, &err), 0, "small jobs");
    is_int(added, n, "all of them");
}

/* The largest jobs of a place whose jobs are smaller than all others are not found by a walk from the largest of all. */
void test_largest(struct wtl_store *store)
{
    const struct wtl_job_query queries[] = {
        {.node = "small"},
        {.node = "small", .from_ns = 1, .to_ns = 2 + SMALL + LARGE},
        {.node = "small", .partition = "small"},
        {.partition = "small"},
    };
    int64_t gone;
    put_small(store);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct wtl_job_query query = queries[i];
        struct top top = {.rows = 0};
        bool right = true;
        query.by_energy = true;
        query.limit = TOP;
        is_int(wtl_store_jobs(store, &query, take_energy, &top, &err), 0, "the largest, %zu", i);
        is_int(top.rows, TOP, "as many as wanted");
        for (int k = 0; k < TOP; k++) {
            int job = SMALL + LARGE - 1 - k;
            right = right &&
                    close_to(top.joules[k], job >= SMALL ? 1e12 + job + 1e-6 * job : 1e-6 * job);
        }
        ok(right, "in the order of their energies: %g .. %g J", top.joules[0], top.joules[TOP - 1]);
    }
    is_int(wtl_store_purge(store, 2 + SMALL + LARGE, &gone, &err), 0, "gone again");
    is_int(gone, SMALL + LARGE, "all of them");
}
