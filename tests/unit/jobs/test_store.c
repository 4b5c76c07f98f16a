/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store against sums made here from the same records. On SQLite; on PostgreSQL where WATTLE_TEST_DATABASE is the
 * URL of an empty database (tests/integration/jobs).
 */
#define _GNU_SOURCE
#include "jobs/store.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "jobs/database/store_state.h"
#include "made_jobs.h"
#include "store_records.h"
#include "tap.h"

enum { JOBS = 1500, GROUPS_MAX = 128 };
#define DAY INT64_C(86400000000000)

static char url[256], folder[] = "/tmp/wattle-store-XXXXXX";
static struct wattle_error err;

/* Sums of this test. */
struct sum {
    char key[64];
    int64_t jobs, unknown, lower;
    double charged_j, node_s, cpu_s;
};
static struct sum sums[GROUPS_MAX];
static size_t sum_count;

struct job {
    const struct wtl_job_record *first;
    int64_t end_ns, seen, known, lower, nodes;
    double charged_j, node_s, cpu_s;
    bool simulated;
};
static struct job jobs[JOBS * 2];
static size_t job_count;

static bool same_key(const struct wtl_job_record *a, const struct wtl_job_record *b)
{
    return strcmp(a->cluster, b->cluster) == 0 && strcmp(a->unit, b->unit) == 0 &&
           strcmp(a->step, b->step) == 0 && strcmp(a->node, b->node) == 0 &&
           strcmp(a->boot_id, b->boot_id) == 0;
}

/* Not the second of two records with one key. */
static bool is_first(const struct made_jobs *made, size_t i)
{
    for (size_t k = i < 400 ? 0 : i - 400; k < i; k++)
        if (same_key(&made->list[k], &made->list[i]))
            return false;
    return true;
}

static void join(const struct made_jobs *made)
{
    job_count = 0;
    for (size_t i = 0; i < made->count; i++) {
        const struct wtl_job_record *r = &made->list[i];
        if (r->step[0] || !is_first(made, i))
            continue;
        size_t k = 0;
        while (k < job_count && !(strcmp(jobs[k].first->unit, r->unit) == 0 &&
                                  strcmp(jobs[k].first->cluster, r->cluster) == 0))
            k++;
        struct job *job = &jobs[k];
        if (k == job_count) {
            jobs[job_count++] = (struct job){.first = r};
        }
        job->end_ns = r->end_ns > job->end_ns ? r->end_ns : job->end_ns;
        job->seen++;
        job->nodes = r->nodes > job->nodes ? r->nodes : job->nodes;
        job->known += !isnan(r->charged_j);
        job->lower += r->lower_bound;
        job->charged_j += isnan(r->charged_j) ? 0 : r->charged_j;
        job->cpu_s += isnan(r->cpu_s) ? 0 : r->cpu_s;
        job->node_s += 1e-9 * (double)r->elapsed_ns;
    }
}

static struct sum *sum_of(const char *key)
{
    size_t i = 0;
    while (i < sum_count && strcmp(sums[i].key, key) != 0)
        i++;
    if (i == sum_count) {
        if (sum_count == GROUPS_MAX)
            abort();
        sums[sum_count] = (struct sum){.jobs = 0};
        (void)snprintf(sums[sum_count++].key, sizeof sums[0].key, "%s", key);
    }
    return &sums[i];
}

static void add_job(const struct job *job, const char *key)
{
    struct sum *sum = sum_of(key);
    sum->jobs++;
    sum->unknown += job->known == 0;
    sum->lower +=
        job->known > 0 && (job->lower > 0 || job->known < job->seen || job->seen < job->nodes);
    sum->charged_j += job->charged_j;
    sum->node_s += job->node_s;
    sum->cpu_s += job->cpu_s;
}

static void add_up(int64_t from, int64_t to, const char *user, size_t key_offset)
{
    sum_count = 0;
    for (size_t i = 0; i < job_count; i++) {
        const struct job *job = &jobs[i];
        if (job->end_ns < from || (to > 0 && job->end_ns >= to) ||
            (user && strcmp(job->first->user, user) != 0))
            continue;
        add_job(job, (const char *)job->first + key_offset);
    }
}

struct check {
    size_t rows, wrong;
    double last_j;
};

