/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goal O4 (and O3, O5 as far as the trace is concerned): bytes per sample and channel of whole
 * trace files, for several rates and noise levels of a RAPL-like node of 8 counters under one
 * clock, compared with the same blocks as delta varints before zstd, as byte planes before zstd, by
 * Gorilla's scheme and as CSV, and the order-0 entropy of deltas and time stamps (plug-in estimate
 * with Miller-Madow's correction). Then the speed of reading, the memory of a writer, the time of
 * finish. Asserts nothing.
 *
 * Usage: bench_trace [SECONDS]     of the 1 kHz recordings; default 60
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <zstd.h>

#include "base/parse.h"
#include "trace/blocks/bytes.h"
#include "trace/reader.h"
#include "trace/writer.h"

#include "bench_node.h"
#include "bench_spread.h"

#define CHANNELS BENCH_NODE_CHANNELS
#define PATH     "bench_trace.wtl"

static const struct bench_family families[] = {
    {"1 kHz, ticking counter, noise 0.1 %", BENCH_TICKING, 1000, 0.001, 1},
    {"1 kHz, ticking counter, noise 1 %", BENCH_TICKING, 1000, 0.01, 5},
    {"1 kHz, ticking counter, noise 5 %", BENCH_TICKING, 1000, 0.05, 5},
    {"1 kHz, counter without ticks, 0.1 %", BENCH_SMOOTH, 1000, 0.001, 1},
    {"1 kHz, counter without ticks, 1 %", BENCH_SMOOTH, 1000, 0.01, 5},
    {"1 kHz, counter without ticks, 5 %", BENCH_SMOOTH, 1000, 0.05, 5},
    {"1 kHz, gauge in mW, noise 1 %", BENCH_GAUGE, 1000, 0.01, 5},
    {"100 Hz, ticking counter, noise 1 %", BENCH_TICKING, 100, 0.01, 5},
    {"10 Hz, ticking counter, noise 0.1 %", BENCH_TICKING, 10, 0.001, 1},
    {"10 Hz, ticking counter, noise 1 %", BENCH_TICKING, 10, 0.01, 5},
    {"10 Hz, ticking counter, noise 5 %", BENCH_TICKING, 10, 0.05, 5},
    {"10 Hz, counter without ticks, 1 %", BENCH_SMOOTH, 10, 0.01, 5},
    {"10 Hz, gauge in mW, noise 1 %", BENCH_GAUGE, 10, 0.01, 5},
};

/* ---- other encodings ---- */

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Bits per difference. */
static double entropy(const uint64_t *v, size_t n)
{
    uint64_t *d = calloc(n, sizeof *d);
    double bits = 0, distinct = 0;
    for (size_t i = 1; i < n; i++)
        d[i - 1] = v[i] - v[i - 1];
    qsort(d, n - 1, sizeof *d, compare_u64);
    for (size_t i = 0, run = 1; i < n - 1; i++, run++) {
        if (i + 1 < n - 1 && d[i + 1] == d[i])
            continue;
        double p = (double)run / (double)(n - 1);
        bits -= p * log2(p);
        distinct++;
        run = 0;
    }
    free(d);
    return bits + (distinct - 1) / (2 * (double)(n - 1)) * 1.4426950408889634;
}

static double entropy_bytes(const struct bench_recording *rec)
{
    double bits = entropy(rec->time_ns, rec->rows);
    for (int c = 0; c < CHANNELS; c++)
        bits += entropy(rec->values[c], rec->rows);
    return bits / 8 / CHANNELS;
}

enum plain { VARINTS, PLANES };

/* Blocks of one second with the same headers of 38 bytes, columns as named, then zstd at level
 * 3. */
static double plain_bytes(const struct bench_recording *rec,
                          const struct bench_family *f,
                          enum plain plain)
{
    size_t block = (size_t)(f->rate_hz * 0.75) + 1, total = 0;
    struct wtl_bytes raw = {0};
    for (size_t at = 0; at < rec->rows; at += block) {
        size_t n = at + block < rec->rows ? block : rec->rows - at;
        wtl_bytes_reset(&raw);
        for (int c = -1; c < CHANNELS; c++) {
            const uint64_t *v = (c < 0 ? rec->time_ns : rec->values[c]) + at;
            for (int plane = 0; plane < (plain == PLANES ? 8 : 1); plane++) {
                uint64_t last = 0;
                for (size_t i = 0; i < n; i++) {
                    uint64_t code = wtl_zigzag(v[i] - last);
                    last = v[i];
                    if (plain == PLANES)
                        wtl_bytes_put_u8(&raw, (uint8_t)(code >> (8 * plane)));
                    else
                        wtl_bytes_put_varint(&raw, code);
                }
            }
        }
        size_t room = ZSTD_compressBound(raw.length);
        void *out = malloc(room);
        total += 38 + ZSTD_compress(out, room, raw.data, raw.length, 3);
        free(out);
    }
    wtl_bytes_fini(&raw);
    return (double)total / (double)rec->rows / CHANNELS;
}

