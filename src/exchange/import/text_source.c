/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of compressed or plain text: see text_source.h. Bytes pass through two buffers: raw ones as
 * in the file, and text, in which lines are found in place. */
#define _GNU_SOURCE
#include "exchange/import/text_source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/fail.h"
#include "base/grow.h"

enum { RAW_SIZE = 1 << 17, TEXT_SIZE = 1 << 18 };
enum form { PLAIN = 0, GZIP = 1, ZSTD = 2 };

struct wtl_text_source {
    char *name;
    int fd;                /* -1: memory */
    bool owns_fd;          /* false for standard input */
    const uint8_t *memory; /* everything, and how much is left */
    size_t memory_size, memory_left;
    enum form form;
    bool cut; /* the last line has no line break */
    bool raw_ended, text_ended, in_frame;
    z_stream gzip;
    ZSTD_DStream *zstd;
    uint8_t *raw;
    size_t raw_begin, raw_end;
    char *text;
    size_t text_begin, text_end, text_size;
    uint64_t line;
    uint64_t read, all; /* bytes of the file; all 0 = unknown */
    void (*watch)(void *context, uint64_t done, uint64_t all);
    void *watch_context;
};

/* ---- raw bytes ---- */

static int fetch_raw(struct wtl_text_source *source, struct wattle_error *err)
{
    ssize_t n;
    source->raw_begin = source->raw_end = 0;
    if (source->fd < 0) {
        n = source->memory_left < RAW_SIZE ? (ssize_t)source->memory_left : RAW_SIZE;
        if (n > 0)
            memcpy(source->raw, source->memory + (source->memory_size - source->memory_left),
                   (size_t)n);
        source->memory_left -= (size_t)n;
    } else {
        do {
            n = read(source->fd, source->raw, RAW_SIZE);
        } while (n < 0 && errno == EINTR);
        if (n < 0)
            return wtl_fail(err, -errno, "%s: %s", source->name, wtl_strerror(errno));
    }
    source->raw_end = (size_t)n;
    source->raw_ended = n == 0;
    source->read += (uint64_t)n;
    if (source->watch)
        source->watch(source->watch_context, source->all ? source->read : 0, source->all);
    return 0;
}

static int spoiled(const struct wtl_text_source *source, struct wattle_error *err)
{
    return wtl_fail(err, -EBADMSG, "%s: the %s data are damaged near line %llu", source->name,
                    wtl_text_source_compression(source), (unsigned long long)source->line + 1);
}

static int cut_off(const struct wtl_text_source *source, struct wattle_error *err)
{
    return wtl_fail(err, -EBADMSG, "%s: the %s file was cut off after line %llu; copy it again",
                    source->name, wtl_text_source_compression(source),
                    (unsigned long long)source->line);
}

/* Each of these consumes raw bytes and adds text; returns the number added, or -EBADMSG. */
static ssize_t take_plain(struct wtl_text_source *source, char *to, size_t room)
{
    size_t n = source->raw_end - source->raw_begin;
    n = n < room ? n : room;
    memcpy(to, source->raw + source->raw_begin, n);
    source->raw_begin += n;
    return (ssize_t)n;
}

static ssize_t take_gzip(struct wtl_text_source *source, char *to, size_t room)
{
    z_stream *gzip = &source->gzip;
    gzip->next_in = source->raw + source->raw_begin;
    gzip->avail_in = (uInt)(source->raw_end - source->raw_begin);
    gzip->next_out = (Bytef *)to;
    gzip->avail_out = (uInt)room;
    source->in_frame = true;
    int rc = inflate(gzip, Z_NO_FLUSH);
    source->raw_begin = source->raw_end - gzip->avail_in;
    if (rc == Z_STREAM_END) { /* more members may follow, as in "cat a.gz b.gz" */
        source->in_frame = false;
        (void)inflateReset(gzip);
    } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
        return -EBADMSG;
    }
    return (ssize_t)(room - gzip->avail_out);
}

static ssize_t take_zstd(struct wtl_text_source *source, char *to, size_t room)
{
    ZSTD_inBuffer in = {source->raw + source->raw_begin, source->raw_end - source->raw_begin, 0};
    ZSTD_outBuffer out = {to, room, 0};
    size_t rc = ZSTD_decompressStream(source->zstd, &out, &in);
    source->raw_begin += in.pos;
    if (ZSTD_isError(rc))
        return -EBADMSG;
    source->in_frame = rc != 0;
    return (ssize_t)out.pos;
}