static int check_total(void *arg, const struct wtl_total_row *row)
{
    struct check *check = (struct check *)arg;
    const struct sum *sum = sum_of(row->key);
    check->rows++;
    double charged = isnan(row->charged_j) ? 0 : row->charged_j;
    bool right = sum->jobs == row->jobs && sum->unknown == row->jobs_unknown &&
                 sum->lower == row->jobs_lower && close_to(sum->charged_j, charged) &&
                 close_to(sum->node_s, row->node_s) && close_to(sum->cpu_s, row->cpu_s) &&
                 isnan(row->charged_j) == (row->jobs == row->jobs_unknown);
    if (!right && check->wrong++ == 0)
        diag("%s: jobs %d %d, unknown %d %d, lower %d %d, J %.9g %.9g, node s %.9g %.9g, CPU s "
             "%.9g %.9g",
             row->key, (int)row->jobs, (int)sum->jobs, (int)row->jobs_unknown, (int)sum->unknown,
             (int)row->jobs_lower, (int)sum->lower, row->charged_j, sum->charged_j, row->node_s,
             sum->node_s, row->cpu_s, sum->cpu_s);
    return 0;
}

static const struct {
    enum wtl_store_group group;
    const char *name;
    size_t offset;
} groups[] = {
    {WTL_GROUP_USER, "user", offsetof(struct wtl_job_record, user)},
    {WTL_GROUP_ACCOUNT, "account", offsetof(struct wtl_job_record, account)},
    {WTL_GROUP_PROGRAM, "program", offsetof(struct wtl_job_record, name)},
    {WTL_GROUP_PARTITION, "partition", offsetof(struct wtl_job_record, partition)},
    {WTL_GROUP_CLUSTER, "cluster", offsetof(struct wtl_job_record, cluster)},
};

static void test_totals(struct wtl_store *store, const char *when)
{
    const int64_t midnight = (MADE_START_NS / DAY + 5) * DAY;
    const int64_t ranges[][2] = {{0, 0},
                                 {MADE_START_NS + 3 * DAY, MADE_START_NS + 20 * DAY},
                                 {midnight, midnight + 7 * DAY},
                                 {midnight + 1, midnight + 2},
                                 {midnight + DAY / 3, midnight + DAY / 2},
                                 {midnight + DAY / 3, 0},
                                 {0, midnight + DAY / 3}};
    size_t wrong = 0, rows = 0, missing = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
            for (int u = 0; u < 2; u++) {
                struct wtl_job_query query = {
                    .from_ns = ranges[r][0], .to_ns = ranges[r][1], .user = u ? "user3" : NULL};
                struct check check = {0, 0, 0};
                add_up(query.from_ns, query.to_ns, query.user, groups[g].offset);
                size_t want = sum_count;
                int rc =
                    wtl_store_totals(store, &query, groups[g].group, check_total, &check, &err);
                if (rc < 0)
                    diag("%s", err.text);
                wrong += check.wrong + (rc < 0);
                rows += check.rows;
                missing += check.rows != want;
                if (check.rows != want)
                    diag("%s, range %zu, user %d: %zu rows of %zu", groups[g].name, r, u,
                         check.rows, want);
            }
    ok(wrong == 0 && missing == 0 && rows > 100,
       "%s: sums by five keys over seven times are those of the jobs (%zu rows)", when, rows);
}

struct walk {
    size_t rows, wrong;
    int64_t last_ns;
    double last_j;
    bool by_energy, unordered;
};

static int check_job(void *arg, const struct wtl_job_row *row)
{
    struct walk *walk = (struct walk *)arg;
    const struct job *job = NULL;
    for (size_t i = 0; i < job_count && !job; i++)
        if (strcmp(jobs[i].first->unit, row->unit) == 0 &&
            strcmp(jobs[i].first->cluster, row->cluster) == 0)
            job = &jobs[i];
    bool right =
        job && job->seen == row->nodes_seen && job->known == row->nodes_known &&
        job->end_ns == row->end_ns && isnan(row->charged_j) == (job->known == 0) &&
        (job->known == 0 || close_to(job->charged_j, row->charged_j)) &&
        row->lower_bound == (job->lower > 0 || job->known < job->seen || job->seen < job->nodes);
    right = right &&
            (walk->by_energy || walk->unordered || walk->rows == 0 || row->end_ns <= walk->last_ns);
    right = right && (!walk->by_energy || walk->rows == 0 || isnan(row->charged_j) ||
                      row->charged_j <= walk->last_j);
    if (!right && walk->wrong++ == 0)
        diag("%s: seen %d, known %d, J %.9g", row->unit, (int)row->nodes_seen,
             (int)row->nodes_known, row->charged_j);
    walk->last_ns = row->end_ns;
    walk->last_j = row->charged_j;
    walk->rows++;
    return 0;
}

