/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader: tables, ranges, summaries, live files, and every kind of broken one. */
#define _GNU_SOURCE
#include "trace/blocks/block.h"
#include "trace_fixture.h"

static const struct fixture small = {.period_ns = 100000000,
                                     .rows = 25,
                                     .missing_every = 6,
                                     .regions = true,
                                     .tail_only = true};

static void test_tables(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 3000, .regions = true};
    for (int with_footer = 1; with_footer >= 0; with_footer--) {
        struct fixture g = f;
        struct wtl_trace_reader *r;
        struct wtl_trace_reader_status status;
        g.abandon = !with_footer;
        fixture_write("tables.wtl", &g);
        if (!is_int(wtl_trace_reader_open("tables.wtl", &r, NULL), 0, "opens"))
            continue;
        wtl_trace_reader_status(r, &status);
        is_int(status.has_footer, with_footer, "footer %d", with_footer);
        is_str(wtl_trace_reader_meta(r, "host.name"), "n1", "metadata");
        is_str(wtl_trace_reader_meta(r, "run.command"), "false", "the later value of a key");
        is_str(wtl_trace_reader_meta(r, "cpu.model"), "Known \"Truth\" 1 \xc2\xb5W", "UTF-8");
        is_int(wtl_trace_reader_meta_count(r), 3, "keys once each");
        is_int(wtl_trace_reader_channel_count(r), 3, "channels");
        is_int(wtl_trace_reader_find_channel(r, "fake:dram-0"), 1, "by name");
        is_int(wtl_trace_reader_find_channel(r, "fake:gpu-0"), -ENOENT, "not there");
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(r, 0);
        is_str(channel->channel.location, "/sys/fake/fake:package-0", "location");
        is_int(channel->channel.modulus, UINT64_C(1) << 32, "modulus");
        ok(channel->has_origin && channel->first_raw == UINT64_C(4294967000), "origin");
        ok(channel->channel.scale == 61e-6, "scale to the last bit");
        struct wtl_trace_window window;
        wtl_trace_reader_window(r, &window);
        ok(window.started && window.ended && window.start_monotonic_ns == truth_time(&f, 2) + 1,
           "window");
        uint64_t real_ns = 0;
        is_int(wtl_trace_reader_realtime(r, START_NS + 7, &real_ns), 0, "realtime");
        ok(real_ns == UINT64_C(1700000000000000007), "by the clock pair");
        is_int(wtl_trace_reader_tables(r, NULL), 0, "tables of marks");
        is_str(wtl_trace_reader_string(r, 1), "outer", "strings from 1");
        ok(wtl_trace_reader_string(r, 0) == NULL && wtl_trace_reader_string(r, 4) == NULL, "only");
        is_int(wtl_trace_reader_thread_count(r), 2, "threads");
        is_str(wtl_trace_reader_thread(r, 0)->name, "main", "thread's name");
        is_str(wtl_trace_reader_process(r, 0)->command, "./a.out", "command");
        is_int(wtl_trace_reader_process(r, 0)->rank, -1, "rank");
        wtl_trace_reader_close(r);
    }
}

static bool same_summary(const struct wtl_summary *a, const struct wtl_summary *b)
{
    return memcmp(&a->amount, &b->amount, sizeof a->amount) == 0 &&
           memcmp(&a->amount_half, &b->amount_half, 8) == 0 &&
           memcmp(&a->min_w, &b->min_w, 8) == 0 && memcmp(&a->sd_w, &b->sd_w, 8) == 0 &&
           a->samples == b->samples && a->gaps == b->gaps && a->gap_ns == b->gap_ns &&
           a->first_ns == b->first_ns && a->last_ns == b->last_ns;
}

