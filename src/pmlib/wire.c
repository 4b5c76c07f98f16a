/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of pmlib's protocol: see wire.h. */
#define _GNU_SOURCE
#include "pmlib/wire.h"

#include <errno.h>
#include <string.h>

static const char *const dialect_names[] = {"g2", "g1", "cpp"};
enum { DIALECTS = sizeof dialect_names / sizeof *dialect_names, DEVICES_MAX = 4096 };

bool wtl_pm_mask_has(const uint8_t mask[WTL_PM_MASK], int line)
{
    return line >= 0 && line < WTL_PM_LINES && (mask[line / 8] >> (line % 8) & 1);
}

void wtl_pm_mask_add(uint8_t mask[WTL_PM_MASK], int line)
{
    if (line >= 0 && line < WTL_PM_LINES)
        mask[line / 8] |= (uint8_t)(1u << (line % 8));
}

int wtl_pm_dialect_parse(const char *text, enum wtl_pm_dialect *ret)
{
    for (int i = 0; i < DIALECTS; i++) {
        if (strcmp(text, dialect_names[i]) == 0) {
            *ret = (enum wtl_pm_dialect)i;
            return 0;
        }
    }
    return -EINVAL;
}

size_t wtl_pm_sample_size(enum wtl_pm_dialect dialect)
{
    return dialect == WTL_PM_G1 ? sizeof(float) : sizeof(double);
}

/* ---- writing ---- */

static void put_bytes(struct wtl_pm_writer *to, const void *data, size_t n)
{
    to->full = to->full || n > to->size - to->used;
    if (to->full)
        return;
    memcpy(to->at + to->used, data, n);
    to->used += n;
}

void wtl_pm_put_i32(struct wtl_pm_writer *to, int32_t value)
{
    put_bytes(to, &value, sizeof value);
}

void wtl_pm_put_float(struct wtl_pm_writer *to, float value)
{
    put_bytes(to, &value, sizeof value);
}

void wtl_pm_put_text(struct wtl_pm_writer *to, const char *text)
{
    size_t n = strnlen(text, WTL_PM_TEXT - 1);
    wtl_pm_put_i32(to, (int32_t)n);
    put_bytes(to, text, n);
}

void wtl_pm_put_sample(struct wtl_pm_writer *to, enum wtl_pm_dialect dialect, double value)
{
    if (dialect == WTL_PM_G1)
        wtl_pm_put_float(to, (float)value);
    else
        put_bytes(to, &value, sizeof value);
}

/* ---- reading ---- */

static int take_bytes(struct wtl_pm_reader *from, void *data, size_t n)
{
    if (n > from->size - from->used)
        return -EAGAIN;
    memcpy(data, from->at + from->used, n);
    from->used += n;
    return 0;
}

int wtl_pm_take_i32(struct wtl_pm_reader *from, int32_t *ret)
{
    return take_bytes(from, ret, sizeof *ret);
}

int wtl_pm_take_float(struct wtl_pm_reader *from, float *ret)
{
    return take_bytes(from, ret, sizeof *ret);
}

int wtl_pm_take_text(struct wtl_pm_reader *from, char *text, size_t n)
{
    size_t began = from->used;
    int32_t length;
    int rc = wtl_pm_take_i32(from, &length);
    if (rc == 0 && (length < 0 || (size_t)length >= n))
        rc = -EBADMSG;
    if (rc == 0)
        rc = take_bytes(from, text, (size_t)length);
    if (rc < 0) {
        from->used = began;
        return rc;
    }
    text[length] = '\0';
    for (int32_t i = 0; i < length; i++) {
        if (text[i] < ' ' || text[i] > '~')
            text[i] = '?';
    }
    return 0;
}

int wtl_pm_take_sample(struct wtl_pm_reader *from, enum wtl_pm_dialect dialect, double *ret)
{
    float narrow;
    if (dialect != WTL_PM_G1)
        return take_bytes(from, ret, sizeof *ret);
    int rc = wtl_pm_take_float(from, &narrow);
    if (rc == 0)
        *ret = (double)narrow;
    return rc;
}

/* ---- requests ---- */

size_t wtl_pm_request_write(const struct wtl_pm_request *request, uint8_t bytes[WTL_PM_REQUEST_MAX])
{
    struct wtl_pm_writer to = {.at = bytes, .size = WTL_PM_REQUEST_MAX};
    wtl_pm_put_i32(&to, request->mark);
    if (request->mark == WTL_PM_CREATE || request->mark == WTL_PM_INFO ||
        request->mark == WTL_PM_READ)
        wtl_pm_put_text(&to, request->name);
    if (request->mark == WTL_PM_CREATE || request->mark == WTL_PM_READ)
        wtl_pm_put_i32(&to, request->frequency);
    if (request->mark == WTL_PM_CREATE) {
        wtl_pm_put_i32(&to, request->aggregate);
        wtl_pm_put_i32(&to, WTL_PM_MASK);
        put_bytes(&to, request->mask, WTL_PM_MASK);
    }
    return to.used;
}