static size_t count_jobs(const struct wtl_job_query *query)
{
    size_t n = 0;
    for (size_t i = 0; i < job_count; i++) {
        const struct wtl_job_record *r = jobs[i].first;
        n += (!query->user || strcmp(r->user, query->user) == 0) &&
             (!query->partition || strcmp(r->partition, query->partition) == 0) &&
             jobs[i].end_ns >= query->from_ns &&
             (query->to_ns == 0 || jobs[i].end_ns < query->to_ns) &&
             (!query->job_id || strcmp(r->job_id, query->job_id) == 0) &&
             (query->kind == 0 || (int)r->kind + 1 == query->kind);
    }
    return query->limit && n > query->limit ? query->limit : n;
}

static void test_jobs(struct wtl_store *store)
{
    const struct wtl_job_query queries[] = {
        {.limit = 0},
        {.user = "user1", .limit = 7},
        {.from_ns = MADE_START_NS + 3 * DAY, .to_ns = MADE_START_NS + 4 * DAY},
        {.by_energy = true, .limit = 10},
        {.by_energy = true},
        {.by_energy = true,
         .user = "user2",
         .from_ns = MADE_START_NS + DAY,
         .to_ns = MADE_START_NS + 30 * DAY,
         .limit = 5},
        {.partition = "p1", .by_energy = true, .limit = 20},
        {.job_id = "49"},
        {.user = "nobody"},
        {.user = "user1' OR '1' = '1"},
        {.kind = WTL_JOB_RUN + 1},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        struct walk walk = {.by_energy = queries[i].by_energy};
        int rc = wtl_store_jobs(store, &queries[i], check_job, &walk, &err);
        if (rc < 0)
            diag("%s", err.text);
        ok(rc == 0 && walk.wrong == 0, "query %zu: rows are those of the records", i);
        is_int(walk.rows, count_jobs(&queries[i]), "query %zu: number of rows", i);
    }
}

static bool same(const char *wanted, const char *text)
{
    return !wanted || strcmp(wanted, text) == 0;
}

/* With a node, sums are of what the jobs are charged there. */
static struct job on_node(const struct job *job, const char *node, const struct made_jobs *made)
{
    struct job part = {.first = job->first};
    for (const struct wtl_job_record *r = job->first;
         r < made->list + made->count && strcmp(r->unit, job->first->unit) == 0; r++) {
        if (r->step[0] || strcmp(r->cluster, job->first->cluster) != 0 ||
            strcmp(r->node, node) != 0 || !is_first(made, (size_t)(r - made->list)))
            continue;
        part.seen++;
        part.known += !isnan(r->charged_j);
        part.lower += r->lower_bound;
        part.charged_j += isnan(r->charged_j) ? 0 : r->charged_j;
        part.cpu_s += isnan(r->cpu_s) ? 0 : r->cpu_s;
        part.node_s += 1e-9 * (double)r->elapsed_ns;
    }
    return part;
}

/* When a job ended: on the node of the query, or as a whole. INT64_MIN = it has no record there. */
static int64_t end_of(const struct job *job,
                      const struct wtl_job_query *query,
                      const struct made_jobs *made)
{
    int64_t end = INT64_MIN;
    if (!query->node)
        return job->end_ns;
    for (const struct wtl_job_record *r = job->first;
         r < made->list + made->count && strcmp(r->unit, job->first->unit) == 0; r++)
        if (!r->step[0] && same(r->cluster, job->first->cluster) && same(query->node, r->node))
            end = r->end_ns;
    return end;
}

static bool is_of(const struct job *job,
                  const struct wtl_job_query *query,
                  const struct made_jobs *made)
{
    const struct wtl_job_record *r = job->first;
    int64_t end = end_of(job, query, made);
    return same(query->cluster, r->cluster) && same(query->user, r->user) &&
           same(query->account, r->account) && same(query->partition, r->partition) &&
           same(query->name, r->name) && (query->kind == 0 || (int)r->kind + 1 == query->kind) &&
           (query->state == 0 || (int)r->state + 1 == query->state) && end >= query->from_ns &&
           (query->to_ns == 0 || end < query->to_ns);
}

static uint64_t draw;
static int64_t one_of(int64_t n)
{
    return (int64_t)(wtl_random_uniform(3, draw++) * (double)n);
}