/* The footer's summaries equal those computed from the blocks, and are close to the truth. */
static void test_summaries(void)
{
    const struct fixture f = {
        .period_ns = 1000000, .rows = 5000, .missing_every = 9, .regions = true};
    struct fixture g = f;
    struct wtl_trace_reader *full, *bare;
    fixture_write("full.wtl", &f);
    g.abandon = true;
    fixture_write("bare.wtl", &g);
    wtl_trace_reader_open("full.wtl", &full, NULL);
    wtl_trace_reader_open("bare.wtl", &bare, NULL);
    for (size_t c = 0; c < 3; c++) {
        struct wtl_summary a, b;
        is_int(wtl_trace_reader_summary(full, c, &a, NULL), 0, "channel %zu from the footer", c);
        is_int(wtl_trace_reader_summary(bare, c, &b, NULL), 0, "and from the blocks");
        ok(same_summary(&a, &b), "the same to the bit");
        double watts[3] = {100, 40, 35}, span_s = 4.996;
        is_double(a.mean_w, watts[c], 1, "mean power");
        is_double(a.amount, watts[c] * (span_s - (double)a.unknown_ns * 1e-9), 4,
                  "energy of the known part");
        is_int(a.gaps > 0, c == 2, "gaps are the gauge's");
    }
    struct wtl_summary none;
    is_int(wtl_trace_reader_summary(full, 3, &none, NULL), -EINVAL, "no such channel");
    const struct wtl_region_summary *x, *y;
    int nx = wtl_trace_reader_regions(full, &x, NULL),
        ny = wtl_trace_reader_regions(bare, &y, NULL);
    is_int(nx, 4, "untagged and three regions");
    is_int(ny, nx, "both ways");
    for (int i = 0; i < nx && i < ny; i++) {
        is_str(x[i].name, y[i].name, "region \"%s\"", y[i].name);
        ok(x[i].union_ns == y[i].union_ns && x[i].count == y[i].count &&
               memcmp(&x[i].inclusive[0].j, &y[i].inclusive[0].j, 8) == 0,
           "the same figures");
    }
    for (int i = 0; i < nx; i++)
        if (strcmp(x[i].name, "outer") == 0) {
            is_int(x[i].union_ns, 2000000000, "outer is open for 2 s");
            is_double(x[i].inclusive[0].j, 200, 8, "of 100 W");
            is_double(x[i].exclusive[0].j, 133, 8, "inner takes two thirds of a second");
        }
    const struct wtl_gap *gaps;
    is_int(wtl_trace_reader_gaps(full, &gaps, NULL), (int)(f.rows / 9), "all gaps");
    is_int(gaps[0].error, EIO, "with their errno");
    wtl_trace_reader_close(full);
    wtl_trace_reader_close(bare);
}

static void test_ranges(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 20000};
    static const struct {
        int line;
        size_t from, to; /* rows */
        bool one_channel;
    } table[] = {
        {__LINE__, 0, 0, false},         {__LINE__, 5, 5, true},
        {__LINE__, 700, 900, false},     {__LINE__, 19990, 30000, true},
        {__LINE__, 12345, 17000, false}, {__LINE__, 0, 40000, true},
    };
    struct wtl_trace_reader *r;
    fixture_write("ranges.wtl", &f);
    wtl_trace_reader_open("ranges.wtl", &r, NULL);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        static const uint32_t one[] = {1};
        struct wtl_trace_range range = {.begin_ns = truth_time(&f, table[i].from),
                                        .end_ns = truth_time(&f, table[i].to),
                                        .channels = table[i].one_channel ? one : NULL,
                                        .channel_count = 1};
        struct wtl_trace_samples *samples;
        struct wtl_trace_chunk chunk;
        size_t row = table[i].from, wrong = 0;
        tap_line = table[i].line;
        wtl_trace_samples_open(r, &range, &samples, NULL);
        while (wtl_trace_samples_next(samples, &chunk, NULL) > 0) {
            wrong += chunk.column_count != (table[i].one_channel ? 1 : 3);
            for (size_t k = 0; k < chunk.rows; k++, row++) {
                wrong += chunk.time_ns[k] != truth_time(&f, row);
                for (size_t c = 0; c < chunk.column_count; c++)
                    wrong += chunk.columns[c].values[k] !=
                             truth_value(&f, chunk.columns[c].channel, row);
            }
        }
        wtl_trace_samples_close(samples);
        is_int(wrong, 0, "rows %zu to %zu: values", table[i].from, table[i].to);
        is_int(row, table[i].to < f.rows ? table[i].to + 1 : f.rows, "and no more, no less");
    }
    tap_line = 0;
    wtl_trace_reader_close(r);
}