/* A mask of any length up to that of all lines. */
static int take_mask(struct wtl_pm_reader *from, uint8_t mask[WTL_PM_MASK])
{
    int32_t length;
    int rc = wtl_pm_take_i32(from, &length);
    if (rc == 0 && (length < 0 || length > WTL_PM_MASK))
        rc = -EBADMSG;
    return rc < 0 ? rc : take_bytes(from, mask, (size_t)length);
}

static int take_request(struct wtl_pm_reader *from, bool on_counter, struct wtl_pm_request *request)
{
    int rc = wtl_pm_take_i32(from, &request->mark);
    if (rc < 0 || on_counter)
        return rc;
    bool creates = request->mark == WTL_PM_CREATE, reads = request->mark == WTL_PM_READ;
    if (creates || reads || request->mark == WTL_PM_INFO)
        rc = wtl_pm_take_text(from, request->name, sizeof request->name);
    if (rc == 0 && (creates || reads))
        rc = wtl_pm_take_i32(from, &request->frequency);
    if (rc == 0 && creates)
        rc = wtl_pm_take_i32(from, &request->aggregate);
    return rc < 0 || !creates ? rc : take_mask(from, request->mask);
}

int wtl_pm_request_read(struct wtl_pm_reader *from,
                        bool on_counter,
                        struct wtl_pm_request *ret_request)
{
    size_t began = from->used;
    *ret_request = (struct wtl_pm_request){.mark = 0};
    int rc = take_request(from, on_counter, ret_request);
    if (rc < 0)
        from->used = began;
    return rc;
}

/* ---- replies ---- */

int wtl_pm_info_read(struct wtl_pm_reader *from, struct wtl_pm_device *ret_device)
{
    struct wtl_pm_reader at = *from;
    int rc = wtl_pm_take_i32(&at, &ret_device->max_frequency);
    if (rc == 0 && ret_device->max_frequency == WTL_PM_ERROR)
        return -ENODEV;
    rc = rc < 0 ? rc : wtl_pm_take_i32(&at, &ret_device->line_count);
    rc = rc < 0 ? rc : wtl_pm_take_text(&at, ret_device->name, sizeof ret_device->name);
    if (rc == 0 && (ret_device->max_frequency <= 0 || ret_device->line_count < 0 ||
                    ret_device->line_count > WTL_PM_LINES))
        rc = -EBADMSG;
    if (rc == 0)
        *from = at;
    return rc;
}

/* Whether texts, and nothing else, fill the bytes. */
static bool is_texts(struct wtl_pm_reader from, int32_t *ret_count)
{
    char text[WTL_PM_TEXT];
    int32_t count = 0;
    while (from.used < from.size && wtl_pm_take_text(&from, text, sizeof text) == 0)
        count++;
    *ret_count = count;
    return from.used == from.size;
}

int wtl_pm_list_next(struct wtl_pm_reader *from,
                     char name[WTL_PM_TEXT],
                     enum wtl_pm_dialect *ret_dialect)
{
    int32_t announced, count;
    if (from->used == 0) {
        struct wtl_pm_reader after = *from;
        bool counted = wtl_pm_take_i32(&after, &announced) == 0 && announced <= DEVICES_MAX &&
                       is_texts(after, &count) && count == announced;
        if (counted)
            *from = after;
        else if (is_texts(*from, &count) && count > 0)
            *ret_dialect = WTL_PM_CPP;
        else
            return -EBADMSG;
    }
    if (from->used == from->size)
        return 0;
    return wtl_pm_take_text(from, name, WTL_PM_TEXT) < 0 ? -EBADMSG : 1;
}

struct lines {
    const char *device; /* the one that is wanted */
    void (*take)(void *context, const struct wtl_pm_line *line);
    void *context;
    bool found;
};

static int take_line(struct wtl_pm_reader *from, bool multi, struct wtl_pm_line *line)
{
    int rc = wtl_pm_take_i32(from, &line->number);
    rc = rc < 0 ? rc : wtl_pm_take_text(from, line->name, sizeof line->name);
    rc = rc < 0 ? rc : wtl_pm_take_float(from, &line->voltage);
    rc = rc < 0 ? rc : wtl_pm_take_text(from, line->description, sizeof line->description);
    return rc < 0 || !multi ? rc : wtl_pm_take_text(from, line->computer, sizeof line->computer);
}

/* The counters of a device, which are not used here. */
static int skip_counters(struct wtl_pm_reader *from)
{
    char client[WTL_PM_TEXT];
    int32_t count, number, lines;
    int rc = wtl_pm_take_i32(from, &count);
    for (int32_t i = 0; rc == 0 && i < count; i++) {
        rc = wtl_pm_take_i32(from, &number);
        rc = rc < 0 ? rc : wtl_pm_take_text(from, client, sizeof client);
        rc = rc < 0 ? rc : wtl_pm_take_i32(from, &lines);
        for (int32_t line = 0; rc == 0 && line < lines; line++)
            rc = wtl_pm_take_i32(from, &number);
    }
    return rc;
}