/* Each condition now and then, also one that nothing fulfils. */
static struct wtl_job_query any_query(char texts[6][16])
{
    static const char *const words[] = {"c", "user", "account", "p", "program", "n"};
    static const int64_t counts[] = {4, 6, 4, 3, 8, MADE_NODES};
    const char *given[6];
    for (size_t i = 0; i < 6; i++) {
        (void)snprintf(texts[i], 16, "%s%d", words[i], (int)one_of(counts[i]));
        given[i] = one_of(10) < 4 ? texts[i] : NULL;
    }
    struct wtl_job_query query = {.cluster = given[0],
                                  .user = given[1],
                                  .account = given[2],
                                  .partition = given[3],
                                  .name = given[4],
                                  .node = given[5],
                                  .by_energy = one_of(2) == 0,
                                  .kind = one_of(3) > 0 ? 0 : 1 + (int)one_of(WTL_JOB_KINDS),
                                  .state = one_of(3) > 0 ? 0 : 1 + (int)one_of(WTL_JOB_STATES),
                                  .limit = one_of(2) == 0 ? 0 : 1 + (size_t)one_of(30)};
    if (one_of(2) == 0)
        query.from_ns = MADE_START_NS + one_of(20 * DAY);
    if (one_of(2) == 0)
        query.to_ns = MADE_START_NS + 15 * DAY + one_of(20 * DAY);
    return query;
}

static void test_conditions(struct wtl_store *store, const struct made_jobs *made)
{
    enum { QUERIES = 120 };
    size_t wrong = 0, some = 0;
    for (int i = 0; i < QUERIES; i++) {
        char texts[6][16];
        struct wtl_job_query query = any_query(texts);
        struct walk walk = {.by_energy = query.by_energy, .unordered = query.node != NULL};
        struct check check = {0, 0, 0};
        sum_count = 0;
        size_t want = 0;
        for (size_t k = 0; k < job_count; k++) {
            if (!is_of(&jobs[k], &query, made))
                continue;
            want++;
            struct job job = query.node ? on_node(&jobs[k], query.node, made) : jobs[k];
            add_job(&job, jobs[k].first->account);
        }
        some += want > 0;
        bool right = wtl_store_jobs(store, &query, check_job, &walk, &err) == 0 &&
                     walk.wrong == 0 &&
                     walk.rows == (query.limit && want > query.limit ? query.limit : want);
        query.limit = 0;
        right =
            wtl_store_totals(store, &query, WTL_GROUP_ACCOUNT, check_total, &check, &err) == 0 &&
            check.wrong == 0 && check.rows == sum_count && right;
        if (!right && wrong++ == 0)
            diag("query %d: %zu rows of %zu, %zu wrong; %zu sums of %zu, %zu wrong; %s", i,
                 walk.rows, want, walk.wrong, check.rows, sum_count, check.wrong, err.text);
    }
    ok(wrong == 0 && some > 30, "conditions in any combination: %zu of %d have jobs", some,
       QUERIES);
}

struct nodes {
    const struct made_jobs *made;
    int64_t from, to;
    size_t rows, wrong;
};

static int check_node(void *arg, const struct wtl_node_row *row)
{
    struct nodes *nodes = (struct nodes *)arg;
    double want = 0, cut = 0;
    int64_t records = 0, records_cut = 0;
    for (size_t i = 0; i < nodes->made->count; i++) {
        const struct wtl_job_record *r = &nodes->made->list[i];
        if (r->step[0] || strcmp(r->node, row->node) != 0 ||
            strcmp(r->cluster, row->cluster) != 0 || !is_first(nodes->made, i))
            continue;
        int64_t a = r->begin_ns > nodes->from ? r->begin_ns : nodes->from;
        int64_t b = r->end_ns < nodes->to ? r->end_ns : nodes->to;
        if (b <= a && !(r->end_ns >= nodes->from && r->end_ns < nodes->to))
            continue;
        double part = (double)(b - a) / (double)(r->end_ns - r->begin_ns);
        bool is_cut = r->begin_ns < nodes->from || r->end_ns >= nodes->to;
        records++;
        records_cut += is_cut && r->end_ns > nodes->from;
        want += isnan(r->charged_j) ? 0 : r->charged_j * part;
        cut += is_cut && !isnan(r->charged_j) ? r->charged_j * part : 0;
    }
    bool right = records == row->records && records_cut == row->records_cut &&
                 fabs(want - row->charged_j) < 1e-6 * (1 + want) &&
                 fabs(cut - row->cut_j) < 1e-6 * (1 + cut);
    nodes->rows++;
    if (!right && nodes->wrong++ == 0)
        diag("%s %s: records %d of %d, cut %d of %d, J %.9g of %.9g, cut J %.9g of %.9g",
             row->cluster, row->node, (int)row->records, (int)records, (int)row->records_cut,
             (int)records_cut, row->charged_j, want, row->cut_j, cut);
    return 0;
}