static void test_refused(void)
{
    struct wtl_trace_reader *r = NULL;
    struct wattle_error err = {""};
    spill("empty.wtl", "", 0);
    spill("text.wtl", "time,power\n0,100\n1,101\n2,102\n3,103\n4,104\n5,105\n", 48);
    is_int(wtl_trace_reader_open("empty.wtl", &r, &err), -EBADMSG, "empty");
    ok(strstr(err.text, "empty") != NULL, "says so: %s", err.text);
    is_int(wtl_trace_reader_open("text.wtl", &r, &err), -EBADMSG, "no trace");
    is_int(wtl_trace_reader_open(".", &r, &err), -EBADMSG, "a folder");
    is_int(wtl_trace_reader_open("none.wtl", &r, &err), -ENOENT, "not there");
    is_int(wtl_trace_repair("empty.wtl", NULL, &err), -EBADMSG, "nor repaired");

    size_t size;
    fixture_write("version.wtl", &small);
    uint8_t *data = slurp("version.wtl", &size);
    struct wtl_block_head head;
    wtl_block_parse(data, &head);
    for (int minor = 0; minor < 2; minor++) {
        data[WTL_BLOCK_HEAD + 12] = minor ? WTL_TRACE_MAJOR : WTL_TRACE_MAJOR + 1;
        data[WTL_BLOCK_HEAD + 14] = minor ? 9 : 0;
        wtl_block_seal(&head, data + WTL_BLOCK_HEAD, data);
        spill("version.wtl", data, size);
        int code = wtl_trace_reader_open("version.wtl", &r, &err);
        if (minor) {
            struct wtl_trace_reader_status status;
            is_int(code, 0, "a newer minor version is read");
            wtl_trace_reader_status(r, &status);
            is_int(status.minor, 9, "and told");
            wtl_trace_reader_close(r);
        } else {
            is_int(code, -ENOTSUP, "a newer major version is not");
            ok(strstr(err.text, "newer wattle") != NULL, "with a remedy: %s", err.text);
        }
    }
    free(data);
}

static size_t repair_cut(const uint8_t *data, size_t n, size_t rows)
{
    struct wtl_trace_repair report;
    struct wtl_trace_reader *r;
    spill("mended.wtl", data, n);
    if (wtl_trace_repair("mended.wtl", &report, NULL) < 0 || report.rows != rows ||
        wtl_trace_reader_open("mended.wtl", &r, NULL) < 0)
        return 1;
    struct wtl_trace_reader_status status;
    wtl_trace_reader_status(r, &status);
    struct reading again = read_rows(r, &small);
    wtl_trace_reader_close(r);
    return again.right != rows || again.wrong || !status.has_footer;
}

/* Cut a file at every byte: it opens or is refused, never a wrong row, never more than was
 * written. */
static void test_truncation(void)
{
    size_t size, wrong = 0, opened = 0, last = small.rows, rose = 0;
    bool was_refused = false;
    fixture_write("cut.wtl", &small);
    uint8_t *data = slurp("cut.wtl", &size);
    for (size_t n = size; n-- > 0;) {
        struct wtl_trace_reader *r;
        struct wtl_trace_reader_status status;
        wrong += truncate("cut.wtl", (off_t)n) < 0;
        int code = wtl_trace_reader_open("cut.wtl", &r, NULL);
        was_refused |= code < 0;
        if (was_refused) {
            wrong += code != -EBADMSG;
            continue;
        }
        opened++;
        wtl_trace_reader_status(r, &status);
        struct reading got = read_rows(r, &small);
        wrong += got.wrong + (got.error != 0) + status.has_footer + (status.damaged > 0);
        rose += got.right > last;
        last = got.right;
        wtl_trace_reader_close(r);
        if (n % 97 == 0)
            wrong += repair_cut(data, n, got.right);
    }
    is_int(wrong, 0, "cut at each of %zu bytes: nothing wrong comes out", size);
    is_int(rose, 0, "a shorter piece never gives more rows");
    is_int(last, 0, "and in the end none");
    ok(opened > size - 100, "from the first block on it opens");
    free(data);
}