/* What precedes the lines of a device; line->computer if all lines are of one. */
static int take_head(struct wtl_pm_reader *from,
                     char name[WTL_PM_TEXT],
                     struct wtl_pm_line *line,
                     int32_t *ret_count,
                     int32_t *ret_multi)
{
    int32_t frequency;
    int rc = wtl_pm_take_text(from, name, WTL_PM_TEXT);
    rc = rc < 0 ? rc : wtl_pm_take_i32(from, &frequency);
    rc = rc < 0 ? rc : wtl_pm_take_i32(from, ret_count);
    rc = rc < 0 ? rc : wtl_pm_take_i32(from, ret_multi);
    if (rc == 0 && (*ret_count < 0 || *ret_count > WTL_PM_LINES))
        return -EBADMSG;
    return rc < 0 || *ret_multi ? rc
                                : wtl_pm_take_text(from, line->computer, sizeof line->computer);
}

static int take_device(struct wtl_pm_reader *from, struct lines *lines)
{
    struct wtl_pm_line line = {.number = 0};
    char name[WTL_PM_TEXT];
    int32_t count = 0, multi = 0;
    int rc = take_head(from, name, &line, &count, &multi);
    bool wanted = rc == 0 && strcmp(name, lines->device) == 0;
    for (int32_t i = 0; rc == 0 && i < count; i++) {
        rc = take_line(from, multi != 0, &line);
        if (rc == 0 && wanted)
            lines->take(lines->context, &line);
    }
    lines->found = lines->found || (wanted && rc == 0);
    return rc < 0 ? rc : skip_counters(from);
}

int wtl_pm_status_read(struct wtl_pm_reader *from,
                       const char *device,
                       void (*take_one)(void *context, const struct wtl_pm_line *line),
                       void *context)
{
    struct lines lines = {.device = device, .take = take_one, .context = context};
    int32_t count;
    int rc = wtl_pm_take_i32(from, &count);
    if (rc == 0 && (count < 0 || count > DEVICES_MAX))
        return -EBADMSG;
    for (int32_t i = 0; rc == 0 && i < count && !lines.found; i++)
        rc = take_device(from, &lines);
    return lines.found ? 0 : rc < 0 ? rc : -ENODEV;
}

static int32_t i32_at(const uint8_t *bytes, size_t at)
{
    int32_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

/* A record is the number of lines and their samples. After samples of 4 bytes the number comes again where samples of 8
 * bytes have a half of a sample: one of 2^32 values of it looks like that number. */
int wtl_pm_stream_dialect(const uint8_t *bytes, size_t n, int *ret)
{
    int32_t lines = n >= 4 ? i32_at(bytes, 0) : 0;
    *ret = -EAGAIN;
    if (n < 4)
        return 0;
    if (lines <= 0 || lines > WTL_PM_LINES) {
        *ret = -EBADMSG;
        return 0;
    }
    size_t narrow = 4 + 4 * (size_t)lines, wide = 4 + 8 * (size_t)lines;
    if (n >= narrow + 4 && i32_at(bytes, narrow) == lines)
        *ret = WTL_PM_G1;
    else if (n >= wide)
        *ret = WTL_PM_G2;
    return n == narrow;
}

int wtl_pm_data_read(struct wtl_pm_reader *from, int32_t samples_most, struct wtl_pm_data *ret_data)
{
    struct wtl_pm_reader at = *from;
    int rc = wtl_pm_take_i32(&at, &ret_data->sample_count);
    if (rc == 0 && ret_data->sample_count == WTL_PM_ERROR) {
        *from = at;
        return -ENODATA;
    }
    rc = rc < 0 ? rc : wtl_pm_take_i32(&at, &ret_data->bound_count);
    rc = rc < 0 ? rc : wtl_pm_take_i32(&at, &ret_data->line_count);
    if (rc == 0 && (ret_data->sample_count < 0 || ret_data->sample_count > samples_most ||
                    ret_data->bound_count < 1 || ret_data->bound_count > samples_most ||
                    ret_data->line_count < 0 || ret_data->line_count > WTL_PM_LINES))
        rc = -EBADMSG;
    if (rc == 0)
        *from = at;
    return rc;
}

int64_t wtl_pm_sample_at(enum wtl_pm_dialect dialect,
                         int32_t sample_count,
                         int32_t lines,
                         const int32_t *bounds,
                         int32_t sets,
                         int32_t line,
                         int32_t set,
                         int32_t i)
{
    int64_t first = bounds[set], length = bounds[set + 1] - first;
    int64_t at = dialect == WTL_PM_CPP ? lines * first + line * length + i
                                       : (int64_t)line * bounds[sets] + first + i;
    return at < sample_count ? at : -1;
}