static void test_nodes(struct wtl_store *store, const struct made_jobs *made)
{
    const char *const some[] = {"n1", "n4", "absent"};
    const int64_t ranges[][2] = {
        {MADE_START_NS + 3 * DAY, MADE_START_NS + 20 * DAY},
        {MADE_START_NS + 3 * DAY, MADE_START_NS + 3 * DAY + DAY / 50},
        {0, MADE_START_NS + 100 * DAY},
        {(MADE_START_NS / DAY + 5) * DAY, (MADE_START_NS / DAY + 8) * DAY}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct nodes all = {made, ranges[i][0], ranges[i][1], 0, 0}, two = all;
        int rc =
            wtl_store_nodes_energy(store, NULL, NULL, 0, all.from, all.to, check_node, &all, &err);
        if (rc < 0)
            diag("%s", err.text);
        ok(rc == 0 && all.wrong == 0 && all.rows > 5, "range %zu: energy of all nodes by overlap",
           i);
        rc = wtl_store_nodes_energy(store, "c1", some, 3, two.from, two.to, check_node, &two, &err);
        ok(rc == 0 && two.wrong == 0 && two.rows <= 2 && (two.rows == 2 || i == 1),
           "range %zu: of two nodes of a cluster", i);
    }
    is_int(wtl_store_nodes_energy(store, NULL, NULL, 0, 5, 5, check_node, NULL, &err), -EINVAL,
           "no time");
}

struct seen {
    size_t records, steps, channels, wrong;
    const struct made_jobs *made;
};

static int check_record(void *arg, const struct wtl_job_record *record)
{
    struct seen *seen = (struct seen *)arg;
    char *line, *want;
    size_t n, m;
    for (size_t i = 0; i < seen->made->count; i++) {
        if (!same_key(&seen->made->list[i], record) || !is_first(seen->made, i))
            continue;
        if (wtl_job_record_line(record, &line, &n, &err) < 0 ||
            wtl_job_record_line(&seen->made->list[i], &want, &m, &err) < 0)
            return -1;
        if (n != m || memcmp(line, want, n) != 0) {
            seen->wrong++;
            diag("%s%s", line, want);
        }
        free(line);
        free(want);
        seen->records++;
        seen->steps += record->step[0] != '\0';
        seen->channels += record->channel_count;
    }
    return 0;
}

static void test_records(struct wtl_store *store, const struct made_jobs *made)
{
    struct seen seen = {.made = made};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < 200; i++) {
        const struct wtl_job_query query = {.unit = made->list[i].unit,
                                            .cluster = made->list[i].cluster};
        rc = i > 0 && strcmp(made->list[i].unit, made->list[i - 1].unit) == 0
                 ? 0
                 : wtl_store_records(store, &query, check_record, &seen, &err);
    }
    ok(rc == 0 && seen.wrong == 0 && seen.records > 100 && seen.steps > 10 && seen.channels > 100,
       "%zu records come back as they were put, %zu of steps, with %zu channels", seen.records,
       seen.steps, seen.channels);
}

static size_t put_all(struct wtl_store *store, const struct made_jobs *made)
{
    size_t added = 0, n, at = 0;
    while (at < made->count) {
        size_t some = made->count - at < 100 ? made->count - at : 100;
        if (wtl_store_put(store, made->list + at, some, &n, &err) < 0) {
            diag("%s", err.text);
            return 0;
        }
        added += n;
        at += some;
    }
    return added;
}