/* Append more text. 0 or -errno. */
static int fetch_text(struct wtl_text_source *source, struct wattle_error *err)
{
    static ssize_t (*const takes[])(struct wtl_text_source *, char *,
                                    size_t) = {take_plain, take_gzip, take_zstd};
    for (;;) {
        size_t room = source->text_size - source->text_end - 1;
        ssize_t n = 0;
        if (source->raw_begin < source->raw_end || source->in_frame) {
            n = takes[source->form](source, source->text + source->text_end, room);
            if (n < 0)
                return spoiled(source, err);
        }
        source->text_end += (size_t)n;
        if (n > 0)
            return 0;
        if (source->raw_begin < source->raw_end)
            continue; /* the header or end of a frame was consumed */
        if (source->raw_ended) {
            source->text_ended = true;
            return source->in_frame ? cut_off(source, err) : 0;
        }
        int rc = fetch_raw(source, err);
        if (rc < 0)
            return rc;
    }
}

/* ---- lines ---- */

/* Make room for more text: move the rest to the front, or grow the buffer. */
static int make_room(struct wtl_text_source *source, struct wattle_error *err)
{
    size_t left = source->text_end - source->text_begin;
    if (source->text_begin > 0) {
        memmove(source->text, source->text + source->text_begin, left);
        source->text_begin = 0;
        source->text_end = left;
    }
    if (left + 1 < source->text_size / 2)
        return 0;
    if (left > WTL_TEXT_LINE_MAX)
        return wtl_fail(err, -EMSGSIZE, "%s:%llu: line longer than %zu MiB, so not a table",
                        source->name, (unsigned long long)source->line + 1,
                        WTL_TEXT_LINE_MAX >> 20);
    if (wtl_reserve(&source->text, &source->text_size, source->text_size + 1, 1) < 0)
        return wtl_no_memory_for(err, "the lines of %s", source->name);
    return 0;
}

static int give_line(struct wtl_text_source *source,
                     size_t length,
                     size_t end,
                     char **ret_line,
                     size_t *ret_length,
                     struct wattle_error *err)
{
    char *line = source->text + source->text_begin;
    source->text_begin += end;
    source->line++;
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    if (memchr(line, '\0', length))
        return wtl_fail(err, -EBADMSG,
                        "%s:%llu: NUL byte, so not a text file; if it is UTF-16, convert it with "
                        "\"iconv -f UTF-16 -t UTF-8\"",
                        source->name, (unsigned long long)source->line);
    *ret_line = line;
    *ret_length = length;
    return 1;
}

int wtl_text_source_next(struct wtl_text_source *source,
                         char **ret_line,
                         size_t *ret_length,
                         struct wattle_error *err)
{
    size_t seen = 0;
    for (;;) {
        size_t left = source->text_end - source->text_begin;
        char *line = source->text + source->text_begin;
        char *stop = left > seen ? memchr(line + seen, '\n', left - seen) : NULL;
        if (stop)
            return give_line(source, (size_t)(stop - line), (size_t)(stop - line) + 1, ret_line,
                             ret_length, err);
        source->cut = source->cut || (source->text_ended && left > 0);
        if (source->text_ended)
            return left ? give_line(source, left, left, ret_line, ret_length, err) : 0;
        seen = left;
        int rc = make_room(source, err);
        rc = rc < 0 ? rc : fetch_text(source, err);
        if (rc < 0)
            return rc;
    }
}

uint64_t wtl_text_source_line(const struct wtl_text_source *source)
{
    return source->line;
}

bool wtl_text_source_is_cut(const struct wtl_text_source *source)
{
    return source->cut;
}

const char *wtl_text_source_compression(const struct wtl_text_source *source)
{
    static const char *const names[] = {"none", "gzip", "zstd"};
    return names[source->form];
}

/* ---- open and close ---- */

static bool begins(const struct wtl_text_source *source, const char *magic, size_t n)
{
    return source->raw_end >= n && memcmp(source->raw, magic, n) == 0;
}