/* Gorilla (Pelkonen et al. 2015): second differences of time in classes, XOR of doubles; the time
 * is stored only once for all channels, which favours Gorilla. Time in us, since its classes expect
 * coarse times. */
static double gorilla_bytes(const struct bench_recording *rec)
{
    double bits = 0;
    for (size_t i = 2; i < rec->rows; i++) {
        int64_t d1 = (int64_t)(rec->time_ns[i] / 1000 - rec->time_ns[i - 1] / 1000);
        int64_t d0 = (int64_t)(rec->time_ns[i - 1] / 1000 - rec->time_ns[i - 2] / 1000);
        int64_t dd = d1 > d0 ? d1 - d0 : d0 - d1;
        bits += dd == 0 ? 1 : dd < 64 ? 9 : dd < 256 ? 12 : dd < 2048 ? 16 : 36;
    }
    for (int c = 0; c < CHANNELS; c++) {
        uint64_t last = 0;
        int lead = 65, trail = 0;
        for (size_t i = 0; i < rec->rows; i++) {
            double value = (double)rec->values[c][i];
            uint64_t now;
            memcpy(&now, &value, sizeof now);
            uint64_t x = now ^ last;
            last = now;
            bits += 1;
            if (x == 0)
                continue;
            int l = __builtin_clzll(x), t = __builtin_ctzll(x);
            l = l > 31 ? 31 : l;
            bits += 1;
            if (l < lead || t < trail || lead > 64) {
                bits += 5 + 6;
                lead = l;
                trail = t;
            }
            bits += 64 - lead - trail;
        }
    }
    return bits / 8 / (double)rec->rows / CHANNELS;
}

static double csv_bytes(const struct bench_recording *rec)
{
    double bytes = 0;
    char text[64];
    for (size_t i = 0; i < rec->rows; i++) {
        bytes += snprintf(text, sizeof text, "%.9f", (double)rec->time_ns[i] * 1e-9);
        for (int c = 0; c < CHANNELS; c++)
            bytes += snprintf(text, sizeof text, ",%llu", (unsigned long long)rec->values[c][i]);
        bytes += 1;
    }
    return bytes / (double)rec->rows / CHANNELS;
}

/* ---- our format ---- */

static struct wtl_trace_writer *create(const struct bench_family *f, uint32_t *ret_group)
{
    struct wtl_trace_options options = {.force = true};
    struct wtl_trace_writer *writer;
    struct wattle_error err;
    if (wtl_trace_writer_create(PATH, &options, &writer, &err) < 0) {
        fprintf(stderr, "bench_trace: %s\n", err.text);
        exit(1);
    }
    uint32_t ids[CHANNELS];
    for (uint32_t c = 0; c < CHANNELS; c++) {
        struct wattle_channel channel = {
            .sensor = "bench",
            .sub = -1,
            .quantity = f->kind == BENCH_GAUGE ? WATTLE_POWER : WATTLE_ENERGY,
            .kind = f->kind == BENCH_GAUGE ? WATTLE_GAUGE : WATTLE_COUNTER,
            .scale = f->kind == BENCH_GAUGE ? 1e-3 : BENCH_NODE_UNIT_J,
            .refresh_ns = 976562};
        (void)snprintf(channel.name, sizeof channel.name, "bench:package-%u", c);
        ids[c] = (uint32_t)wtl_trace_writer_channel(writer, &channel);
    }
    *ret_group = (uint32_t)wtl_trace_writer_group(writer, ids, CHANNELS, 0);
    return writer;
}

static void write_rows(struct wtl_trace_writer *writer,
                       uint32_t group,
                       const struct bench_family *f,
                       const struct bench_recording *rec)
{
    size_t often = (size_t)(f->rate_hz / 20) + 1; /* polled about twenty times a second */
    for (size_t r = 0; r < rec->rows; r++) {
        uint64_t values[CHANNELS];
        for (int c = 0; c < CHANNELS; c++)
            values[c] = rec->values[c][r];
        wtl_trace_writer_row(writer, group, rec->time_ns[r], values, NULL);
        if (r % often == 0)
            wtl_trace_writer_poll(writer, rec->time_ns[r]);
    }
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Samples per second of CPU time through the reader, with the file in the page cache. */
static double read_speed(uint64_t *ret_sum)
{
    struct wtl_trace_reader *reader;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    size_t count = 0;
    uint64_t sum = 0;
    double begin_s = cpu_s();
    if (wtl_trace_reader_open(PATH, &reader, NULL) < 0)
        return 0;
    wtl_trace_samples_open(reader, &all, &samples, NULL);
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0) {
        for (size_t c = 0; c < chunk.column_count; c++)
            sum += chunk.columns[c].values[chunk.rows - 1];
        count += chunk.rows * chunk.column_count;
    }
    wtl_trace_samples_close(samples);
    wtl_trace_reader_close(reader);
    *ret_sum = sum;
    return (double)count / (cpu_s() - begin_s);
}