/* Of a node, sums over months and of other times must be those of its records, as the sums of all users are. */
static void test_node_users(struct wtl_store *store, const struct made_jobs *made)
{
    const int64_t month = (MADE_START_NS / DAY / 32 + 1) * 32 * DAY;
    const int64_t ranges[][2] = {{0, 0},
                                 {month, 0},
                                 {0, month},
                                 {month - DAY / 3, month + DAY / 3},
                                 {MADE_START_NS + DAY / 7, month + 40 * DAY}};
    size_t wrong = 0, rows = 0;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int by_node = 0; by_node < 2; by_node++) {
            const struct wtl_job_query query = {.from_ns = ranges[r][0],
                                                .to_ns = ranges[r][1],
                                                .user = by_node ? "user2" : NULL,
                                                .node = by_node ? NULL : "n2"};
            struct check check = {0, 0, 0};
            sum_count = 0;
            for (size_t i = 0; i < made->count; i++) {
                const struct wtl_job_record *record = &made->list[i];
                struct job job = {.first = record};
                if (record->step[0] || !is_first(made, i) || record->end_ns < query.from_ns ||
                    (query.to_ns > 0 && record->end_ns >= query.to_ns) ||
                    strcmp(by_node ? record->user : record->node,
                           by_node ? query.user : query.node) != 0)
                    continue;
                job.seen = 1;
                job.known = !isnan(record->charged_j);
                job.lower = record->lower_bound;
                job.charged_j = isnan(record->charged_j) ? 0 : record->charged_j;
                job.cpu_s = isnan(record->cpu_s) ? 0 : record->cpu_s;
                job.node_s = 1e-9 * (double)record->elapsed_ns;
                add_job(&job, by_node ? record->node : record->user);
            }
            int rc = wtl_store_totals(store, &query, by_node ? WTL_GROUP_NODE : WTL_GROUP_USER,
                                      check_total, &check, &err);
            wrong += check.wrong + (rc < 0) + (check.rows != sum_count);
            rows += check.rows;
        }
    ok(wrong == 0 && rows > 20, "users of a node, and nodes of a user: %zu rows", rows);
}

static void test_open(void)
{
    struct wtl_store *store = NULL;
    is_int(wtl_store_open("mysql://x", WTL_STORE_READ, &store, &err), -EINVAL, "another engine");
    is_int(wtl_store_open("sqlite:/nowhere/x", WTL_STORE_READ, &store, &err), -ENOENT, "no file");
    is_int(wtl_store_open("sqlite:", WTL_STORE_READ, &store, &err), -EINVAL, "no name");
    is_int(wtl_store_open("sqlite:/etc/passwd", WTL_STORE_READ, &store, &err), -EIO,
           "no database: %s", err.text);
    int rc = wtl_store_open("postgresql://u@db.example.org/x?sslmode=disable", WTL_STORE_READ,
                            &store, &err);
    ok(rc == -EINVAL || rc == -ENOTSUP, "no TLS to another machine: %s", err.text);
    rc = wtl_store_open("postgresql://u@localhost,db.example.org/x?sslmode=prefer", WTL_STORE_READ,
                        &store, &err);
    ok(rc == -EINVAL || rc == -ENOTSUP, "nor to one of several");
    rc = wtl_store_open("postgresql://u@/x?hostaddr=192.0.2.1&sslmode=allow", WTL_STORE_READ,
                        &store, &err);
    ok(rc == -EINVAL || rc == -ENOTSUP, "nor by address");
}

static bool open_store(struct wtl_store **store)
{
    const char *given = getenv("WATTLE_TEST_DATABASE");
    if (!given && !mkdtemp(folder))
        abort();
    if (given)
        (void)snprintf(url, sizeof url, "%s", given);
    else
        (void)snprintf(url, sizeof url, "sqlite:%s/jobs.db", folder);
    int rc = wtl_store_open(url, given ? WTL_STORE_ADMIN : WTL_STORE_WRITE, store, &err);
    if (rc == 0 && given)
        rc = wtl_store_migrate(*store, NULL, &err);
    if (rc == -ENOTSUP) {
        printf("1..0 # SKIP %s\n", err.text);
        exit(77);
    }
    return ok(rc == 0, "a new database (%s)", rc ? err.text : "");
}

/* From version 3, which had no sums per node and user: they are made from the records, and go on from there. */
static void test_migration(struct wtl_store **store, const struct made_jobs *made)
{
    const struct wtl_database_engine *engine = (*store)->database->engine;
    if (engine != &wtl_database_sqlite)
        return;
    int rc = engine->script((*store)->database,
                            "DROP TABLE node_user_total; DROP TABLE job; DROP INDEX job_node_user; "
                            "UPDATE meta SET value = 3 WHERE name = 'version'",
                            &err);
    ok(rc == 0, "a database of an older version%s", rc ? err.text : "");
    wtl_store_close(*store);
    *store = NULL;
    is_int(wtl_store_open(url, WTL_STORE_WRITE, store, &err), 0, "is migrated");
    test_totals(*store, "migrated");
    test_node_users(*store, made);
    test_conditions(*store, made);
    is_int(put_all(*store, made), 0, "all records are there");
}

/* ---- many at once ---- */

static int take_real(void *arg, const struct wtl_sql_row *row)
{
    *(double *)arg = wtl_sql_get_real(row, 0);
    return 0;
}

