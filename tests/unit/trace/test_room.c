/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits of the format: the maximum number of channels, a footer that is too long for a block,
 * and possible additions of a newer version: needed blocks, values that are not interpreted. */
#define _GNU_SOURCE
#include "trace/reader_state.h"
#include "trace_fixture.h"

enum { GROUPS = 4, ROWS = 20, PER_GROUP = WTL_TRACE_CHANNELS_MAX / GROUPS };

static const struct wtl_trace_options force = {.force = true};

static uint64_t value_of(uint32_t channel, uint64_t row)
{
    return row * (1000 + channel % 977) + channel % (row + 1);
}

static void add_channels(struct wtl_trace_writer *w, uint32_t *ids, uint32_t count)
{
    struct wattle_channel channel = fixture_channel("", WATTLE_COUNTER, WATTLE_ENERGY, 1e-6);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(channel.name, sizeof channel.name, "fake:core-%u", i);
        int id = wtl_trace_writer_channel(w, &channel);
        if (id != (int)i)
            is_int(id, i, "a channel");
        ids[i] = i;
    }
}

static void write_wide(const char *path)
{
    struct wtl_trace_writer *w;
    uint32_t *ids = malloc(WTL_TRACE_CHANNELS_MAX * sizeof *ids);
    uint64_t *values = malloc(PER_GROUP * sizeof *values);
    wtl_trace_writer_create(path, &force, &w, NULL);
    add_channels(w, ids, WTL_TRACE_CHANNELS_MAX);
    struct wattle_channel more = fixture_channel("more", WATTLE_GAUGE, WATTLE_POWER, 1);
    is_int(wtl_trace_writer_channel(w, &more), -EINVAL, "one more channel is refused");
    for (uint32_t g = 0; g < GROUPS; g++)
        (void)wtl_trace_writer_group(w, ids + g * PER_GROUP, PER_GROUP, 0);
    wtl_trace_writer_window_begin(w, START_NS + 1);
    for (uint64_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; row == ROWS / 2 && i < WTL_TRACE_CHANNELS_MAX; i++) {
            struct wtl_gap gap = {.channel = i,
                                  .reason = WTL_GAP_SUSPENDED,
                                  .begin_ns = START_NS + (row - 1) * 1000000,
                                  .end_ns = START_NS + row * 1000000};
            wtl_trace_writer_gap(w, &gap);
        }
        for (uint32_t g = 0; g < GROUPS; g++) {
            for (uint32_t i = 0; i < PER_GROUP; i++)
                values[i] = value_of(g * PER_GROUP + i, row);
            wtl_trace_writer_row(w, g, START_NS + row * 1000000, values, NULL);
        }
        wtl_trace_writer_poll(w, START_NS + row * 1000000);
    }
    is_int(wtl_trace_writer_finish(w, NULL), 0, "is written");
    free(ids);
    free(values);
}

/* Rows times channels with a correct value. */
static uint64_t count_right(struct wtl_trace_reader *r)
{
    struct wtl_trace_range all = {.end_ns = UINT64_MAX};
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    uint64_t right = 0;
    wtl_trace_samples_open(r, &all, &samples, NULL);
    while (wtl_trace_samples_next(samples, &chunk, NULL) > 0)
        for (size_t i = 0; i < chunk.rows; i++)
            for (size_t c = 0; c < chunk.column_count; c++)
                right +=
                    chunk.columns[c].values[i] ==
                    value_of(chunk.columns[c].channel, (chunk.time_ns[i] - START_NS) / 1000000);
    wtl_trace_samples_close(samples);
    return right;
}

static void test_wide(void)
{
    struct wtl_trace_reader *r = NULL;
    struct wtl_summary summary = {0};
    const struct wtl_gap *gaps;
    write_wide("wide.wtl");
    if (!is_int(wtl_trace_reader_open("wide.wtl", &r, NULL), 0, "opens"))
        return;
    ok(r->status.has_footer, "with a footer");
    is_int((intmax_t)r->footer.left_out, WTL_LEFT_OUT_REGIONS | WTL_LEFT_OUT_SUMMARIES,
           "which leaves the summaries out");
    is_int(wtl_trace_reader_channel_count(r), WTL_TRACE_CHANNELS_MAX, "channels");
    is_int((intmax_t)count_right(r), (intmax_t)ROWS * WTL_TRACE_CHANNELS_MAX,
           "each value is right");
    is_int(wtl_trace_reader_gaps(r, &gaps, NULL), WTL_TRACE_CHANNELS_MAX, "a gap of each");
    is_int(wtl_trace_reader_summary(r, WTL_TRACE_CHANNELS_MAX - 1, &summary, NULL), 0, "a summary");
    is_int((intmax_t)summary.samples, ROWS - 1, "from the blocks");
    is_int((intmax_t)summary.gaps, 1, "with its gap");
    wtl_trace_reader_close(r);
}