enum { REPEATS = 11 };

static void sizes(double seconds)
{
    printf("O4: bytes per sample and channel, 8 channels under one clock\n");
    printf("%-37s %7s %7s %8s %7s %8s %6s | %s\n", "", "trace", "limit", "varints", "planes",
           "Gorilla", "CSV", "samples read");
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct bench_family *f = &families[i];
        size_t rows = (size_t)(f->rate_hz * (f->rate_hz >= 1000 ? seconds : 600));
        struct bench_recording rec = bench_recording_make(f, rows);
        uint32_t group;
        struct wtl_trace_writer *writer = create(f, &group);
        write_rows(writer, group, f, &rec);
        wtl_trace_writer_flush(writer);
        struct wtl_trace_writer_status status;
        wtl_trace_writer_status(writer, &status);
        wtl_trace_writer_finish(writer, NULL);
        double speeds[REPEATS];
        uint64_t sum = 0;
        for (int k = 0; k < REPEATS; k++)
            speeds[k] = read_speed(&sum) * 1e-6;
        struct bench_spread spread = bench_spread_of(speeds, REPEATS);
        printf("%-37s %7.3f %7.3f %8.3f %7.3f %8.3f %6.1f | ", f->name,
               (double)status.bytes / (double)rows / CHANNELS, entropy_bytes(&rec),
               plain_bytes(&rec, f, VARINTS), plain_bytes(&rec, f, PLANES), gorilla_bytes(&rec),
               csv_bytes(&rec));
        bench_spread_print(&spread, 1, 0, "M/s");
        putchar('\n');
        bench_recording_free(&rec);
    }
    printf(
        "trace: the whole file before its footer (heads, tables, pyramid). varints, planes: the "
        "same\n"
        "blocks with a head of 38 bytes and nothing else, zstd 3. Gorilla: times cut to 1 us.\n\n");
}

/* ---- memory and time ---- */

static long private_kib(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long sum = 0;
    while (file && fgets(line, sizeof line, file)) {
        char *number = strpbrk(line, "0123456789");
        if (strncmp(line, "Private_Dirty:", 14) == 0 && number)
            sum += strtol(number, NULL, 10);
    }
    if (file)
        fclose(file);
    return sum;
}

static void memory(void)
{
    static const size_t stops[] = {10000, 100000, 1250000};
    const struct bench_family *f = &families[1];
    struct bench_recording rec = bench_recording_make(f, 10000);
    uint32_t group;
    uint64_t values[CHANNELS] = {0};
    long before = private_kib();
    struct wtl_trace_writer *writer = create(f, &group);
    printf("O3: private memory of a writer, 8 channels at 1 kHz:");
    size_t row = 0;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        for (; row < stops[i]; row++) {
            size_t r = row % rec.rows;
            for (int c = 0; c < CHANNELS; c++)
                values[c] += r ? rec.values[c][r] - rec.values[c][r - 1] : 1600;
            wtl_trace_writer_row(writer, group, rec.time_ns[0] + row * 1000000 + row % 7919, values,
                                 NULL);
        }
        printf(" %ld KiB after %.0e samples%s", private_kib() - before, (double)row * CHANNELS,
               i + 1 < sizeof stops / sizeof *stops ? "," : "\n");
    }
    wtl_trace_writer_finish(writer, NULL);
    bench_recording_free(&rec);
}

/* 1000 instances of two nested regions over the hour of finish_time(), in the order in which a fold
 * writes them. */
struct marks {
    struct wtl_trace_writer *writer;
    uint64_t start_ns, next;
    uint32_t thread, outer, inner;
};

static struct marks begin_marks(struct wtl_trace_writer *writer, uint64_t start_ns)
{
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "bench"};
    struct wtl_trace_thread thread = {.name = "main"};
    thread.process = (uint32_t)wtl_trace_writer_process(writer, &process);
    return (struct marks){.writer = writer,
                          .start_ns = start_ns,
                          .thread = (uint32_t)wtl_trace_writer_thread(writer, &thread),
                          .outer = (uint32_t)wtl_trace_writer_string(writer, "outer"),
                          .inner = (uint32_t)wtl_trace_writer_string(writer, "inner")};
}