static struct wtl_store *open_file(const char *name)
{
    struct wtl_store *store = NULL;
    char path[300];
    (void)snprintf(path, sizeof path, "sqlite:%s/%s", folder, name);
    is_int(wtl_store_open(path, WTL_STORE_WRITE, &store, &err), 0, "%s", name);
    if (!store)
        abort();
    return store;
}

static void remove_file(struct wtl_store *store)
{
    (void)unlink(wtl_store_name(store));
    wtl_store_close(store);
}

static int put_bulk(struct wtl_store *store,
                    const struct made_jobs *made,
                    size_t from,
                    size_t to,
                    size_t *ret_new)
{
    struct wtl_store_bulk *bulk;
    int rc = wtl_store_bulk_begin(store, 0, &bulk, &err);
    if (rc < 0)
        return rc;
    for (size_t i = from; rc == 0 && i < to; i++)
        rc = wtl_store_bulk_put(bulk, &made->list[i], &err);
    return wtl_store_bulk_end(bulk, rc, NULL, 0, ret_new, &err);
}

static int count_one(void *arg, const struct wtl_job_row *row)
{
    (void)row;
    ++*(size_t *)arg;
    return 0;
}

static size_t jobs_of(struct wtl_store *store)
{
    const struct wtl_job_query all = {.limit = 0};
    size_t n = 0;
    if (wtl_store_jobs(store, &all, count_one, &n, &err) < 0)
        diag("%s", err.text);
    return n;
}

/* All that follows from the records is what it is one by one: after some were put so, in two goes, with some of them again. */
static void test_bulk(const struct made_jobs *made, size_t first)
{
    struct wtl_store *store = open_file("bulk.db"), *reader = NULL;
    char path[300];
    size_t added = 0, more = 0, alone = 0;
    const size_t third = made->count / 3;
    (void)snprintf(path, sizeof path, "sqlite:%s/bulk.db", folder);
    is_int(wtl_store_put(store, made->list, third, &alone, &err), 0, "a third, one by one");
    is_int(put_bulk(store, made, third - 50, 2 * third, &added), 0, "a third at once");
    is_int(put_bulk(store, made, 2 * third - 50, made->count, &more), 0, "and the rest");
    is_int(alone + added + more, first, "%zu, %zu and %zu records", alone, added, more);
    test_totals(store, "bulk");
    test_jobs(store);
    test_conditions(store, made);
    test_node_users(store, made);
    test_records(store, made);
    test_nodes(store, made);

    struct wtl_store_bulk *bulk;
    struct wtl_job_record bad = made->list[0];
    (void)snprintf(bad.unit, sizeof bad.unit, "another");
    is_int(wtl_store_open(path, WTL_STORE_READ, &reader, &err), 0, "a reader");
    size_t before = jobs_of(reader);
    is_int(wtl_store_bulk_begin(store, 1000, &bulk, &err), 0, "begun");
    is_int(wtl_store_bulk_put(bulk, &bad, &err), 0, "one more");
    is_int(jobs_of(reader), before, "one transaction: a reader sees nothing of it");
    bad.charged_j = 1e300;
    int rc = wtl_store_bulk_put(bulk, &bad, &err);
    is_int(rc, -EBADMSG, "what no record may be is refused");
    is_int(wtl_store_bulk_end(bulk, rc, NULL, 0, NULL, &err), -EBADMSG, "and all of it is undone");
    is_int(jobs_of(reader), before, "it is");
    wtl_store_close(reader);
    bad.charged_j = 1;
    is_int(wtl_store_put(store, &bad, 1, &added, &err), 0, "triggers are there as before");
    is_int(jobs_of(store), before + 1, "a job");
    remove_file(store);
}

static double cpu_s(clock_t since)
{
    return (double)(clock() - since) / CLOCKS_PER_SEC;
}

/* All at once or one by one; how long that takes is printed only. */
static void test_rates(const struct made_jobs *made)
{
    struct wtl_store *alone = open_file("alone.db"), *bulk = open_file("bulk.db");
    size_t added;
    int64_t changed = 0;
    clock_t since = clock();
    is_int(wtl_store_put(alone, made->list, made->count, &added, &err), 0, "one by one");
    double alone_s = cpu_s(since);
    since = clock();
    is_int(put_bulk(bulk, made, 0, made->count, &added), 0, "at once");
    double bulk_s = cpu_s(since);
    printf("# %zu records at once take %.3f s, one by one %.3f s\n", made->count, bulk_s, alone_s);
    since = clock();
    is_int(wtl_store_anonymise(bulk, INT64_MAX, &changed, &err), 0, "all are made anonymous");
    double hide_s = cpu_s(since);
    is_int(changed, job_count, "all");
    printf("# in %.3f s\n", hide_s);
    since = clock();
    is_int(wtl_store_purge(bulk, INT64_MAX, &changed, &err), 0, "all are removed");
    double purge_s = cpu_s(since);
    is_int(changed, job_count, "all");
    printf("# in %.3f s\n", purge_s);
    remove_file(alone);
    remove_file(bulk);
}

