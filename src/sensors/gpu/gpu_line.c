/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of wattle-gpu: see gpu_line.h. Each key is one row of a table. */
#define _GNU_SOURCE
#include "sensors/gpu/gpu_line.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

enum { LARGEST = 1 << 20 };

/* ---- words ---- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode %HH in place; bytes that are not printable ASCII become '?', since they reach terminals. */
static int decode(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        int byte = (unsigned char)*at;
        if (byte == '%') {
            int high = digit_of(at[1]), low = high < 0 ? -1 : digit_of(at[2]);
            if (low < 0)
                return -EBADMSG;
            byte = high * 16 + low;
            at += 2;
        }
        *to++ = byte < ' ' || byte > '~' ? '?' : (char)byte;
    }
    *to = '\0';
    return 0;
}

/* The next word, ended in place; NULL at the end. */
static char *next_word(char **at)
{
    char *word = *at;
    size_t n = strcspn(word, " ");
    *at = word + n + (word[n] == ' ');
    word[n] = '\0';
    return n > 0 ? word : NULL;
}

static int take_int(const char *text, int *ret)
{
    uint64_t value;
    if (wtl_parse_u64(text, &value) < 0 || value > LARGEST)
        return -EBADMSG;
    *ret = (int)value;
    return 0;
}

/* ---- keys ---- */

enum type { TYPE_TEXT, TYPE_INT, TYPE_U64, TYPE_DOUBLE, TYPE_FLAG };

struct key {
    const char *name;
    enum type type;
    size_t at, size;
};

#define KEY(name, type, member)                            \
    {                                                      \
        name, type, offsetof(struct wtl_gpu_line, member), \
            sizeof(((struct wtl_gpu_line *)NULL)->member)  \
    }

static const struct key device_keys[] = {
    KEY("name", TYPE_TEXT, device.name),     KEY("uuid", TYPE_TEXT, device.uuid),
    KEY("pci", TYPE_TEXT, device.pci),       KEY("parent", TYPE_INT, device.parent),
    KEY("numa", TYPE_INT, device.numa),      KEY("module", TYPE_INT, device.module),
    KEY("die", TYPE_INT, device.die),        KEY("dies", TYPE_INT, device.dies),
    KEY("hidden", TYPE_FLAG, device.hidden), KEY("asleep", TYPE_FLAG, device.asleep),
};

static const struct key channel_keys[] = {
    KEY("device", TYPE_INT, of_device),
    KEY("word", TYPE_TEXT, channel.name),
    KEY("quantity", TYPE_INT, channel.quantity),
    KEY("kind", TYPE_INT, channel.kind),
    KEY("domain", TYPE_INT, channel.domain),
    KEY("sub", TYPE_INT, channel.sub),
    KEY("scale", TYPE_DOUBLE, channel.scale),
    KEY("modulus", TYPE_U64, channel.modulus),
    KEY("refresh_ns", TYPE_U64, channel.refresh_ns),
    KEY("window_ns", TYPE_U64, channel.window_ns),
    KEY("max_w", TYPE_DOUBLE, channel.max_w),
    KEY("awake", TYPE_FLAG, awake),
    KEY("activity", TYPE_FLAG, activity),
    KEY("spare", TYPE_FLAG, spare),
    KEY("location", TYPE_TEXT, channel.location),
};

static const struct key process_keys[] = {KEY("used", TYPE_DOUBLE, used)};

_Static_assert(sizeof(enum wattle_quantity) == sizeof(int), "enums are read as numbers");

static int take_value(const struct key *key, char *value, struct wtl_gpu_line *line)
{
    char *at = (char *)line + key->at;
    int number, rc;
    uint64_t large;
    double real;
    switch (key->type) {
    case TYPE_TEXT:
        rc = decode(value);
        (void)snprintf(at, key->size, "%s", value);
        return rc;
    case TYPE_INT:
        rc = take_int(value, &number);
        if (rc == 0)
            memcpy(at, &number, sizeof number);
        return rc;
    case TYPE_U64:
        if (wtl_parse_u64(value, &large) < 0)
            return -EBADMSG;
        memcpy(at, &large, sizeof large);
        return 0;
    case TYPE_DOUBLE:
        if (wtl_parse_double(value, &real) < 0)
            return -EBADMSG;
        memcpy(at, &real, sizeof real);
        return 0;
    case TYPE_FLAG:
        *(bool *)at = strcmp(value, "yes") == 0;
        return 0;
    }
    return -EBADMSG;
}

