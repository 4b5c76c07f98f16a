/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What slurm.conf says about this node, and lists as Slurm writes them: see slurm_job.h. Included files are not read: what is not
 * found is unknown.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "cli/jobs/node/slurm_job.h"

/* ---- lists ---- */

uint64_t wtl_slurm_cpus_at(const char *counts, long place)
{
    while (*counts) {
        uint64_t cpus, times = 1;
        int used = wtl_scan_u64(counts, strlen(counts), &cpus);
        if (used <= 0)
            return 0;
        counts += used;
        if (strncmp(counts, "(x", 2) == 0) {
            used = wtl_scan_u64(counts + 2, strlen(counts + 2), &times);
            if (used <= 0 || counts[2 + used] != ')')
                return 0;
            counts += 3 + used;
        }
        if ((place >= 0 && (uint64_t)place < times) || (place < 0 && *counts == '\0'))
            return cpus;
        if (place < 0 || *counts != ',') /* it depends on the node, whose place is not known */
            return 0;
        place -= (long)times;
        counts++;
    }
    return 0;
}

/* Of one number or range in brackets: how many names it has, and which of them is the number (width digits), -1 = none. */
static uint64_t range_place(const char *range,
                            size_t n,
                            const char *digits,
                            size_t width,
                            long *place)
{
    uint64_t low, high, number;
    int used = wtl_scan_u64(range, n, &low);
    *place = -1;
    if (used <= 0)
        return 0;
    high = low;
    if ((size_t)used < n &&
        (range[used] != '-' || wtl_scan_u64(range + used + 1, n - (size_t)used - 1, &high) <= 0))
        return 0;
    bool padded = used > 1 && range[0] == '0';
    bool same_width = padded ? width == (size_t)used : digits[0] != '0' || width == 1;
    if (high < low || high - low > 1000000)
        return 0;
    if (width > 0 && same_width && wtl_scan_u64(digits, width, &number) == (int)width &&
        number >= low && number <= high)
        *place = (long)(number - low);
    return high - low + 1;
}

/* One item "name", "n[1-3,7]" or "n[1-3]s": as range_place(). */
static uint64_t item_place(const char *item, size_t n, const char *node, long *place)
{
    const char *open = memchr(item, '[', n), *close = memchr(item, ']', n);
    *place = -1;
    if (!open || !close || close < open) {
        if (strlen(node) == n && strncmp(node, item, n) == 0)
            *place = 0;
        return 1;
    }
    size_t before = (size_t)(open - item), after = n - (size_t)(close - item) - 1;
    size_t length = strlen(node);
    bool around = length > before + after && strncmp(node, item, before) == 0 &&
                  strncmp(node + length - after, close + 1, after) == 0;
    size_t width = around ? length - before - after : 0;
    uint64_t count = 0;
    for (const char *at = open + 1; at < close;) {
        size_t part = strcspn(at, ",]");
        long here;
        uint64_t names = range_place(at, part, node + (around ? before : 0), width, &here);
        if (here >= 0 && *place < 0)
            *place = (long)count + here;
        count += names;
        at += part + 1;
    }
    return count;
}

long wtl_slurm_node_place(const char *list, const char *node)
{
    long before = 0;
    while (*list) {
        size_t n = 0;
        for (int depth = 0; list[n] && (depth > 0 || list[n] != ','); n++)
            depth += list[n] == '[' ? 1 : list[n] == ']' ? -1 : 0;
        long place;
        uint64_t count = item_place(list, n, node, &place);
        if (place >= 0)
            return before + place;
        before += (long)count;
        list += n + (list[n] == ',');
    }
    return -1;
}

/* ---- slurm.conf ---- */

/* The value of a key in a line of "Key=value Key=value", into text[n]; false: it is not there. */
static bool value_of(const char *line, size_t length, const char *key, char *text, size_t n)
{
    size_t size = strlen(key);
    for (size_t i = 0; i + size < length; i++) {
        if ((i > 0 && !isspace((unsigned char)line[i - 1])) ||
            strncasecmp(line + i, key, size) != 0 || line[i + size] != '=')
            continue;
        size_t at = i + size + 1, end = at;
        while (end < length && !isspace((unsigned char)line[end]))
            end++;
        if (end - at >= n)
            return false;
        memcpy(text, line + at, end - at);
        text[end - at] = '\0';
        return true;
    }
    return false;
}

static uint64_t number_of(const char *line, size_t length, const char *key)
{
    char text[24];
    uint64_t value;
    return value_of(line, length, key, text, sizeof text) && wtl_parse_u64(text, &value) == 0
               ? value
               : 0;
}

static uint64_t at_least_one(uint64_t value)
{
    return value > 0 ? value : 1;
}

static uint64_t cpus_of(const char *line, size_t length)
{
    uint64_t cpus = number_of(line, length, "CPUs");
    if (cpus > 0)
        return cpus;
    uint64_t cores = number_of(line, length, "CoresPerSocket");
    uint64_t threads = number_of(line, length, "ThreadsPerCore");
    uint64_t sockets = number_of(line, length, "Sockets");
    if (cores == 0 && sockets == 0)
        return 0;
    return at_least_one(sockets) * at_least_one(cores) * at_least_one(threads);
}

static void take_line(struct wtl_slurm_node *conf,
                      const char *line,
                      size_t length,
                      const char *node,
                      const char *partition)
{
    char text[1024];
    if (value_of(line, length, "NodeName", text, sizeof text)) {
        bool is_node = wtl_slurm_node_place(text, node) >= 0;
        bool is_default = strcasecmp(text, "DEFAULT") == 0;
        uint64_t cpus = is_node || is_default ? cpus_of(line, length) : 0;
        conf->cpus = cpus > 0 ? cpus : conf->cpus;
    } else if (value_of(line, length, "PartitionName", text, sizeof text)) {
        bool counts = strcasecmp(text, "DEFAULT") == 0 || strcmp(text, partition) == 0;
        if (counts && (value_of(line, length, "OverSubscribe", text, sizeof text) ||
                       value_of(line, length, "Shared", text, sizeof text)))
            conf->whole = strcasecmp(text, "EXCLUSIVE") == 0;
    } else if (value_of(line, length, "SelectType", text, sizeof text)) {
        conf->whole |= strcasecmp(text, "select/linear") == 0;
    }
}

struct wtl_slurm_node wtl_slurm_conf_node(const char *text, const char *node, const char *partition)
{
    struct wtl_slurm_node conf = {.cpus = 0};
    while (*text) {
        size_t line = strcspn(text, "\n"), length = 0;
        while (length < line && text[length] != '#')
            length++;
        take_line(&conf, text, length, node, partition);
        text += line + (text[line] == '\n');
    }
    return conf;
}