/* Names of regions times channels: about 17 MB of energies. */
static void write_names(const char *path, uint32_t channels, int names)
{
    struct wtl_trace_writer *w;
    uint32_t ids[512];
    uint64_t values[512];
    char name[32];
    wtl_trace_writer_create(path, &force, &w, NULL);
    add_channels(w, ids, channels);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, ids, channels, 0);
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "x"};
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(w, &process), .tid = 1, .name = ""};
    uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
    wtl_trace_writer_window_begin(w, START_NS + 1);
    for (int n = 0; n < names; n++) {
        (void)snprintf(name, sizeof name, "region %d", n);
        uint32_t id = (uint32_t)wtl_trace_writer_string(w, name);
        uint64_t at_ns = START_NS + 1000000 * (uint64_t)(n + 1);
        struct wtl_mark marks[] = {
            {.time_ns = at_ns, .thread = t, .name = id, .kind = WTL_MARK_BEGIN},
            {.time_ns = at_ns + 500000, .thread = t, .name = id, .kind = WTL_MARK_END}};
        for (uint32_t i = 0; i < channels; i++)
            values[i] = value_of(i, (uint64_t)n);
        wtl_trace_writer_row(w, group, at_ns, values, NULL);
        wtl_trace_writer_marks(w, marks, 2);
    }
    wtl_trace_writer_window_end(w, START_NS + 1000000 * (uint64_t)(names + 1));
    for (uint32_t i = 0; i < channels; i++)
        values[i] = value_of(i, (uint64_t)names);
    wtl_trace_writer_row(w, group, START_NS + 1000000 * (uint64_t)(names + 2), values, NULL);
    is_int(wtl_trace_writer_finish(w, NULL), 0, "%d names on %u channels", names, channels);
}

static void test_long_footer(void)
{
    static const struct {
        int line;
        int names;
        unsigned left_out;
    } table[] = {{__LINE__, 100, 0}, {__LINE__, 1600, WTL_LEFT_OUT_REGIONS}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct wtl_trace_reader *r = NULL;
        const struct wtl_region_summary *regions;
        tap_line = table[i].line;
        write_names("names.wtl", 300, table[i].names);
        if (!is_int(wtl_trace_reader_open("names.wtl", &r, NULL), 0, "opens"))
            continue;
        ok(r->status.has_footer, "with a footer");
        is_int((intmax_t)r->footer.left_out, table[i].left_out, "which says what it leaves out");
        is_int((intmax_t)r->footer.summaries.count, 300, "but not the summaries");
        int count = wtl_trace_reader_regions(r, &regions, NULL);
        is_int(count, table[i].names + 1, "regions");
        const struct wtl_region_summary *last = &regions[count > 0 ? count - 1 : 0];
        is_int((intmax_t)last->union_ns, 500000, "the last one's time");
        is_int((intmax_t)last->energy_count, 300, "its channels");
        ok(isfinite(last->inclusive[299].j), "and energy");
        wtl_trace_reader_close(r);
    }
    tap_line = 0;
}

/* Each part is dropped only if dropping the earlier ones is not enough. */
static void test_stages(void)
{
    struct wtl_tables tables = {0};
    struct wtl_digest *digest;
    struct wtl_bytes bytes = {0};
    size_t most = SIZE_MAX, length = SIZE_MAX;
    wtl_record_put(&bytes, WTL_BLOCK_METADATA, 0,
                   &(struct wtl_meta){.key = "host.name", .value = "n1"});
    wtl_tables_load(&tables, WTL_BLOCK_METADATA, wtl_cursor_init(bytes.data, bytes.length));
    wtl_digest_create(&tables, NULL, NULL, &digest);
    struct wtl_footer_source source = {.tables = &tables, .digest = digest};
    for (unsigned left_out = 0; left_out < WTL_LEFT_OUT_END; left_out = 2 * left_out + 1) {
        struct wtl_tables read = {0};
        struct wtl_footer footer = {0};
        wtl_footer_put(&source, most, &bytes);
        is_int(wtl_footer_load(wtl_cursor_init(bytes.data, bytes.length), &footer, &read), 0,
               "at most %zu bytes", most);
        is_int((intmax_t)footer.left_out, left_out, "are what is left out");
        is_int(read.meta.count, left_out & WTL_LEFT_OUT_TABLES ? 0 : 1, "metadata");
        ok(bytes.length < length, "it is shorter");
        length = bytes.length;
        most = length - 1;
        wtl_footer_fini(&footer);
        wtl_tables_fini(&read);
    }
    wtl_digest_destroy(digest);
    wtl_tables_fini(&tables);
    wtl_bytes_fini(&bytes);
}

/* A record of a region says how many energies it has: memory is allocated only for those that
 * exist, in ascending order. */
