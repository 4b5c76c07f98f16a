/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * make_tracks FOLDER [TASKS]: the traces of a run of two nodes, of known content, as n1.wtl and n2.wtl. The window lasts 2 s. Node k draws
 * 50 k W in the first second and 100 k W in the second one, unknown from 1.5 to 1.6 s. Its process, of rank k - 1, has two threads; thread t
 * runs the region "solve" from 0.1 to 1.9 s and in it TASKS tasks (10) of 50 ms, "dgemm" and "dtrsm" in turns, then waits in a barrier for 50
 * ms. After each task thread 1 of rank 0 sends 4096 bytes to rank 1, tag 7, in 1 ms; rank 1 waits for it 3 ms. Each thread has an event 1000 at
 * 0.05 s with its number; the type is called "Phase", 2 "begin". The clock of n2 is 12345 s behind that of n1, known to 500 ns.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace/writer.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)
#define EPOCH  (UINT64_C(1700000000) * SECOND)

struct node {
    struct wtl_trace_writer *writer;
    unsigned k;
    uint64_t begin_ns; /* of the window, on its clock */
    uint32_t solve, dgemm, dtrsm, barrier, send, receive;
};

static uint32_t name_of(const struct node *node, const char *text)
{
    return (uint32_t)wtl_trace_writer_string(node->writer, text);
}

static void put_meta(const struct node *node)
{
    char name[8], text[32], key[32];
    struct wtl_trace_writer *w = node->writer;
    (void)snprintf(name, sizeof name, "n%u", node->k);
    (void)wtl_trace_writer_meta(w, "node.name", name);
    (void)wtl_trace_writer_meta(w, "node.key", name);
    (void)wtl_trace_writer_meta(w, "host.name", name);
    (void)wtl_trace_writer_meta(w, "run.id", "tracks-1");
    (void)wtl_trace_writer_meta(w, "run.command", "./app --size 10");
    (void)wtl_trace_writer_meta(w, "cpu.threads", "2");
    for (unsigned n = 0; n < 2; n++) {
        (void)snprintf(key, sizeof key, "sync.%u.time_ns", n);
        (void)snprintf(text, sizeof text, "%llu",
                       (unsigned long long)(node->begin_ns + n * 2 * SECOND));
        (void)wtl_trace_writer_meta(w, key, text);
        (void)snprintf(key, sizeof key, "sync.%u.offset_ns", n);
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)(EPOCH - node->begin_ns));
        (void)wtl_trace_writer_meta(w, key, text);
        (void)snprintf(key, sizeof key, "sync.%u.error_ns", n);
        (void)wtl_trace_writer_meta(w, key, "500");
        (void)snprintf(key, sizeof key, "sync.%u.reference", n);
        (void)wtl_trace_writer_meta(w, key, "00000000000000aa");
    }
}

