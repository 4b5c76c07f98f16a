/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of plain, gzip and zstd text: line ends, byte order marks, truncated files and files that
 * are not text. */
#define _GNU_SOURCE
#include "exchange/import/text_source.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

#include "tap.h"

enum { ROOM = 1 << 16 };

static size_t gzip(const char *text, size_t n, char *out)
{
    z_stream z = {0};
    (void)deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (Bytef *)text;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)out;
    z.avail_out = ROOM;
    (void)deflate(&z, Z_FINISH);
    size_t size = z.total_out;
    (void)deflateEnd(&z);
    return size;
}

/* All lines joined by "|", or the error message. */
static int read_all(const void *bytes, size_t n, char *out, struct wattle_error *err)
{
    struct wtl_text_source *source;
    char *line;
    size_t length, used = 0;
    out[0] = '\0';
    int rc = wtl_text_source_memory("m", bytes, n, &source, err);
    if (rc < 0)
        return rc;
    while ((rc = wtl_text_source_next(source, &line, &length, err)) > 0 &&
           used + length + 2 < ROOM) {
        memcpy(out + used, line, length);
        used += length;
        out[used++] = '|';
        out[used] = '\0';
    }
    wtl_text_source_close(source);
    return rc;
}

static void test_plain(void)
{
    static const struct {
        int line;
        const char *text, *want;
    } rows[] = {{__LINE__, "a\nb\n", "a|b|"},  {__LINE__, "a\r\nb\r\n", "a|b|"},
                {__LINE__, "a\nb", "a|b|"},    {__LINE__, "", ""},
                {__LINE__, "\n\n", "||"},      {__LINE__, "\xEF\xBB\xBFt,v\n", "t,v|"},
                {__LINE__, "a\rb\n", "a\rb|"}, {__LINE__, "\r", "|"}};
    char out[ROOM];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(read_all(rows[i].text, strlen(rows[i].text), out, &err), 0, "read %s", err.text);
        is_str(out, rows[i].want, "its lines");
    }
    tap_line = 0;
}

static void test_packed(void)
{
    static char text[ROOM], packed[ROOM], out[ROOM];
    struct wattle_error err = {""};
    size_t n = 0;
    for (int i = 0; i < 2000; i++)
        n += (size_t)sprintf(text + n, "%d,%d\n", i, i * 7);
    size_t size = gzip(text, n, packed);
    is_int(read_all(packed, size, out, &err), 0, "gzip %s", err.text);
    ok(strncmp(out, "0,0|1,7|", 8) == 0 && strlen(out) == n, "all of it");
    /* Two members, as in "cat a.gz b.gz". */
    size += gzip("x\n", 2, packed + size);
    is_int(read_all(packed, size, out, &err), 0, "two members %s", err.text);
    ok(strlen(out) == n + 2 && strcmp(out + n, "x|") == 0, "both of them");
    is_int(read_all(packed, size - 9, out, &err), -EBADMSG, "cut off");
    ok(strstr(err.text, "cut off"), "says: %s", err.text);
    packed[20] ^= 0x55;
    is_int(read_all(packed, size, out, &err), -EBADMSG, "damaged");
    ok(strstr(err.text, "damaged"), "says: %s", err.text);

    size = ZSTD_compress(packed, ROOM, text, n, 3);
    is_int(read_all(packed, size, out, &err), 0, "zstd %s", err.text);
    ok(strncmp(out, "0,0|1,7|", 8) == 0 && strlen(out) == n, "all of it");
    is_int(read_all(packed, size - 3, out, &err), -EBADMSG, "cut off");
    ok(strstr(err.text, "cut off"), "says: %s", err.text);
}

static void test_refused(void)
{
    char out[ROOM];
    struct wattle_error err = {""};
    is_int(read_all("a\0b\n", 4, out, &err), -EBADMSG, "a NUL");
    ok(strstr(err.text, "m:1: ") && strstr(err.text, "UTF-16"), "says: %s", err.text);
    is_int(read_all("\xF5WTL....", 8, out, &err), -ENOTSUP, "a trace");
    is_int(read_all("\xFD"
                    "7zXZ....",
                    8, out, &err),
           -ENOTSUP, "xz");
    ok(strstr(err.text, "decompress it first"), "says: %s", err.text);
    struct wtl_text_source *source;
    is_int(wtl_text_source_open("/nonexistent/x", &source, &err), -ENOENT, "no file");
    is_int(wtl_text_source_open("/", &source, &err), -EISDIR, "a folder");
    /* A line beyond the limit, from an endless stream. */
    is_int(wtl_text_source_open("/dev/zero", &source, &err), 0, "zeros");
    char *line;
    size_t length;
    is_int(wtl_text_source_next(source, &line, &length, &err), -EMSGSIZE, "an endless line");
    wtl_text_source_close(source);
}

static void test_rewind(void)
{
    struct wtl_text_source *source;
    struct wattle_error err = {""};
    char *line, packed[ROOM];
    size_t length, size = gzip("1\n2\n", 4, packed);
    is_int(wtl_text_source_memory("m", packed, size, &source, &err), 0, "open");
    for (int turn = 0; turn < 2; turn++) {
        is_int(wtl_text_source_next(source, &line, &length, &err), 1, "a line");
        is_str(line, "1", "the first one, in turn %d", turn);
        is_int(wtl_text_source_line(source), 1, "number 1");
        is_int(wtl_text_source_rewind(source, &err), 0, "again");
    }
    is_str(wtl_text_source_compression(source), "gzip", "still known as gzip");
    wtl_text_source_close(source);
}

int main(void)
{
    test_plain();
    test_packed();
    test_refused();
    test_rewind();
    return done_testing();
}