/* Flip bits of each byte: no crash, no wrong row; the damage is limited to one block. */
static void test_flips(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 3000, .tail_only = true};
    size_t size, wrong = 0, refused = 0, least = f.rows, silent = 0;
    fixture_write("flip.wtl", &f);
    uint8_t *data = slurp("flip.wtl", &size);
    int fd = open("flip.wtl", O_RDWR);
    for (size_t n = 0; n < size; n++) {
        struct wtl_trace_reader *r;
        struct wtl_trace_reader_status status;
        const struct wtl_gap *gaps;
        uint8_t flipped = data[n] ^ (uint8_t)(1u << n % 8);
        if (n > 0)
            wrong += pwrite(fd, data + n - 1, 1, (off_t)n - 1) != 1;
        wrong += pwrite(fd, &flipped, 1, (off_t)n) != 1;
        if (wtl_trace_reader_open("flip.wtl", &r, NULL) < 0) {
            refused++;
            continue;
        }
        wtl_trace_reader_status(r, &status);
        struct reading got = read_rows(r, &f);
        wrong += got.wrong + (got.error != 0);
        least = got.right < least && got.right > 0 ? got.right : least;
        silent += got.right == 0;
        if (got.right < f.rows && got.right > 0 && !status.has_footer)
            wrong += wtl_trace_reader_gaps(r, &gaps, NULL) < 1 && got.right + 900 > f.rows;
        wtl_trace_reader_close(r);
    }
    diag("%zu bytes, %zu refused, at least %zu rows, %zu without any", size, refused, least,
         silent);
    is_int(wrong, 0, "a bit flipped in each of %zu bytes: no wrong row", size);
    is_int(refused, 0, "none makes the trace unreadable");
    ok(least >= f.rows - 1100, "at most one block is lost");
    is_int(silent, 0, "channels and groups are not lost while the footer has them");
    close(fd);
    free(data);
}

/* A damaged block of samples in a file without a footer is a gap of its channels. */
static void test_damage_is_a_gap(void)
{
    const struct fixture f = {.period_ns = 1000000, .rows = 10000, .abandon = true};
    size_t size;
    struct wtl_trace_reader *r;
    const struct wtl_gap *gaps;
    struct wtl_summary summary;
    fixture_write("gap.wtl", &f);
    uint8_t *data = slurp("gap.wtl", &size);
    data[size / 2] ^= 4;
    spill("gap.wtl", data, size);
    free(data);
    wtl_trace_reader_open("gap.wtl", &r, NULL);
    int count = wtl_trace_reader_gaps(r, &gaps, NULL);
    is_int(count, 3, "one for each channel");
    for (int i = 0; i < count; i++)
        ok(gaps[i].reason == WTL_GAP_DAMAGED && gaps[i].end_ns > gaps[i].begin_ns + 500000000,
           "with its stretch");
    is_int(wtl_trace_reader_summary(r, 0, &summary, NULL), 0, "the summary");
    ok(summary.gap_reasons & 1u << WTL_GAP_DAMAGED, "knows of it");
    is_double(summary.amount, 999, 5, "the counter went on under it");
    wtl_trace_reader_close(r);
    is_int(wtl_trace_repair("gap.wtl", NULL, NULL), 0, "repair keeps it");
    wtl_trace_reader_open("gap.wtl", &r, NULL);
    is_int(wtl_trace_reader_gaps(r, &gaps, NULL), 3, "the gaps are there still");
    struct wtl_trace_reader_status status;
    wtl_trace_reader_status(r, &status);
    is_int(status.damaged, 1, "and the damage is counted");
    wtl_trace_reader_close(r);
}

