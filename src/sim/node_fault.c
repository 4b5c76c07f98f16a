/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses faults: one grammar for the command line, tests and benchmarks. See node_fault.h. */
#include "sim/node_fault.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

static const char *const names[WTL_FAULT_COUNT] = {
    [WTL_FAULT_VANISH] = "vanish",
    [WTL_FAULT_EIO] = "eio",
    [WTL_FAULT_STALL] = "stall",
    [WTL_FAULT_RESET] = "reset",
    [WTL_FAULT_PERMISSION] = "permission",
    [WTL_FAULT_WRAP_WHILE_STALLED] = "wrap-while-stalled",
    [WTL_FAULT_FILTERING] = "filtering",
    [WTL_FAULT_HANG] = "hang",
    [WTL_FAULT_CRASH] = "crash",
    [WTL_FAULT_MIG] = "mig",
    [WTL_FAULT_JUMP] = "jump",
};

const char *wtl_fault_name(enum wtl_fault_kind kind)
{
    return (unsigned)kind < WTL_FAULT_COUNT ? names[kind] : "?";
}

int wtl_fault_domain(const char *text, size_t n, int *ret_domain, int *ret_index)
{
    for (int i = 0; i < WATTLE_DOMAIN_COUNT; i++) {
        const char *name = wattle_domain_name((enum wattle_domain)i);
        size_t length = strlen(name);
        uint64_t index;
        if (n < length || memcmp(text, name, length) != 0)
            continue;
        if (n == length) {
            *ret_domain = i;
            *ret_index = -1;
            return 0;
        }
        if (text[length] != '-')
            continue;
        int used = wtl_scan_u64(text + length + 1, n - length - 1, &index);
        if (used < 0 || (size_t)used != n - length - 1 || index > 4095)
            return -EINVAL;
        *ret_domain = i;
        *ret_index = (int)index;
        return 0;
    }
    return -EINVAL;
}

/* Parse text up to the next character of `stops` as a duration. */
static int scan_duration(const char **at, const char *stops, uint64_t *ret_ns)
{
    char text[40];
    size_t n = strcspn(*at, stops);
    if (n >= sizeof text)
        return -EINVAL;
    memcpy(text, *at, n);
    text[n] = '\0';
    *at += n;
    return wtl_parse_duration(text, ret_ns);
}

/* Parse text up to the next comma as a number within bounds. */
static int scan_number(const char **at, double least, double most, double *ret_number)
{
    double number;
    char text[40];
    size_t n = strcspn(*at, ",");
    if (n >= sizeof text)
        return -EINVAL;
    memcpy(text, *at, n);
    text[n] = '\0';
    *at += n;
    if (wtl_parse_double(text, &number) < 0 || !(number >= least && number <= most))
        return -EINVAL;
    *ret_number = number;
    return 0;
}

static int parse_setting(struct wtl_fault *fault, const char **at)
{
    uint64_t ns;
    if (strncmp(*at, "for=", 4) == 0) {
        *at += 4;
        int rc = scan_duration(at, ",", &ns);
        if (rc == 0)
            fault->for_ns = ns;
        return rc;
    }
    if (strncmp(*at, "rate=", 5) == 0) {
        *at += 5;
        return scan_number(at, 0, 1, &fault->rate);
    }
    if (strncmp(*at, "by=", 3) == 0) {
        *at += 3;
        return scan_number(at, -1e9, 1e9, &fault->by_j);
    }
    return -EINVAL;
}

static int parse_kind(const char *text, size_t n, struct wtl_fault *fault)
{
    for (int i = 0; i < WTL_FAULT_COUNT; i++) {
        if (strlen(names[i]) == n && memcmp(names[i], text, n) == 0) {
            fault->kind = (enum wtl_fault_kind)i;
            return 0;
        }
    }
    return -EINVAL;
}

int wtl_fault_parse(const char *text, struct wtl_fault *ret_fault, struct wattle_error *err)
{
    struct wtl_fault fault = {.domain = -1, .index = -1, .for_ns = UINT64_MAX, .rate = 1};
    const char *at = text + strcspn(text, ":@,");
    if (parse_kind(text, (size_t)(at - text), &fault) < 0)
        return wtl_fail(
            err, -EINVAL,
            "fault \"%s\": unknown kind; kinds are vanish, eio, stall, reset, permission, "
            "wrap-while-stalled, filtering, hang, crash, mig, jump",
            text);
    if (*at == ':') {
        size_t n = strcspn(at + 1, "@,");
        if (wtl_fault_domain(at + 1, n, &fault.domain, &fault.index) < 0)
            return wtl_fail(
                err, -EINVAL,
                "fault \"%s\": unknown domain '%.*s'; write package, package-0, dram-1, "
                "...",
                text, (int)n, at + 1);
        at += 1 + n;
    }
    if (*at == '@') {
        at++;
        if (scan_duration(&at, ",", &fault.at_ns) < 0)
            return wtl_fail(
                err, -EINVAL,
                "fault \"%s\": '@' must be followed by a time after the start, such as 2s or 500ms",
                text);
    }
    while (*at == ',') {
        at++;
        if (parse_setting(&fault, &at) < 0)
            return wtl_fail(
                err, -EINVAL,
                "fault \"%s\": settings are for=DURATION, rate=P with P from 0 to 1, and "
                "by=JOULES",
                text);
    }
    if (*at)
        return wtl_fail(err, -EINVAL,
                        "fault \"%s\": write KIND[:DOMAIN][@TIME][,for=DURATION][,rate=P][,by=J]",
                        text);
    *ret_fault = fault;
    return 0;
}

bool wtl_fault_hits(const struct wtl_fault *fault, enum wattle_domain domain, int index)
{
    return (fault->domain < 0 || fault->domain == (int)domain) &&
           (fault->index < 0 || fault->index == index);
}

bool wtl_fault_active(const struct wtl_fault *fault, uint64_t after_ns)
{
    return after_ns >= fault->at_ns && after_ns - fault->at_ns < fault->for_ns;
}