/* What the tables have, as numbers that differ if a row does. */
static double fingerprint(struct wtl_store *store, const char *table)
{
    char text[300];
    double found = NAN;
    (void)snprintf(
        text, sizeof text,
        "SELECT COUNT(*) * 1e6 + SUM(jobs * (day %% 1009)) + SUM(charged_j * (day %% 97)) * 1e-3 + "
        "SUM(gpu_j + node_s + cpu_s) * 1e-6 + SUM(jobs_lower * 7 + jobs_unknown * 3) FROM %s",
        table);
    const struct wtl_sql_statement ask = {.text = text, .take = take_real, .arg = &found};
    if (store->database->engine->run(store->database, &ask, &err) < 0)
        diag("%s", err.text);
    return found;
}

/* After some were made anonymous, and others removed, what is left is what follows from the records that are left. */
static void test_left(const struct made_jobs *made)
{
    static const char *const tables[] = {"user_total",     "program_total", "name_total",
                                         "account_total",  "site_total",    "node_total",
                                         "node_user_total"};
    enum { TABLES = sizeof tables / sizeof *tables };
    double before[TABLES];
    struct wtl_store *store = open_file("left.db");
    int64_t gone, hidden, again;
    size_t added;
    (void)put_bulk(store, made, 0, made->count, &added);
    is_int(wtl_store_anonymise(store, MADE_START_NS + 12 * DAY, &hidden, &err), 0, "anonymise");
    is_int(wtl_store_anonymise(store, MADE_START_NS + 12 * DAY, &again, &err), 0, "again");
    is_int(again, 0, "there is nobody");
    is_int(wtl_store_purge(store, MADE_START_NS + 5 * DAY, &gone, &err), 0, "purge");
    ok(hidden > gone && gone > 0, "%d and %d jobs", (int)hidden, (int)gone);
    is_int(jobs_of(store), job_count - (size_t)gone, "the others are there");
    for (size_t i = 0; i < TABLES; i++)
        before[i] = fingerprint(store, tables[i]);
    is_int(store->database->engine->script(store->database, "UPDATE meta SET value = 1", &err), 0,
           "an older version");
    is_int(wtl_store_migrate(store, NULL, &err), 0, "so that all is made again");
    for (size_t i = 0; i < TABLES; i++) {
        double now = fingerprint(store, tables[i]);
        ok(close_to(before[i], now), "%s: %.9g, %.9g", tables[i], before[i], now);
    }
    remove_file(store);
}

int main(void)
{
    struct wtl_store *store = NULL, *reader = NULL;
    struct made_jobs made = made_jobs(JOBS);
    size_t first = 0;
    if (!open_store(&store))
        return done_testing();
    for (size_t i = 0; i < made.count; i++)
        first += is_first(&made, i);
    join(&made);
    is_int(put_all(store, &made), first, "%zu records of %zu jobs", first, job_count);
    is_int(put_all(store, &made), 0, "again: all are there");
    test_totals(store, "put");
    test_jobs(store);
    test_conditions(store, &made);
    test_node_users(store, &made);
    test_records(store, &made);
    test_nodes(store, &made);
    test_migration(&store, &made);
    test_hostile(store);
    test_boots(store);
    test_largest(store);
    test_totals(store, "hostile");
    is_int(wtl_store_open(url, WTL_STORE_READ, &reader, &err), 0, "a second connection");
    test_totals(reader, "reader");
    wtl_store_close(reader);
    test_forgetting(store, MADE_START_NS + 10 * DAY);
    test_giving_way(store);
    test_senders(store);
    test_open();
    wtl_store_close(store);
    if (!getenv("WATTLE_TEST_DATABASE")) {
        test_bulk(&made, first);
        test_left(&made);
        test_rates(&made);
    }
    made_free(&made);
    if (!getenv("WATTLE_TEST_DATABASE")) {
        (void)unlink(url + 7);
        (void)rmdir(folder);
    }
    return done_testing();
}