static void test_unknown_blocks(void)
{
    size_t size, at = 0, out = 0;
    struct wtl_trace_reader *r;
    struct wtl_trace_reader_status status;
    struct fixture f = small;
    f.abandon = true;
    fixture_write("unknown.wtl", &f);
    uint8_t *data = slurp("unknown.wtl", &size), *more = malloc(size * 4);
    unsigned added = 0, needed = 0;
    while (at < size) {
        struct wtl_block_head head;
        wtl_block_parse(data + at, &head);
        memcpy(more + out, data + at, WTL_BLOCK_HEAD + head.length);
        at += WTL_BLOCK_HEAD + head.length;
        out += WTL_BLOCK_HEAD + head.length;
        struct wtl_block_head strange = {.type = (uint8_t)(added % 2 ? 35 : 200), .length = 9};
        strange.flags = added % 3 ? 0 : WTL_BLOCK_NEEDED;
        needed += added % 3 == 0;
        memcpy(more + out + WTL_BLOCK_HEAD, "\xf5WTLtomor", 9);
        wtl_block_seal(&strange, more + out + WTL_BLOCK_HEAD, more + out);
        out += WTL_BLOCK_HEAD + 9;
        added++;
    }
    spill("unknown.wtl", more, out);
    wtl_trace_reader_open("unknown.wtl", &r, NULL);
    wtl_trace_reader_status(r, &status);
    is_int(status.damaged, 0, "blocks of another day are not damage");
    is_int(status.unknown, added, "they are counted");
    is_int(status.not_shown, needed, "and those that matter apart");
    struct reading got = read_rows(r, &f);
    is_int(got.right, f.rows, "and skipped");
    wtl_trace_reader_close(r);
    is_int(wtl_trace_repair("unknown.wtl", NULL, NULL), 0, "repair leaves them be");
    wtl_trace_reader_open("unknown.wtl", &r, NULL);
    wtl_trace_reader_status(r, &status);
    ok(status.has_footer, "the tail tells");
    is_int(status.not_shown, needed, "how many matter");
    wtl_trace_reader_close(r);
    free(data);
    free(more);
}

/* A block of samples marked as needed is handled like all others, with a footer and without. */
static void test_needed_but_known(void)
{
    size_t size, at = 0;
    struct wtl_trace_reader *r;
    struct wtl_trace_reader_status status;
    struct fixture f = small;
    f.abandon = true;
    fixture_write("needed.wtl", &f);
    uint8_t *data = slurp("needed.wtl", &size);
    while (at < size) {
        struct wtl_block_head head;
        wtl_block_parse(data + at, &head);
        head.flags |= WTL_BLOCK_NEEDED;
        wtl_block_seal(&head, data + at + WTL_BLOCK_HEAD, data + at);
        at += WTL_BLOCK_HEAD + head.length;
    }
    spill("needed.wtl", data, size);
    for (int repaired = 0; repaired < 2; repaired++) {
        wtl_trace_reader_open("needed.wtl", &r, NULL);
        wtl_trace_reader_status(r, &status);
        is_int(status.has_footer, repaired, "footer");
        is_int(status.unknown + status.not_shown, 0, "all is known");
        is_int(read_rows(r, &f).right, f.rows, "and shown");
        wtl_trace_reader_close(r);
        is_int(wtl_trace_repair("needed.wtl", NULL, NULL), 0, "repair");
    }
    free(data);
}

/* kill -9: no end of the window, the program's last mark long after the last sample. Regions are
 * known up to the last sample. */