/* Detect the format from the first bytes. */
static int recognise(struct wtl_text_source *source, struct wattle_error *err)
{
    int rc = fetch_raw(source, err);
    if (rc < 0)
        return rc;
    if (begins(source,
               "\xFD"
               "7zXZ",
               5) ||
        begins(source, "BZh", 3) || begins(source, "PK\3\4", 4))
        return wtl_fail(err, -ENOTSUP,
                        "%s is compressed with xz, bzip2 or zip; decompress it first (only gzip "
                        "and zstd are read directly)",
                        source->name);
    if (begins(source,
               "\xF5"
               "WTL",
               4))
        return wtl_fail(err, -ENOTSUP, "%s is already a trace; read it with \"wattle stats\"",
                        source->name);
    if (begins(source, "\x1F\x8B", 2)) {
        source->form = GZIP;
        if (inflateInit2(&source->gzip, 15 + 16) != Z_OK) {
            source->form = PLAIN;
            return wtl_no_memory_for(err, "unpacking %s", source->name);
        }
    } else if (begins(source, "\x28\xB5\x2F\xFD", 4)) {
        source->form = ZSTD;
        source->zstd = ZSTD_createDStream();
        if (!source->zstd)
            return wtl_no_memory_for(err, "unpacking %s", source->name);
        /* Accept frames with larger windows than the default. */
        (void)ZSTD_DCtx_setParameter(source->zstd, ZSTD_d_windowLogMax, 27);
    }
    rc = fetch_text(source, err);
    if (rc == 0 && source->text_end >= 3 && memcmp(source->text, "\xEF\xBB\xBF", 3) == 0)
        source->text_begin = 3;
    return rc;
}

/* Free the decompressor. */
static void end_form(struct wtl_text_source *source)
{
    if (source->form == GZIP)
        (void)inflateEnd(&source->gzip);
    (void)ZSTD_freeDStream(source->zstd);
    source->zstd = NULL;
    source->form = PLAIN;
}

int wtl_text_source_rewind(struct wtl_text_source *source, struct wattle_error *err)
{
    if (source->fd >= 0 && lseek(source->fd, 0, SEEK_SET) < 0)
        return wtl_fail(err, -errno,
                        "%s is read twice and cannot be rewound; save it to a file first",
                        source->name);
    end_form(source);
    source->memory_left = source->memory_size;
    source->raw_ended = source->text_ended = source->in_frame = false;
    source->raw_begin = source->raw_end = source->text_begin = source->text_end = 0;
    source->line = source->read = 0;
    return recognise(source, err);
}

static int make(const char *name, struct wtl_text_source **ret_source, struct wattle_error *err)
{
    struct wtl_text_source *source = calloc(1, sizeof *source);
    if (source) {
        source->fd = -1;
        source->name = strdup(name);
        source->raw = malloc(RAW_SIZE);
        source->text_size = TEXT_SIZE;
        source->text = malloc(TEXT_SIZE);
    }
    if (!source || !source->name || !source->raw || !source->text) {
        wtl_text_source_close(source);
        return wtl_no_memory_for(err, "%s", name);
    }
    *ret_source = source;
    return 0;
}

/* Finish opening a source, or free it on failure. */
static int begin(struct wtl_text_source *source,
                 struct wtl_text_source **ret_source,
                 struct wattle_error *err)
{
    int rc = recognise(source, err);
    if (rc < 0)
        wtl_text_source_close(source);
    else
        *ret_source = source;
    return rc;
}

int wtl_text_source_open(const char *path,
                         struct wtl_text_source **ret_source,
                         struct wattle_error *err)
{
    struct wtl_text_source *source = NULL;
    struct stat about = {.st_mode = 0};
    bool standard = strcmp(path, "-") == 0;
    int rc = make(standard ? "standard input" : path, &source, err);
    if (rc < 0)
        return rc;
    assert(source); /* it was made */
    source->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    source->owns_fd = !standard;
    if (source->fd < 0)
        rc = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    else if (fstat(source->fd, &about) == 0 && S_ISDIR(about.st_mode))
        rc = wtl_fail(err, -EISDIR, "%s is a folder; name the files in it", path);
    else if (S_ISREG(about.st_mode))
        source->all = (uint64_t)about.st_size;
    if (rc < 0) {
        wtl_text_source_close(source);
        return rc;
    }
    return begin(source, ret_source, err);
}

int wtl_text_source_memory(const char *name,
                           const void *bytes,
                           size_t n,
                           struct wtl_text_source **ret_source,
                           struct wattle_error *err)
{
    struct wtl_text_source *source = NULL;
    int rc = make(name, &source, err);
    if (rc < 0)
        return rc;
    assert(source); /* it was made */
    source->memory = bytes;
    source->memory_size = source->memory_left = n;
    return begin(source, ret_source, err);
}

void wtl_text_source_watch(struct wtl_text_source *source,
                           void (*watch)(void *context, uint64_t done, uint64_t all),
                           void *context)
{
    source->watch = watch;
    source->watch_context = context;
}

void wtl_text_source_close(struct wtl_text_source *source)
{
    if (!source)
        return;
    end_form(source);
    if (source->owns_fd && source->fd >= 0)
        (void)close(source->fd); /* only read from */
    free(source->name);
    free(source->raw);
    free(source->text);
    free(source);
}