static void test_claims(void)
{
    static const struct {
        int line;
        uint32_t count, channels[2];
        int code;
    } table[] = {{__LINE__, 2, {1, 60000}, 0},
                 {__LINE__, 2, {1, 1}, -EBADMSG},
                 {__LINE__, 2, {2, 1}, -EBADMSG},
                 {__LINE__, 3, {1, 2}, -EBADMSG},
                 {__LINE__, UINT32_MAX, {1, 2}, -EBADMSG}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct wtl_tables tables = {0};
        struct wtl_footer footer = {0};
        struct wtl_bytes bytes = {0};
        tap_line = table[i].line;
        wtl_bytes_put_u16(&bytes, WTL_SECTION_REGIONS);
        wtl_bytes_put_u16(&bytes, 0);
        size_t section = wtl_record_begin(&bytes), record = wtl_record_begin(&bytes);
        wtl_bytes_put_text(&bytes, "solve");
        for (int f = 0; f < 6; f++)
            wtl_bytes_put_u64(&bytes, 1);
        wtl_bytes_put_u32(&bytes, table[i].count);
        for (int c = 0; c < 2; c++) {
            wtl_bytes_put_u32(&bytes, table[i].channels[c]);
            wtl_bytes_put_u8(&bytes, 2);
            for (int f = 0; f < 4; f++)
                wtl_bytes_put_f64(&bytes, f + c);
        }
        wtl_record_end(&bytes, record);
        wtl_record_end(&bytes, section);
        for (int f = 0; f < WTL_TRAILER; f++)
            wtl_bytes_put_u8(&bytes, 0);
        is_int(wtl_footer_load(wtl_cursor_init(bytes.data, bytes.length), &footer, &tables),
               table[i].code, "a region of %u energies", table[i].count);
        if (table[i].code == 0) {
            const struct wtl_region_summary *region = &footer.regions.regions[0];
            is_int(region->channels[1], 60000, "the channel of its last");
            ok(region->exclusive[1].j > 2.5 && region->exclusive[1].interval_only,
               "and its energy");
        }
        wtl_footer_fini(&footer);
        wtl_tables_fini(&tables);
        wtl_bytes_fini(&bytes);
    }
    tap_line = 0;
}

/* A channel of a newer version next to a current one: its numbers are available, and nothing
 * else. */
static void test_values_of_a_newer_version(void)
{
    static const struct {
        int line;
        unsigned kind, flags;
    } table[] = {{__LINE__, 9, 0},
                 {__LINE__, WATTLE_COUNTER, 1u << 16},
                 {__LINE__, WATTLE_GAUGE, 1u << 31 | WATTLE_CHANNEL_PRIMARY}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct wtl_trace_writer *w;
        struct wtl_trace_reader *r = NULL;
        struct wtl_summary summary = {0};
        const uint32_t ids[] = {0, 1};
        tap_line = table[i].line;
        wtl_trace_writer_create("newer.wtl", &force, &w, NULL);
        struct wattle_channel channel = fixture_channel("new", WATTLE_COUNTER, WATTLE_ENERGY, 1e-6);
        channel.kind = (enum wattle_kind)table[i].kind;
        channel.flags = table[i].flags;
        wtl_trace_writer_channel(w, &channel);
        channel = fixture_channel("old", WATTLE_COUNTER, WATTLE_ENERGY, 1e-6);
        wtl_trace_writer_channel(w, &channel);
        wtl_trace_writer_group(w, ids, 2, 0);
        wtl_trace_writer_window_begin(w, START_NS + 1);
        for (uint64_t row = 0; row < 10; row++)
            wtl_trace_writer_row(w, 0, START_NS + row * 1000000, (uint64_t[]){row * 5, row}, NULL);
        struct wtl_gap gap = {.channel = 0, .begin_ns = START_NS, .end_ns = START_NS + 1000000};
        wtl_trace_writer_gap(w, &gap);
        is_int(wtl_trace_writer_finish(w, NULL), 0, "is written");
        wtl_trace_reader_open("newer.wtl", &r, NULL);
        is_int((intmax_t)r->footer.summaries.count, 1, "one summary");
        is_int(wtl_trace_reader_summary(r, 0, &summary, NULL), 0, "of the new one");
        ok(isnan(summary.amount) && summary.samples == 0 && summary.gaps == 0, "says nothing");
        wtl_trace_reader_summary(r, 1, &summary, NULL);
        is_int((intmax_t)summary.samples, 9, "of the old one what it says");
        is_int((int)wtl_trace_reader_channel(r, 0)->channel.kind, (int)table[i].kind, "its kind");
        struct wtl_power_point *points;
        struct wtl_trace_range all = {.end_ns = UINT64_MAX};
        is_int(wtl_trace_reader_power(r, 0, &all, 10, &points, NULL, NULL), -EINVAL, "no picture");
        wtl_trace_reader_close(r);
    }
    tap_line = 0;
}

int main(void)
{
    test_stages();
    test_claims();
    test_values_of_a_newer_version();
    test_long_footer();
    test_wide();
    return done_testing();
}