static void test_regions_without_end(void)
{
    const struct fixture f = {.period_ns = 10000000, .rows = 400};
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_trace_reader *r;
    const struct wtl_region_summary *regions;
    wtl_trace_writer_create("killed.wtl", &force, &w, NULL);
    int group = fixture_begin(w, &f);
    wtl_trace_writer_window_begin(w, truth_time(&f, 2) + 1);
    for (size_t row = 0; row < f.rows; row++)
        fixture_row(w, &f, group, row);
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "x"};
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(w, &process), .tid = 1, .name = ""};
    uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "work");
    uint64_t last_ns = truth_time(&f, f.rows - 1);
    struct wtl_mark marks[] = {
        {.time_ns = START_NS + 1000000000, .thread = t, .name = name, .kind = WTL_MARK_BEGIN},
        {.time_ns = last_ns + 2000000000, .thread = t, .name = name, .kind = WTL_MARK_END}};
    wtl_trace_writer_marks(w, marks, 2);
    wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
    double work_j = (double)(truth_value(&f, 0, f.rows - 1) - truth_value(&f, 0, 100)) * 61e-6;
    for (int repaired = 0; repaired < 2; repaired++) {
        wtl_trace_reader_open("killed.wtl", &r, NULL);
        is_int(wtl_trace_reader_regions(r, &regions, NULL), 2, "outside and work");
        is_int((intmax_t)regions[1].union_ns, (intmax_t)(last_ns - marks[0].time_ns),
               "work ends with the last sample");
        is_double(regions[1].inclusive[0].j, work_j, 0.5, "its energy is known up to there");
        wtl_trace_reader_close(r);
        is_int(wtl_trace_repair("killed.wtl", NULL, NULL), 0, "repair");
    }
}

/* A reader concurrent with a writer. */
static void test_live(void)
{
    const struct fixture f = {.period_ns = 10000000, .rows = 1000};
    struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    struct wtl_trace_reader *r;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    wtl_trace_writer_create("live.wtl", &force, &w, NULL);
    int group = fixture_begin(w, &f);
    wtl_trace_writer_flush(w);
    is_int(wtl_trace_reader_open("live.wtl", &r, NULL), 0, "opens while nothing was sampled");
    wtl_trace_samples_open(r, &all, &samples, NULL);
    size_t seen = 0, wrong = 0, latest = 0;
    for (size_t row = 0; row < f.rows; row++) {
        fixture_row(w, &f, group, row);
        if (row % 20 == 0)
            wtl_trace_writer_poll(w, truth_time(&f, row));
        if (row % 25 == 0) {
            wrong += wtl_trace_reader_refresh(r, NULL) < 0;
            while (wtl_trace_samples_next(samples, &chunk, NULL) > 0)
                for (size_t i = 0; i < chunk.rows; i++, seen++)
                    wrong += chunk.time_ns[i] != truth_time(&f, seen);
            latest = row + 1 - seen > latest ? row + 1 - seen : latest;
        }
    }
    wtl_trace_writer_flush(w);
    wtl_trace_reader_refresh(r, NULL);
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0)
        seen += chunk.rows;
    is_int(seen, f.rows, "the iterator follows to the end");
    is_int(wrong, 0, "row by row");
    ok(latest * f.period_ns <= 1100000000, "never more than a second behind: %zu rows", latest);
    struct wtl_summary summary;
    wtl_trace_reader_summary(r, 0, &summary, NULL);
    is_double(summary.mean_w, 100, 1, "and its summary is that of what is there");
    wtl_trace_samples_close(samples);
    struct wtl_trace_reader_status status;
    wtl_trace_reader_status(r, &status);
    ok(!status.footer_came, "no footer yet");
    wtl_trace_writer_finish(w, NULL);
    wtl_trace_reader_refresh(r, NULL);
    wtl_trace_reader_status(r, &status);
    ok(status.footer_came && !status.has_footer, "it sees the footer come");
    wtl_trace_reader_close(r);
    is_int(wtl_trace_reader_open("live.wtl", &r, NULL), 0, "opened again");
    wtl_trace_reader_status(r, &status);
    ok(status.has_footer && !status.footer_came, "it has it");
    wtl_trace_reader_close(r);
}

int main(void)
{
    test_tables();
    test_summaries();
    test_ranges();
    test_refused();
    test_truncation();
    test_flips();
    test_damage_is_a_gap();
    test_unknown_blocks();
    test_needed_but_known();
    test_regions_without_end();
    test_live();
    return done_testing();
}