static void put_power(const struct node *node)
{
    struct wattle_channel channel = {.name = "powercap:package-0",
                                     .sensor = "powercap",
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .sub = -1,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .flags = WATTLE_CHANNEL_PRIMARY,
                                     .scale = 1e-6};
    struct wtl_trace_writer *w = node->writer;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    const struct wtl_clock_pair pair = {node->begin_ns, node->begin_ns, EPOCH};
    uint64_t ticks = 0;
    (void)wtl_trace_writer_clocks(w, &pair);
    (void)wtl_trace_writer_window_begin(w, node->begin_ns);
    /* From 0.5 s before the window to 0.5 s after it. */
    for (uint64_t i = 0; i <= 300; i++) {
        uint64_t now = node->begin_ns - 500 * MS + i * 10 * MS;
        if (i > 0)
            ticks += (i <= 150 ? 500000u : 1000000u) * node->k;
        if (i == 250)
            (void)wtl_trace_writer_window_end(w, node->begin_ns + 2 * SECOND);
        if (i > 200 && i < 210)
            continue;
        if (i == 210)
            (void)wtl_trace_writer_gap(w, &(struct wtl_gap){.channel = id,
                                                            .reason = WTL_GAP_READ_FAILED,
                                                            .begin_ns = now - 100 * MS,
                                                            .end_ns = now});
        (void)wtl_trace_writer_row(w, group, now, &ticks, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
}

static void mark(const struct node *node,
                 uint32_t thread,
                 uint64_t ns,
                 unsigned kind,
                 uint32_t name,
                 uint64_t value)
{
    const struct wtl_mark one = {.time_ns = node->begin_ns + ns,
                                 .value = value,
                                 .thread = thread,
                                 .name = name,
                                 .kind = (enum wtl_mark_kind)kind};
    if (wtl_trace_writer_marks(node->writer, &one, 1) < 0)
        exit(1);
}

/* From `at` on, by the first thread of each rank. */
static void put_message(const struct node *node, uint32_t thread, uint64_t at)
{
    const int sends = node->k == 1;
    const uint64_t length = sends ? MS : 3 * MS;
    mark(node, thread, at, WATTLE_STATE_ENTER + WATTLE_STATE_MPI,
         sends ? node->send : node->receive, 0);
    mark(node, thread, at, WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_PEER, (uint64_t)(sends ? 1 : 0));
    mark(node, thread, at, WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_TAG, 7);
    if (sends)
        mark(node, thread, at, WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_BYTES, 4096);
    mark(node, thread, at + length, WATTLE_STATE_LEAVE + WATTLE_STATE_MPI,
         sends ? node->send : node->receive, 0);
    if (sends)
        return;
    mark(node, thread, at + length, WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_PEER, 0);
    mark(node, thread, at + length, WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_TAG, 7);
    mark(node, thread, at + length, WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_RECEIVED, 4096);
}

static void put_thread(const struct node *node, uint32_t process, unsigned t, unsigned tasks)
{
    const struct wtl_trace_thread about = {
        .process = process, .tid = 100 * node->k + t, .name = t == 1 ? "main" : "worker"};
    uint32_t thread = (uint32_t)wtl_trace_writer_thread(node->writer, &about);
    const uint64_t step = 1600 * MS / tasks;
    mark(node, thread, 50 * MS, WTL_MARK_EVENT, 1000, t);
    mark(node, thread, 100 * MS, WTL_MARK_BEGIN, node->solve, 0);
    for (unsigned i = 0; i < tasks; i++) {
        uint64_t at = 150 * MS + i * step, task = (uint64_t)t * tasks + i + 1;
        uint32_t type = i % 2 ? node->dtrsm : node->dgemm;
        mark(node, thread, at, WATTLE_TASK_RUN, type, task);
        mark(node, thread, at + step / 3, WATTLE_TASK_DONE, type, task);
        mark(node, thread, at + step / 3, WATTLE_STATE_ENTER + WATTLE_STATE_SYNC, node->barrier, 0);
        mark(node, thread, at + 2 * step / 3, WATTLE_STATE_LEAVE + WATTLE_STATE_SYNC, node->barrier,
             0);
        if (t == 1 && step >= 100 * MS)
            put_message(node, thread, at + 2 * step / 3 + 10 * MS);
    }
    mark(node, thread, 1900 * MS, WTL_MARK_END, node->solve, 0);
    if (t == 2) { /* programs may name their events at any time */
        mark(node, thread, 1900 * MS, WATTLE_TASK_LABEL_TYPE, name_of(node, "Phase"), 1000);
        mark(node, thread, 1900 * MS, WATTLE_TASK_LABEL_VALUE, name_of(node, "begin"), 2);
    }
    mark(node, thread, 1900 * MS, WTL_MARK_THREAD_END, 0, 0);
}

int main(int argc, char **argv)
{
    unsigned tasks = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10;
    for (unsigned k = 1; k <= 2 && argc > 1; k++) {
        const struct wtl_trace_options options = {.force = true};
        struct node node = {.k = k, .begin_ns = k == 1 ? 20000 * SECOND : 7655 * SECOND};
        char path[512];
        (void)snprintf(path, sizeof path, "%s/n%u.wtl", argv[1], k);
        if (wtl_trace_writer_create(path, &options, &node.writer, NULL) < 0)
            return 1;
        put_meta(&node);
        put_power(&node);
        node.solve = name_of(&node, "solve");
        node.dgemm = name_of(&node, "dgemm");
        node.dtrsm = name_of(&node, "dtrsm");
        node.barrier = name_of(&node, "barrier");
        node.send = name_of(&node, "MPI_Send");
        node.receive = name_of(&node, "MPI_Recv");
        const struct wtl_trace_process process = {
            .pid = 42, .rank = (int32_t)k - 1, .command = "app"};
        uint32_t id = (uint32_t)wtl_trace_writer_process(node.writer, &process);
        put_thread(&node, id, 1, tasks);
        put_thread(&node, id, 2, tasks);
        if (wtl_trace_writer_finish(node.writer, NULL) < 0)
            return 1;
    }
    return argc > 1 ? 0 : 2;
}