/* "KEY=VALUE ..." by a table; unknown keys are skipped. */
static int take_keys(const struct key *keys, size_t count, char *rest, struct wtl_gpu_line *line)
{
    for (char *word; (word = next_word(&rest));) {
        char *equals = strchr(word, '=');
        if (!equals)
            return -EBADMSG;
        *equals = '\0';
        for (size_t i = 0; i < count; i++) {
            int rc = strcmp(keys[i].name, word) == 0 ? take_value(&keys[i], equals + 1, line) : 0;
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* ---- lines ---- */

static int take_device(char *rest, struct wtl_gpu_line *line)
{
    line->kind = WTL_GPU_LINE_DEVICE;
    line->device =
        (struct wtl_gpu_line_device){.parent = -1, .numa = -1, .module = -1, .die = 0, .dies = 1};
    char *number = next_word(&rest);
    int rc = number ? take_int(number, &line->number) : -EBADMSG;
    return rc < 0 ? rc
                  : take_keys(device_keys, sizeof device_keys / sizeof *device_keys, rest, line);
}

static bool is_word(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && name[n] == '\0' && n < WATTLE_NAME_MAX / 2;
}

static int take_channel(char *rest, struct wtl_gpu_line *line)
{
    line->kind = WTL_GPU_LINE_CHANNEL;
    line->channel = (struct wattle_channel){.sub = -1, .domain = WATTLE_DOMAIN_GPU, .scale = 1};
    line->of_device = -1;
    line->activity = line->awake = line->spare = false;
    char *number = next_word(&rest);
    int rc = number ? take_int(number, &line->number) : -EBADMSG;
    if (rc == 0)
        rc = take_keys(channel_keys, sizeof channel_keys / sizeof *channel_keys, rest, line);
    const struct wattle_channel *channel = &line->channel;
    bool known = channel->quantity < WATTLE_QUANTITY_COUNT && channel->kind < WATTLE_KIND_COUNT &&
                 channel->domain < WATTLE_DOMAIN_COUNT && line->of_device >= 0 &&
                 channel->scale > 0 && channel->max_w >= 0 && is_word(channel->name);
    return rc < 0 || known ? rc : -EBADMSG;
}

static int take_process(char *rest, struct wtl_gpu_line *line)
{
    uint64_t pid;
    line->kind = WTL_GPU_LINE_PROCESS;
    line->used = (double)NAN;
    char *number = next_word(&rest);
    if (!number || wtl_parse_u64(number, &pid) < 0 || pid == 0 || pid > INT32_MAX)
        return -EBADMSG;
    line->number = (int)pid;
    int rc = take_keys(process_keys, sizeof process_keys / sizeof *process_keys, rest, line);
    return rc < 0 || isnan(line->used) || (line->used >= 0 && line->used <= 1) ? rc : -EBADMSG;
}

static int take_text(enum wtl_gpu_line_kind kind, char *text, struct wtl_gpu_line *line)
{
    line->kind = kind;
    int rc = decode(text);
    (void)snprintf(line->text, sizeof line->text, "%s", text);
    return rc;
}

/* "ERRNO SENTENCE"; the sentence is not encoded. */
static int take_failure(char *rest, struct wtl_gpu_line *line)
{
    char *number = next_word(&rest);
    int rc = number ? take_int(number, &line->number) : -EBADMSG;
    line->kind = WTL_GPU_LINE_FAILURE;
    for (char *at = rest; *at; at++)
        *at = *at < ' ' || *at > '~' ? '?' : *at;
    (void)snprintf(line->text, sizeof line->text, "%s", rest);
    return rc == 0 && (line->number == 0 || line->number > 4095) ? -EBADMSG : rc;
}

int wtl_gpu_line_parse(char *line, struct wtl_gpu_line *ret)
{
    char *rest = line;
    ret->kind = WTL_GPU_LINE_OTHER;
    if (line[0] == '=') {
        ret->kind = WTL_GPU_LINE_VALUES;
        return 0;
    }
    const char *word = next_word(&rest);
    if (!word)
        return 0;
    if (strcmp(word, ".") == 0)
        ret->kind = WTL_GPU_LINE_END;
    else if (strcmp(word, "!") == 0)
        return take_failure(rest, ret);
    else if (strcmp(word, "device") == 0)
        return take_device(rest, ret);
    else if (strcmp(word, "channel") == 0)
        return take_channel(rest, ret);
    else if (strcmp(word, "process") == 0)
        return take_process(rest, ret);
    else if (strcmp(word, "note") == 0)
        return take_text(WTL_GPU_LINE_NOTE, rest, ret);
    else if (strcmp(word, "protocol") == 0) {
        ret->kind = WTL_GPU_LINE_PROTOCOL;
        return take_int(rest, &ret->number);
    } else if (strcmp(word, "library") == 0) {
        (void)next_word(&rest); /* the backend */
        return take_text(WTL_GPU_LINE_LIBRARY, rest, ret);
    }
    return 0;
}

/* Digits from *at, then `after`. */
static int scan(const char **at, char after, uint64_t *ret)
{
    int used = wtl_scan_u64(*at, strlen(*at), ret);
    if (used < 0 || (*at)[used] != after)
        return -EBADMSG;
    *at += used + (after != '\0');
    return 0;
}

/* The value at *at, which moves to its end. */
static int take_reading(const char **at, bool last, struct wattle_reading *ret)
{
    uint64_t value, time_ns;
    bool failed = (*at)[0] == ' ' && (*at)[1] == '!';
    if ((*at)[0] != ' ')
        return -EBADMSG;
    *at += 1 + failed;
    if (scan(at, '@', &value) < 0 || scan(at, last ? '\0' : ' ', &time_ns) < 0 ||
        (failed && (value == 0 || value > 4095)))
        return -EBADMSG;
    *at -= !last;
    *ret = (struct wattle_reading){
        .raw = failed ? 0 : value, .time_ns = time_ns, .status = failed ? -(int)value : 0};
    return 0;
}

int wtl_gpu_values_parse(const char *line,
                         size_t n,
                         struct wtl_gpu_asked asked,
                         struct wattle_reading *ret)
{
    const char *at = line[0] == '=' ? line + 1 : "";
    for (size_t i = 0; i < n; i++) {
        int rc = take_reading(&at, i + 1 == n, &ret[i]);
        if (rc < 0)
            return rc;
        if (ret[i].time_ns < asked.from_ns || ret[i].time_ns > asked.to_ns)
            ret[i] = (struct wattle_reading){.status = ret[i].status ? ret[i].status : -ETIME,
                                             .time_ns = asked.to_ns};
    }
    return 0;
}
