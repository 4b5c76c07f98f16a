/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pmlib's protocol: written, read back, in pieces, damaged. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "pmlib/wire.h"

#include "tap.h"

static void test_requests(void)
{
    static const struct {
        int line;
        struct wtl_pm_request request;
        size_t size;
    } rows[] = {
        {__LINE__, {.mark = WTL_PM_LIST}, 4},
        {__LINE__, {.mark = WTL_PM_INFO, .name = "RampMeter"}, 17},
        {__LINE__, {.mark = WTL_PM_READ, .name = "nope", .frequency = 1}, 16},
        {__LINE__,
         {.mark = WTL_PM_CREATE, .name = "RampMeter", .frequency = 5, .mask = {0x0a}},
         45},
        {__LINE__, {.mark = 42}, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[WTL_PM_REQUEST_MAX];
        struct wtl_pm_request got;
        tap_line = rows[i].line;
        size_t n = wtl_pm_request_write(&rows[i].request, bytes);
        is_int(n, rows[i].size, "bytes");
        for (size_t cut = 0; cut < n; cut++) {
            struct wtl_pm_reader from = {.at = bytes, .size = cut};
            if (wtl_pm_request_read(&from, false, &got) != -EAGAIN || from.used != 0)
                ok(false, "the first %zu bytes are not enough", cut);
        }
        struct wtl_pm_reader from = {.at = bytes, .size = n};
        is_int(wtl_pm_request_read(&from, false, &got), 0, "reads what was written");
        ok(memcmp(&got, &rows[i].request, sizeof got) == 0, "the same request");
    }
    tap_line = 0;
    const int32_t evil[] = {WTL_PM_INFO, -5, 0};
    struct wtl_pm_request got;
    struct wtl_pm_reader from = {.at = (const uint8_t *)evil, .size = sizeof evil};
    is_int(wtl_pm_request_read(&from, false, &got), -EBADMSG, "a negative length is refused");
    const int32_t mask[] = {WTL_PM_CREATE, 0, 0, 0, 17, 0, 0, 0, 0, 0};
    from = (struct wtl_pm_reader){.at = (const uint8_t *)mask, .size = sizeof mask};
    is_int(wtl_pm_request_read(&from, false, &got), -EBADMSG, "a mask of 17 bytes is refused");
}

static void test_lists(void)
{
    static const struct {
        int line;
        const char *bytes;
        size_t n;
        const char *names;
        int dialect, last;
    } rows[] = {
        {__LINE__, "\2\0\0\0\1\0\0\0a\2\0\0\0bc", 15, "a bc ", WTL_PM_G2, 0},
        {__LINE__, "\1\0\0\0a\2\0\0\0bc", 11, "a bc ", WTL_PM_CPP, 0},
        {__LINE__, "\0\0\0\0", 4, "", WTL_PM_G2, 0},
        {__LINE__, "\1\0\0\0\1\0\0\0\7", 9, "? ", WTL_PM_G2, 0},
        {__LINE__, "", 0, "", WTL_PM_G2, -EBADMSG},
        {__LINE__, "\2\0\0\0\1\0\0\0a", 9, "", WTL_PM_G2, -EBADMSG},
        {__LINE__, "\377\377\377\377", 4, "", WTL_PM_G2, -EBADMSG},
        {__LINE__, "HTTP/1.1 400", 12, "", WTL_PM_G2, -EBADMSG},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_pm_reader from = {.at = (const uint8_t *)rows[i].bytes, .size = rows[i].n};
        enum wtl_pm_dialect dialect = WTL_PM_G2;
        char name[WTL_PM_TEXT], all[600] = "";
        int rc;
        tap_line = rows[i].line;
        while ((rc = wtl_pm_list_next(&from, name, &dialect)) > 0)
            (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", name);
        is_int(rc, rows[i].last, "the end");
        is_str(all, rows[i].names, "the names");
        is_int(dialect, rows[i].dialect, "the dialect");
    }
    tap_line = 0;
}

/* Two records of a stream of each width and number of lines. */
static void test_stream(void)
{
    for (int lines = 1; lines <= WTL_PM_LINES; lines++) {
        for (int dialect = WTL_PM_G2; dialect <= WTL_PM_G1; dialect++) {
            uint8_t bytes[4096];
            struct wtl_pm_writer to = {.at = bytes, .size = sizeof bytes};
            for (int record = 0; record < 2; record++) {
                wtl_pm_put_i32(&to, lines);
                for (int i = 0; i < lines; i++)
                    wtl_pm_put_sample(&to, (enum wtl_pm_dialect)dialect, 100.0 * i + 0.1 + record);
            }
            int found = -EAGAIN, asked = 0;
            for (size_t n = 0; n <= to.used && found == -EAGAIN; n += 4)
                asked += wtl_pm_stream_dialect(bytes, n, &found);
            if (found != dialect || asked != 1)
                ok(false, "%d lines of dialect %d: found %d, asked %d", lines, dialect, found,
                   asked);
        }
    }
    ok(true, "samples of 4 and 8 bytes are told apart, for 1 to 128 lines");
    int found;
    const int32_t evil[] = {-1, 0};
    (void)wtl_pm_stream_dialect((const uint8_t *)evil, sizeof evil, &found);
    is_int(found, -EBADMSG, "a negative number of lines");
}

static void test_order(void)
{
    static const int32_t bounds[] = {0, 5, 8};
    is_int(wtl_pm_sample_at(WTL_PM_G2, 16, 2, bounds, 2, 1, 1, 0), 13, "line after line");
    is_int(wtl_pm_sample_at(WTL_PM_CPP, 16, 2, bounds, 2, 1, 1, 0), 13,
           "set after set: line 1, set 1");
    is_int(wtl_pm_sample_at(WTL_PM_CPP, 16, 2, bounds, 2, 0, 1, 0), 10,
           "set after set: line 0, set 1");
    is_int(wtl_pm_sample_at(WTL_PM_G2, 16, 2, bounds, 2, 0, 1, 0), 5,
           "line after line: line 0, set 1");
    is_int(wtl_pm_sample_at(WTL_PM_CPP, 10, 2, bounds, 2, 1, 1, 2), -1,
           "a sample that was not sent");
}

int main(void)
{
    test_requests();
    test_lists();
    test_stream();
    test_order();
    return done_testing();
}