static void give_marks(struct marks *m, uint64_t until_ns)
{
    static const uint64_t after_ns[] = {0, 500000000, 900000000, 2000000000};
    for (; m->next < 4000; m->next++) {
        uint64_t part = m->next % 4;
        struct wtl_mark mark = {.time_ns = m->start_ns + UINT64_C(1000000000) +
                                           m->next / 4 * UINT64_C(3500000000) + after_ns[part],
                                .thread = m->thread,
                                .name = part == 0 || part == 3 ? m->outer : m->inner,
                                .kind = part < 2 ? WTL_MARK_BEGIN : WTL_MARK_END};
        if (mark.time_ns >= until_ns)
            break;
        wtl_trace_writer_marks(m->writer, &mark, 1);
    }
}

struct finish {
    double wall_s, cpu_s, write_share;
};

enum regions { NO_REGIONS, LIVE_REGIONS, LATE_REGIONS };

/* An hour at 1 kHz, written at once; marks every 0.2 s and 0.1 s late, or all at the end. */
static struct finish write_hour(const struct bench_family *f,
                                const struct bench_recording *rec,
                                enum regions regions)
{
    uint32_t group;
    struct wtl_trace_writer *writer = create(f, &group);
    uint64_t values[CHANNELS] = {0}, start_ns = rec->time_ns[0];
    struct marks marks = {0};
    struct finish finish;
    double begin_s = cpu_s();
    wtl_trace_writer_window_begin(writer, start_ns - 1);
    if (regions == LIVE_REGIONS)
        wtl_trace_writer_marked(writer, start_ns);
    if (regions != NO_REGIONS)
        marks = begin_marks(writer, start_ns);
    for (size_t row = 0; row < 3600000; row++) {
        size_t r = row % rec->rows;
        uint64_t time_ns = start_ns + row * 1000000 + row % 7919;
        for (int c = 0; c < CHANNELS; c++)
            values[c] += r ? rec->values[c][r] - rec->values[c][r - 1] : 1600;
        wtl_trace_writer_row(writer, group, time_ns, values, NULL);
        if (regions != LIVE_REGIONS || row % 200 != 199)
            continue;
        give_marks(&marks, time_ns - 100000000);
        wtl_trace_writer_marked(writer, time_ns - 100000000);
    }
    finish.write_share = (cpu_s() - begin_s) / 3600;
    wtl_trace_writer_window_end(writer, start_ns + UINT64_C(3600000000000));
    if (regions != NO_REGIONS)
        give_marks(&marks, UINT64_MAX);
    begin_s = now_s();
    double work_s = cpu_s();
    wtl_trace_writer_finish(writer, NULL);
    finish.wall_s = now_s() - begin_s;
    finish.cpu_s = cpu_s() - work_s;
    return finish;
}

static void print_ms(const char *what, double *seconds, size_t n)
{
    struct bench_spread spread = bench_spread_of(seconds, n);
    printf("%s ", what);
    bench_spread_print(&spread, 1e3, 3, "ms");
}

static void finish_time(void)
{
    enum { HOURS = 5, FILES = 200 };
    const struct bench_family *f = &families[1];
    struct bench_recording rec = bench_recording_make(f, 36000);
    static const char *const what[] = {"    without regions",
                                       "O5: finish after 1 h at 1 kHz x 8 with 2000 regions",
                                       "    when all marks come at the end"};
    static const int order[] = {LIVE_REGIONS, LATE_REGIONS, NO_REGIONS};
    double walls[HOURS], cpus[HOURS], shares[HOURS], opens[REPEATS];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < HOURS; k++) {
            struct finish finish = write_hour(f, &rec, (enum regions)order[i]);
            walls[k] = finish.wall_s;
            cpus[k] = finish.cpu_s;
            shares[k] = finish.write_share;
        }
        print_ms(what[order[i]], walls, HOURS);
        print_ms(", of CPU", cpus, HOURS);
        struct bench_spread spread = bench_spread_of(shares, HOURS);
        printf("; writer's CPU before ");
        bench_spread_print(&spread, 100, 3, "% of a core");
        putchar('\n');
    }
    for (int k = 0; k < REPEATS; k++) {
        double begin_s = now_s();
        for (int i = 0; i < FILES; i++) {
            struct wtl_trace_reader *reader = NULL;
            struct wtl_summary summary;
            if (wtl_trace_reader_open(PATH, &reader, NULL) == 0)
                (void)wtl_trace_reader_summary(reader, 0, &summary, NULL);
            wtl_trace_reader_close(reader);
        }
        opens[k] = (now_s() - begin_s) / FILES;
    }
    print_ms("    open, one summary, close of that file:", opens, REPEATS);
    printf("\n");
    bench_recording_free(&rec);
}

int main(int argc, char **argv)
{
    uint64_t seconds = 60;
    if (argc > 2 || (argc == 2 && wtl_parse_u64(argv[1], &seconds) < 0) || seconds < 2) {
        fprintf(stderr, "usage: bench_trace [SECONDS]\n");
        return 2;
    }
    memory();
    sizes((double)seconds);
    finish_time();
    unlink(PATH);
    return 0;
}
